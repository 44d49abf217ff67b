package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// asked is what a question was, as its token carries it.
type asked struct {
	Board      string  `json:"b"`
	Voter      string  `json:"v"`
	Left       int     `json:"l"`
	Right      int     `json:"r"`
	Set        string  `json:"s,omitempty"`
	Policy     string  `json:"p"`
	Propensity float64 `json:"q"`
	Key        string  `json:"k"`
	Time       int64   `json:"t"` // milliseconds since 1970
}

var code = base64.RawURLEncoding

// sign returns a value as text that only this server can have written. What kind
// of value it is is part of what is signed.
func (s *Service) sign(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers and text
	}
	body := code.EncodeToString(raw)
	return body + "." + code.EncodeToString(s.mac(kindOf(value), body))
}

// verify reads what sign wrote into a value of the same type, and reports whether
// this server wrote it.
func (s *Service) verify(text string, value any) bool {
	body, sum, ok := strings.Cut(text, ".")
	if !ok {
		return false
	}
	mac, err := code.DecodeString(sum)
	if err != nil || !hmac.Equal(mac, s.mac(kindOf(value), body)) {
		return false
	}
	raw, err := code.DecodeString(body)
	return err == nil && json.Unmarshal(raw, value) == nil
}

// kindOf keeps what is signed for one purpose from serving another.
func kindOf(value any) string {
	switch value.(type) {
	case asked, *asked:
		return "asked"
	case session, *session:
		return "session"
	case keyring, *keyring:
		return "keyring"
	case flow, *flow:
		return "flow"
	}
	panic(fmt.Sprintf("server: signing %T", value))
}

func (s *Service) mac(kind, body string) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(kind + ":" + body))
	return h.Sum(nil)
}

// hashed is how secrets of high entropy are kept.
func hashed(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
