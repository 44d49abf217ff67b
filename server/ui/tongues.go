package ui

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// choice is a language that can be chosen.
type choice struct {
	Tag, Name string
	Chosen    bool
}

func (p *pages) choices(now *tongue) (all []choice) {
	for _, t := range p.tongues {
		all = append(all, choice{t.Tag.String(), t.Name, t.Tag == now.Tag})
	}
	return all
}

// languageStays is how long a chosen language is remembered.
const languageStays = 365 * 24 * time.Hour

// choose remembers a language, and goes back to the page it was chosen on.
func (p *pages) choose(w http.ResponseWriter, r *http.Request) error {
	for _, c := range p.choices(p.tongueOf(r)) {
		if c.Tag == r.PostFormValue("language") {
			p.front.SetCookie(w, languageCookie, c.Tag, languageStays)
		}
	}
	return to(w, r, back(r.Referer(), p.front.At("")))
}

// back is the page at which a form was, by the address that the browser tells: a page
// of ours, that can be asked for again, without the base.
func back(referer, base string) string {
	u, err := url.Parse(referer)
	if err != nil || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsAny(u.Path, "\\\r\n") {
		return "/"
	}
	page := strings.TrimPrefix((&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String(), base)
	switch before, _, below := strings.Cut(page, "/owner/"); {
	case !strings.HasPrefix(page, "/"): // the base itself
		return "/"
	case below: // the answer to a form
		return before + "/owner"
	case page == "/boards", page == "/admin":
		return "/"
	}
	return page
}
