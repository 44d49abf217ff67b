package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"palate/server"
)

// receiver takes what webhooks tell, or not.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	away   bool
	secret []byte
	events []server.HookEvent
	forged int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	stamp, _, _ := strings.Cut(strings.TrimPrefix(q.Header.Get("Palate-Signature"), "t="), ",")
	var at int64
	if err == nil {
		err = json.Unmarshal([]byte(stamp), &at)
	}
	var m server.HookMessage
	switch {
	case r.away:
		w.WriteHeader(http.StatusBadGateway)
	case err != nil || q.Header.Get("Palate-Signature") != server.HookSignature(r.secret, time.Unix(at, 0), body) || json.Unmarshal(body, &m) != nil:
		r.forged++
	default:
		r.events = append(r.events, m.Events...)
	}
}

// has waits until so many events of a kind have come.
func (r *receiver) has(t *testing.T, kind string, n int) []server.HookEvent {
	t.Helper()
	for range 600 {
		r.mu.Lock()
		some := slices.DeleteFunc(slices.Clone(r.events), func(e server.HookEvent) bool { return e.Kind != kind })
		r.mu.Unlock()
		if len(some) >= n {
			return some
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %d events of kind %s came", n, kind)
	return nil
}

// TestWebhooks: a receiver that is away delays no vote and loses no event; what it is told
// in the end is all, in order and signed.
func TestWebhooks(t *testing.T) {
	r := &receiver{away: true}
	r.Server = httptest.NewServer(r)
	defer r.Close()
	allowed := server.Webhooks{Hosts: []string{"127.0.0.1"}, Private: true}
	allowed.Send = Poster(allowed)
	s := startSite(t, server.Options{Poll: 10 * time.Millisecond, Webhooks: allowed}).svc
	made, err := s.Create(t.Context(), server.NewBoard{Items: []server.NewItem{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}})
	if err != nil {
		t.Fatal(err)
	}
	b := made.Board.ID
	pass, err := s.Join(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	who := pass.Identity.Voter
	w, err := s.AddWebhook(t.Context(), b, "owner", r.URL+"/hook", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.secret = w.Secret
	r.mu.Unlock()
	for range 5 {
		q, err := s.Ask(t.Context(), b, who)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tell(t.Context(), b, who, server.Answer{Question: q.Token}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Undo(t.Context(), b, who); err != nil {
		t.Fatal(err)
	}
	if err := s.SetClosed(t.Context(), b, "owner", true); err != nil {
		t.Fatal(err)
	}
	for range 200 { // until it has failed
		hooks, err := s.Webhooks(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if hooks[0].Tries > 0 && hooks[0].Vote == w.Vote && strings.Contains(hooks[0].Says, "says 502") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.mu.Lock()
	r.away = false
	r.mu.Unlock()
	votes := r.has(t, server.HookVote, 6)
	r.has(t, server.HookClosed, 1)
	seen := map[string]bool{}
	for k, e := range votes {
		if seen[e.ID] || e.Voter != who || e.Winner == "" || k > 0 && e.ID <= votes[k-1].ID {
			t.Errorf("event %+v", e)
		}
		seen[e.ID] = true
	}
	if last := votes[5]; last.Undoes == 0 || r.forged > 0 || len(votes) != 6 {
		t.Errorf("%+v; %d forged", last, r.forged)
	}
	if err := s.DropWebhook(t.Context(), b, "owner", w.ID); err != nil {
		t.Fatal(err)
	}
}

// TestWebhooksReach: addresses that the operator does not allow are refused, by their text,
// by what names stand for, and behind redirects.
func TestWebhooksReach(t *testing.T) {
	h := server.Webhooks{Hosts: []string{"hooks.example.org", "*.example.com"}}
	for address, want := range map[string]bool{
		"https://hooks.example.org/x": true, "https://HOOKS.example.org.:8443/x?y=z": true, "https://a.b.example.com": true,
		"http://hooks.example.org/x": false, "https://example.com": false, "https://hooks.example.org.evil.org": false, "https://evilexample.com": false,
		"https://user@hooks.example.org": false, "https://evil.org/#@hooks.example.org": false, "ftp://hooks.example.org": false, "https://": false, "hooks.example.org": false,
		"https://hooks.example.org@evil.org/": false, "https://127.0.0.1": false, "https://[::1]/": false,
	} {
		if err := h.Allows(address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]bool{
		"93.184.215.14:443": true, "[2606:2800:21f:cb07::1]:443": true,
		"127.0.0.1:80": false, "[::1]:80": false, "10.1.2.3:80": false, "192.168.1.1:80": false, "172.16.0.1:80": false, "169.254.169.254:80": false, "[fe80::1]:80": false, "[fd00::1]:80": false,
		"0.0.0.0:80": false, "[::ffff:127.0.0.1]:80": false, "[::ffff:10.0.0.1]:443": false, "100.64.0.1:80": false, "224.0.0.1:80": false, "255.255.255.255:80": false, "[64:ff9b::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[::]:80": false,
	} {
		if err := checkAddress(address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private address was reached") }))
	defer inner.Close()
	// A name that stands for a private address is refused when it is dialled.
	client := posting(server.Webhooks{Hosts: []string{"*"}})
	for _, address := range []string{inner.URL, strings.Replace(inner.URL, "127.0.0.1", "localhost", 1)} {
		if _, err := client.Post(address, "", nil); !errors.Is(err, server.ErrForbidden) {
			t.Errorf("%s: %v", address, err)
		}
	}
	// A redirect to a machine that is not allowed is not followed, nor one that would lose what is told.
	for _, code := range []int{301, 302, 303, 307, 308} {
		outer := httptest.NewServer(http.RedirectHandler(strings.Replace(inner.URL, "127.0.0.1", "localhost", 1), code))
		client := posting(server.Webhooks{Hosts: []string{"127.0.0.1"}, Private: true})
		if _, err := client.Post(outer.URL, "", nil); err == nil {
			t.Errorf("a redirect by %d was followed", code)
		}
		outer.Close()
	}
}
