package web

import (
	"net/http"

	"palate/server"
)

const flowCookie = "palate_login"

// Callback is where the identity provider sends people back to, a page that calls
// EndSSO.
const Callback = "/sso/callback"

// BeginSSO sends a voter to the identity provider; the answer comes back to Callback.
func (f *Front) BeginSSO(w http.ResponseWriter, r *http.Request, board string) error {
	login, err := f.svc.BeginSSO(r.Context(), board, f.Address(r)+Callback)
	if err != nil {
		return err
	}
	http.SetCookie(w, f.cookie(flowCookie, login.Text, Callback, login.Lasts))
	http.Redirect(w, r, login.Address, http.StatusSeeOther)
	return nil
}

// EndSSO takes the identity provider's answer: the pass of the voter, which is theirs
// when they say so.
func (f *Front) EndSSO(w http.ResponseWriter, r *http.Request) (server.Pass, error) {
	q := r.URL.Query()
	back := server.Return{State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error")}
	if c, err := r.Cookie(flowCookie); err == nil {
		back.Login = c.Value
		http.SetCookie(w, f.cookie(flowCookie, "", Callback, 0))
	}
	return f.svc.EndSSO(r.Context(), back, f.Address(r)+Callback)
}
