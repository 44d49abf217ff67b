package ui

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

//go:embed languages/*.json
var catalogue embed.FS

// tongue is a language that pages are written in. Its texts are those of the file of its
// tag in the folder languages, by key: an argument stands at {1}, {2} and so on, and
// the form for one is before a bar, that for other numbers behind it.
type tongue struct {
	tag  language.Tag
	name string // what it calls itself
	// one reports whether a number takes the form of one; nil: there is a single form.
	one func(n int) bool
	// grouped is from how many digits on thousands stand apart.
	grouped int
	texts   map[string][]string // by key: the form of one and that of others, or the single one
}

// tongues lists the languages, the one of strangers first.
func tongues() []tongue {
	single := func(n int) bool { return n == 1 }
	return []tongue{
		{tag: language.English, name: "English", one: single, grouped: 4},
		{tag: language.German, name: "Deutsch", one: single, grouped: 4},
		{tag: language.French, name: "Français", one: func(n int) bool { return n == 0 || n == 1 }, grouped: 4},
		{tag: language.Spanish, name: "Español", one: single, grouped: 5},
		{tag: language.Japanese, name: "日本語", grouped: 4},
	}
}

// languages are the tongues with their texts, and what finds the one that somebody
// understands best.
type languages struct {
	all   []tongue
	match language.Matcher
}

func readLanguages() (languages, error) {
	l := languages{all: tongues()}
	var tags []language.Tag
	for k, t := range l.all {
		raw, err := catalogue.ReadFile("languages/" + t.tag.String() + ".json")
		if err != nil {
			return l, fmt.Errorf("ui: %w", err)
		}
		var texts map[string]string
		if err := json.Unmarshal(raw, &texts); err != nil {
			return l, fmt.Errorf("ui: %s.json: %w", t.tag, err)
		}
		l.all[k].texts = make(map[string][]string, len(texts))
		for key, text := range texts {
			l.all[k].texts[key] = strings.Split(text, "|")
		}
		tags = append(tags, t.tag)
	}
	l.match = language.NewMatcher(tags)
	return l, nil
}

// languageCookie holds the language that somebody has chosen.
const languageCookie = "palate_language"

// of returns the language of a request: the one that was chosen, or else the best of
// those that the browser asks for.
func (l languages) of(r *http.Request) *tongue {
	chosen := ""
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	_, k := language.MatchStrings(l.match, chosen, r.Header.Get("Accept-Language"))
	return &l.all[k]
}

// Dir is the direction of its script.
func (t *tongue) Dir() string {
	script, _ := t.tag.Script()
	if slices.Contains([]string{"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"}, script.String()) {
		return "rtl"
	}
	return "ltr"
}

// say returns a text with its arguments in their places. The first whole number among
// them decides on the form.
func (t *tongue) say(key string, args ...any) string {
	forms := t.texts[key]
	if len(forms) == 0 {
		panic("ui: no text " + key) // which a test finds
	}
	text := forms[len(forms)-1]
	if k := slices.IndexFunc(args, func(x any) bool { _, whole := x.(int); return whole }); k >= 0 && len(forms) > 1 && t.one(args[k].(int)) {
		text = forms[0]
	}
	var places []string
	for k, x := range args {
		value := fmt.Sprint(x)
		if n, whole := x.(int); whole {
			value = t.count(n)
		}
		places = append(places, "{"+strconv.Itoa(k+1)+"}", isolated(value))
	}
	return strings.NewReplacer(places...).Replace(text)
}

// isolated keeps a text that is written from right to left from turning its neighbours
// around.
func isolated(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	}) {
		return "\u2068" + text + "\u2069"
	}
	return text
}
