package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"palate/server"
)

// cookieOf is the name of the cookie that holds the pass of a role.
func cookieOf(r server.Role) string { return "palate_" + string(r) }

// bearer returns what the header Authorization carries, empty without.
func bearer(r *http.Request) string {
	secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return strings.TrimSpace(secret)
}

// Identify finds out who makes a request to a board, by its cookies or its
// token (Authorization: Bearer, which may also be the owner's secret). An empty
// Identity is a stranger; a forged cookie is one, too. A token that is not good
// is an error.
func (f *Front) Identify(r *http.Request, board string) (server.Identity, error) {
	if h := r.Header.Get("Authorization"); h != "" && (!strings.HasPrefix(h, "Bearer ") || bearer(r) == "") {
		return server.Identity{Board: board}, fmt.Errorf("server: %w: the header Authorization is not Bearer and a token", server.ErrForbidden)
	}
	return f.svc.Identify(r.Context(), board, f.Shown(r))
}

// Shown is what a request shows of who makes it.
func (f *Front) Shown(r *http.Request) server.Shown {
	shown := server.Shown{From: f.from(r), Bearer: bearer(r), Passes: map[server.Role]string{}}
	for _, role := range append(server.Roles(), server.AsAdmin, server.AsKeeper) {
		if c, err := r.Cookie(cookieOf(role)); err == nil {
			shown.Passes[role] = c.Value
		}
	}
	return shown
}

// secure reports whether people come by HTTPS.
func (f *Front) secure() bool {
	return strings.HasPrefix(f.options.URL, "https://") || f.options.TLS && f.options.URL == ""
}

// cookie is a cookie as all of ours are: out of scripts' reach, and not sent along
// with other sites' requests.
func (f *Front) cookie(name, value, path string, lasts time.Duration) *http.Cookie {
	age := int(lasts.Seconds())
	if lasts <= 0 {
		age = -1 // to be forgotten
	}
	return &http.Cookie{Name: name, Value: value, Path: f.At(path), MaxAge: age, HttpOnly: true, Secure: f.secure(), SameSite: http.SameSiteLaxMode}
}

// SetCookie remembers something that is no secret, on all pages.
func (f *Front) SetCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	http.SetCookie(w, f.cookie(name, value, "/", lasts))
}

// places are where a board's cookies are sent to: its pages and its interface, and
// no other's. Those of no board are for the page that makes boards.
func places(board string) []string {
	if board == "" {
		return []string{"/"}
	}
	return []string{"/b/" + board, "/api/boards/" + board}
}

// Admit gives a pass to whoever made the request, as a cookie.
func (f *Front) Admit(w http.ResponseWriter, p server.Pass) {
	for _, path := range places(p.Identity.Board) {
		http.SetCookie(w, f.cookie(cookieOf(p.Role), p.Text, path, p.Lasts))
	}
}

// AdmitOwner gives an owner's pass, and puts its board on the list of those that the
// browser's owner has been in.
func (f *Front) AdmitOwner(w http.ResponseWriter, r *http.Request, p server.Pass) {
	f.Admit(w, p)
	f.Admit(w, f.svc.Keep(f.Shown(r), p))
}

// Leave forgets who somebody is.
func (f *Front) Leave(w http.ResponseWriter, board string) {
	for _, role := range server.Roles() {
		for _, path := range places(board) {
			http.SetCookie(w, f.cookie(cookieOf(role), "", path, 0))
		}
	}
}
