package ui

import (
	"net/http"

	"palate/internal/phrases"
)

// tongue is a language that pages are written in.
type tongue struct{ *phrases.Tongue }

func tongues() (all []*tongue) {
	for _, t := range phrases.All() {
		all = append(all, &tongue{t})
	}
	return all
}

// languageCookie holds the language that somebody has chosen.
const languageCookie = "palate_language"

// tongueOf returns the language of a request: the one that was chosen, or else the best of
// those that the browser asks for.
func (p *pages) tongueOf(r *http.Request) *tongue {
	chosen := ""
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	best := phrases.Match(chosen, r.Header.Get("Accept-Language"))
	for _, t := range p.tongues {
		if t.Tongue == best {
			return t
		}
	}
	return p.tongues[0]
}
