package web

import (
	"net/http"

	"palate/server"
)

const (
	flowCookie = "palate_login"
	callback   = "/sso/callback"
)

// BeginSSO sends a voter to the identity provider; the answer comes back to
// /sso/callback, which Handler serves, and leads on to /b/BOARD.
func (f *Front) BeginSSO(w http.ResponseWriter, r *http.Request, board string) error {
	login, err := f.svc.BeginSSO(r.Context(), board, f.Address(r)+callback)
	if err != nil {
		return err
	}
	http.SetCookie(w, f.cookie(flowCookie, login.Text, callback, login.Lasts))
	http.Redirect(w, r, login.Address, http.StatusSeeOther)
	return nil
}

// endSSO takes the identity provider's answer.
func (f *Front) endSSO(w http.ResponseWriter, r *http.Request) (board string, err error) {
	q := r.URL.Query()
	back := server.Return{State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error")}
	if c, err := r.Cookie(flowCookie); err == nil {
		back.Login = c.Value
		http.SetCookie(w, f.cookie(flowCookie, "", callback, 0))
	}
	pass, err := f.svc.EndSSO(r.Context(), back, f.Address(r)+callback)
	if err != nil {
		return "", err
	}
	f.Admit(w, pass)
	return pass.Identity.Board, nil
}
