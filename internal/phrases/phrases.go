// Package phrases holds what pages and reports say, in every language that they are
// written in.
//
// The texts of a language are in the file of its tag in the folder languages, by key: an
// argument stands at {1}, {2} and so on, and the form for one is before a bar, that for
// other numbers behind it. A new language is a file and a row in [All].
package phrases

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
)

//go:embed languages/*.json
var catalogue embed.FS

// Tongue is a language that pages are written in.
type Tongue struct {
	Tag  language.Tag
	Name string // what it calls itself
	// one reports whether a number takes the form of one; nil: there is a single form.
	one func(n int) bool
	// grouped is from how many digits on thousands stand apart.
	grouped int
	texts   map[string][]string // by key: the form of one and that of others, or the single one
}

// All are the languages, the one of strangers first.
var All = sync.OnceValue(func() []*Tongue {
	single := func(n int) bool { return n == 1 }
	all := []*Tongue{
		{Tag: language.English, Name: "English", one: single, grouped: 4},
		{Tag: language.German, Name: "Deutsch", one: single, grouped: 4},
		{Tag: language.French, Name: "Français", one: func(n int) bool { return n == 0 || n == 1 }, grouped: 4},
		{Tag: language.Spanish, Name: "Español", one: single, grouped: 5},
		{Tag: language.Japanese, Name: "日本語", grouped: 4},
	}
	for _, t := range all {
		if err := t.read(); err != nil {
			panic(err) // the texts are part of the program
		}
	}
	return all
})

func (t *Tongue) read() error {
	raw, err := catalogue.ReadFile("languages/" + t.Tag.String() + ".json")
	if err != nil {
		return fmt.Errorf("phrases: %w", err)
	}
	var texts map[string]string
	if err := json.Unmarshal(raw, &texts); err != nil {
		return fmt.Errorf("phrases: %s.json: %w", t.Tag, err)
	}
	t.texts = make(map[string][]string, len(texts))
	for key, text := range texts {
		t.texts[key] = strings.Split(text, "|")
	}
	return nil
}

var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, t := range All() {
		tags = append(tags, t.Tag)
	}
	return language.NewMatcher(tags)
})

// Match returns the language that somebody understands best, by what is preferred, the
// first of which go before the others; each is a tag or a list of them as browsers send it.
func Match(preferred ...string) *Tongue {
	_, k := language.MatchStrings(matcher(), preferred...)
	return All()[k]
}

// Of returns the language of a tag, English for none; nil when there is no such language.
func Of(tag string) *Tongue {
	if tag == "" {
		return All()[0]
	}
	if k := slices.Index(Tags(), tag); k >= 0 {
		return All()[k]
	}
	return nil
}

// Tags are the tags of the languages.
func Tags() (tags []string) {
	for _, t := range All() {
		tags = append(tags, t.Tag.String())
	}
	return tags
}

// Changed returns a language of another tag whose texts are changed: in one of other letters,
// words that are not of the catalogue are seen.
func (t *Tongue) Changed(tag language.Tag, change func(text string) string) *Tongue {
	other := *t
	other.Tag, other.texts = tag, map[string][]string{}
	for key, forms := range t.texts {
		for _, text := range forms {
			other.texts[key] = append(other.texts[key], change(text))
		}
	}
	return &other
}

// Dir is the direction of its script.
func (t *Tongue) Dir() string {
	script, _ := t.Tag.Script()
	if slices.Contains([]string{"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"}, script.String()) {
		return "rtl"
	}
	return "ltr"
}

// Say returns a text with its arguments in their places. The first whole number among
// them decides on the form.
func (t *Tongue) Say(key string, args ...any) string {
	forms := t.texts[key]
	if len(forms) == 0 {
		panic("phrases: no text " + key) // which a test finds
	}
	text := forms[len(forms)-1]
	if k := slices.IndexFunc(args, func(x any) bool { _, whole := x.(int); return whole }); k >= 0 && len(forms) > 1 && t.one(args[k].(int)) {
		text = forms[0]
	}
	var places []string
	for k, x := range args {
		value := fmt.Sprint(x)
		if n, whole := x.(int); whole {
			value = t.Count(n)
		}
		places = append(places, "{"+strconv.Itoa(k+1)+"}", Isolated(value))
	}
	return strings.NewReplacer(places...).Replace(text)
}

// Isolated keeps a text that is written from right to left from turning its neighbours
// around.
func Isolated(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	}) {
		return "\u2068" + text + "\u2069"
	}
	return text
}
