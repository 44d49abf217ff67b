package ui_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"palate/server"
	"palate/store"
)

// enter opens a link and presses the button of the page it leads to.
func (v *visitor) enter(path string) (int, string) {
	v.t.Helper()
	code, page := v.get(path)
	if code != http.StatusOK || !strings.Contains(page, `<form method="post" action="`+path+`"`) {
		v.t.Fatalf("%s: %d, without a button\n%s", path, code, page)
	}
	return v.post(path, nil)
}

// TestGetChangesNobody: whatever is asked for by GET, as a picture in a text can, who
// somebody is stays as it is; the button of the page changes it.
func TestGetChangesNobody(t *testing.T) {
	svc, s := site(t, server.Options{Seed: 3})
	made, err := svc.Create(t.Context(), server.NewBoard{Title: "Board", Access: store.Private, Items: []server.NewItem{{Body: "a"}, {Body: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	links, err := svc.Invite(t.Context(), made.Board.ID, "owner", "", []string{"Ann", "Eve"})
	if err != nil {
		t.Fatal(err)
	}
	at := "/b/" + made.Board.ID
	v := newVisitor(t, s)
	home, err := url.Parse(s.URL + at)
	if err != nil {
		t.Fatal(err)
	}
	cookies := func() (all string) {
		for _, c := range v.client.Jar.Cookies(home) {
			all += c.String() + " "
		}
		return all
	}
	for _, path := range []string{"", "/v/" + links[0].Secret, "/own/" + made.Secret, "/login", "/vote", "/owner", "/me", "/board"} {
		v.get(at + path)
		if got := cookies(); got != "" {
			t.Fatalf("GET %s makes somebody of a stranger: %s", path, got)
		}
	}
	if code, page := v.enter(at + "/v/" + links[0].Secret); code != http.StatusOK || !strings.Contains(page, "ballot") {
		t.Fatalf("Ann's link: %d", code)
	}
	ann := cookies()
	if _, page := v.get(at + "/v/" + links[1].Secret); !strings.Contains(page, "as somebody else") || cookies() != ann {
		t.Errorf("Eve's link swaps who Ann is:\n%s", page)
	}
	if code, page := v.enter(at + "/own/" + made.Secret); code != http.StatusOK || !strings.Contains(page, "Can the ranking be trusted") {
		t.Errorf("the owner's link: %d", code)
	}
	// A link of Ann's own leads straight on.
	if code, page := v.get(at + "/v/" + links[0].Secret); code != http.StatusOK || !strings.Contains(page, "ballot") {
		t.Errorf("Ann's link again: %d", code)
	}
}

// TestAdmin: boards are made by who knows the server's token, before anything of the
// form is read.
func TestAdmin(t *testing.T) {
	_, s := site(t, server.Options{Seed: 3, Admin: "open sesame"})
	v := newVisitor(t, s)
	if _, page := v.get("/"); !strings.Contains(page, "Token of this server") || strings.Contains(page, `name="lines"`) {
		t.Error("the start page does not ask for the token first")
	}
	if code, _ := v.upload("/boards", "x.png", []byte(strings.Repeat("x", server.MaxBoard+1)), nil); code != http.StatusForbidden {
		t.Errorf("a board without the token: %d", code)
	}
	if code, page := v.post("/admin", url.Values{"admin": {"wrong"}}); code != http.StatusForbidden || !strings.Contains(page, "not the token") {
		t.Errorf("a wrong token: %d", code)
	}
	if code, page := v.post("/admin", url.Values{"admin": {"open sesame"}}); code != http.StatusOK || !strings.Contains(page, `name="lines"`) {
		t.Fatalf("the token: %d\n%s", code, page)
	}
	code, page := v.upload("/boards", "", nil, map[string]string{"title": "T", "lines": "a\nb"})
	if code != http.StatusCreated || !regexp.MustCompile(`/own/[a-z0-9]+`).MatchString(page) {
		t.Errorf("a board with the token: %d\n%s", code, page)
	}
}

// TestRefusals: what is refused before it reaches a page is a page, too, with a way on.
func TestRefusals(t *testing.T) {
	_, s := site(t, server.Options{Seed: 3, RequestsPerMinute: 2})
	v := newVisitor(t, s)
	v.header.Set("Origin", "http://elsewhere.example")
	if code, page := v.post("/b/x/join", nil); code != http.StatusForbidden || !strings.Contains(page, `href="/b/x"`) || !strings.Contains(page, "another site") {
		t.Errorf("from another site: %d\n%s", code, page)
	}
	v.get("/")
	if code, page := v.get("/"); code != http.StatusTooManyRequests || !strings.Contains(page, `href="/"`) {
		t.Errorf("too many requests: %d\n%s", code, page)
	}
}
