package server

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	random "math/rand/v2"
	"strings"
)

// lower is base 32 in letters that are hard to confuse.
var lower = base32.NewEncoding("abcdefghjkmnpqrstuvwxyz023456789").WithPadding(base32.NoPadding)

// token returns a random word of so many bytes of entropy.
func token(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return lower.EncodeToString(b)
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// rng returns fresh randomness, seeded.
func (s *Service) rng() *random.Rand { return random.New(random.NewPCG(s.seed, s.draws.Add(1))) }

// firstLine returns the first line of a text, cut to so many letters.
func firstLine(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > most {
		line = strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return line
}
