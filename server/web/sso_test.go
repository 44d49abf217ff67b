package web

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palate/server"
	"palate/store"
	"palate/store/sqlite"
)

// fakeProvider is an identity provider on loopback, for whom everybody is the
// subject it is told.
type fakeProvider struct {
	*httptest.Server
	key     *rsa.PrivateKey
	subject string
	codes   map[string]url.Values // what was asked for, by code
	spoil   func(claims map[string]any)
}

func startProvider(t *testing.T) *fakeProvider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &fakeProvider{key: key, subject: "ann@provider", codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		e := big.NewInt(int64(key.E)).Bytes()
		reply(w, map[string]any{"keys": []any{map[string]string{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e)}}})
	})
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		c := rand.Text()
		p.codes[c] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {c}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		q, known := p.codes[r.FormValue("code")]
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !known || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		delete(p.codes, r.FormValue("code"))
		claims := map[string]any{"iss": p.URL, "aud": "palate", "sub": p.subject, "email": "ann@example.org", "name": "Ann", "nonce": q.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
		if p.spoil != nil {
			p.spoil(claims)
		}
		reply(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.signed(t, claims)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *fakeProvider) signed(t *testing.T, claims map[string]any) string {
	part := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	body := part(map[string]string{"alg": "RS256", "kid": "1"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(body))
	sig, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Error(err)
	}
	return body + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// TestSSO logs in through a provider: the same person is the same voter, and
// nothing about them is kept but a pseudonym.
func TestSSO(t *testing.T) {
	p := startProvider(t)
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var h *site
	pages := plainPages{http.NewServeMux()}
	pages.HandleFunc("POST /b/{board}/join", func(w http.ResponseWriter, r *http.Request) {
		if err := h.front.BeginSSO(w, r, r.PathValue("board")); err != nil {
			t.Error(err)
		}
	})
	pages.HandleFunc("GET "+Callback, func(w http.ResponseWriter, r *http.Request) {
		pass, err := h.front.EndSSO(w, r)
		if err != nil {
			code, says := status(err)
			pages.Refuse(w, r, code, says)
			return
		}
		if len(w.Header()["Set-Cookie"]) != 1 { // which forgets the login under way
			t.Errorf("the answer of the provider sets %v", w.Header()["Set-Cookie"])
		}
		// The same answer, with the same cookie, is taken once.
		if _, err := h.front.EndSSO(httptest.NewRecorder(), r); err == nil || !strings.Contains(err.Error(), "came to an end before") {
			t.Errorf("the same answer again: %v", err)
		}
		h.front.Admit(w, pass)
		http.Redirect(w, r, "/b/"+pass.Identity.Board, http.StatusSeeOther)
	})
	pages.HandleFunc("GET /b/{board}", func(w http.ResponseWriter, r *http.Request) {
		id, err := h.front.Identify(r, r.PathValue("board"))
		if err != nil {
			t.Error(err)
		}
		w.Write([]byte("voter " + id.Voter))
	})
	h = siteOn(t, st, server.Options{SSO: &server.SSO{Issuer: p.URL, ClientID: "palate", ClientSecret: "s"}}, Options{}, pages)
	made, err := h.svc.Create(t.Context(), server.NewBoard{Items: []server.NewItem{{ID: "a"}, {ID: "b"}}, Access: store.SSO})
	if err != nil {
		t.Fatal(err)
	}
	b := made.Board.ID
	login := func() (int, string) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := (&http.Client{Jar: jar}).Post(h.URL+"/b/"+b+"/join", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body := make([]byte, 200)
		n, _ := res.Body.Read(body)
		return res.StatusCode, string(body[:n])
	}
	_, ann := login()
	if !strings.HasPrefix(ann, "voter ") || len(ann) < 10 {
		t.Fatalf("after the login: %q", ann)
	}
	if _, again := login(); again != ann {
		t.Errorf("the same person is %q, then %q", ann, again)
	}
	p.subject = "bob@provider"
	if _, bob := login(); bob == ann {
		t.Error("two people are one voter")
	}
	voters, err := st.Voters(t.Context(), b)
	if err != nil || len(voters) != 2 {
		t.Fatalf("voters %+v, %v", voters, err)
	}
	for _, v := range voters {
		// A pseudonym is random letters and digits, so only "@" tells for certain
		// that something of the person is left in it.
		if v.Name != "" || strings.Contains(v.Subject, "@") {
			t.Errorf("kept of a voter: %+v", v)
		}
	}
	for what, spoil := range map[string]func(map[string]any){
		"another's audience": func(c map[string]any) { c["aud"] = "other" },
		"an old token":       func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() },
		"another's nonce":    func(c map[string]any) { c["nonce"] = "x" },
		"another issuer":     func(c map[string]any) { c["iss"] = "https://example.org" },
	} {
		p.spoil = spoil
		if code, text := login(); code != http.StatusForbidden {
			t.Errorf("%s: %d %s", what, code, text)
		}
	}
	p.spoil = nil
	// An answer without the cookie of the login that it belongs to.
	res, err := http.Get(h.URL + Callback + "?code=x&state=y")
	if err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("a login that was not begun: %v, %v", res.StatusCode, err)
	}
	if _, err := h.svc.Join(t.Context(), b); err == nil {
		t.Error("a stranger joined a board for members")
	}
}
