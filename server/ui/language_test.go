package ui

import (
	"io/fs"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"palate/server"
)

func allLanguages(t *testing.T) languages {
	t.Helper()
	l, err := readLanguages()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// places are the placeholders of a text, each once.
func places(text string) []string {
	found := regexp.MustCompile(`\{[0-9]+\}`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestCatalogueIsComplete: every language has every text, with as many forms as its
// numbers take and the same placeholders in each, and no text besides.
func TestCatalogueIsComplete(t *testing.T) {
	l := allLanguages(t)
	english := l.all[0]
	for _, tongue := range l.all {
		for key, want := range english.texts {
			got := tongue.texts[key]
			forms := len(want)
			if tongue.one == nil {
				forms = 1
			}
			if len(got) != forms {
				t.Errorf("%s: %s has %d forms, not %d", tongue.tag, key, len(got), forms)
			}
			for _, text := range got {
				if text == "" || !slices.Equal(places(text), places(want[0])) {
					t.Errorf("%s: %s is %q, in English %q", tongue.tag, key, text, want[0])
				}
			}
		}
		for key := range tongue.texts {
			if english.texts[key] == nil {
				t.Errorf("%s: %s is not in English", tongue.tag, key)
			}
		}
		if months := strings.Split(tongue.say("months"), " "); len(months) != 12 {
			t.Errorf("%s: %d months", tongue.tag, len(months))
		}
	}
	files, err := fs.Glob(catalogue, "languages/*.json")
	if err != nil || len(files) != len(l.all) {
		t.Errorf("%d files of %d languages: %v", len(files), len(l.all), err)
	}
}

// TestTextsAreInTheCatalogue: templates hold no words of their own; what they say is in
// the catalogue, with as many arguments as it has places; so is what the code says, and
// nothing is in it that nobody says.
func TestTextsAreInTheCatalogue(t *testing.T) {
	english := allLanguages(t).all[0]
	said := map[string]bool{}
	sheets, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	actions, markup := regexp.MustCompile(`(?s)\{\{.*?\}\}`), regexp.MustCompile(`(?s)<[^>]*>|&[a-z#0-9]+;`)
	for _, name := range sheets {
		raw, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		trees, tree := map[string]*parse.Tree{}, parse.New(name)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(string(raw), "", "", trees); err != nil {
			t.Fatal(err)
		}
		bare := markup.ReplaceAllString(actions.ReplaceAllString(string(raw), ""), "")
		for _, word := range strings.FieldsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if !slices.Contains([]string{"Palate", "B", "U", "api", "openapi", "json", "docs"}, word) { // a name, keys and addresses
				t.Errorf("%s has the word %q", name, word)
			}
		}
		for _, tree := range trees {
			walk(tree.Root, func(c *parse.CommandNode) {
				if f, ok := c.Args[0].(*parse.IdentifierNode); !ok || f.Ident != "say" {
					return
				}
				key := c.Args[1].(*parse.StringNode).Text
				said[key] = true
				if text := english.texts[key]; text == nil || len(places(text[0])) != len(c.Args)-2 {
					t.Errorf("%s says %s with %d arguments: %q", name, key, len(c.Args)-2, text)
				}
			})
		}
	}
	sources, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls, words := regexp.MustCompile(`\.say\("([^"]*)"`), regexp.MustCompile(`"([a-z0-9-]+)"`)
	for _, name := range sources {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls.FindAllStringSubmatch(string(raw), -1) {
			if english.texts[call[1]] == nil {
				t.Errorf("%s says %s", name, call[1])
			}
		}
		for _, word := range words.FindAllStringSubmatch(string(raw), -1) {
			said[word[1]] = true
		}
	}
	for key := range english.texts {
		if !said[key] {
			t.Errorf("nobody says %s", key)
		}
	}
}

// walk visits all commands of a template.
func walk(n parse.Node, visit func(*parse.CommandNode)) {
	pipe := func(p *parse.PipeNode) {
		if p != nil {
			for _, c := range p.Cmds {
				walk(c, visit)
			}
		}
	}
	branch := func(b parse.BranchNode) {
		pipe(b.Pipe)
		walk(b.List, visit)
		if b.ElseList != nil {
			walk(b.ElseList, visit)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, m := range n.Nodes {
			walk(m, visit)
		}
	case *parse.ActionNode:
		pipe(n.Pipe)
	case *parse.TemplateNode:
		pipe(n.Pipe)
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	case *parse.CommandNode:
		visit(n)
		for _, a := range n.Args {
			if p, ok := a.(*parse.PipeNode); ok {
				pipe(p)
			}
		}
	}
}

// TestLanguageOfRequest: what was chosen goes before what the browser asks for, and
// whoever asks for none of the languages is spoken to in English.
func TestLanguageOfRequest(t *testing.T) {
	l := allLanguages(t)
	for _, c := range []struct{ chosen, accept, want string }{
		{"", "", "en"}, {"", "de-AT,de;q=0.9,en;q=0.1", "de"}, {"", "pt-BR;q=0.1,fr-CA;q=0.8,en;q=0.2", "fr"}, {"", "ja", "ja"},
		{"", "es-419", "es"}, {"", "ar", "en"}, {"", "garbage;;q=,", "en"}, {"ja", "de", "ja"}, {"xx", "de", "de"}, {"<script>", "es", "es"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", c.accept)
		if c.chosen != "" {
			r.Header.Set("Cookie", languageCookie+"="+c.chosen)
		}
		if got := l.of(r).tag.String(); got != c.want {
			t.Errorf("chosen %q, asked for %q: %s, not %s", c.chosen, c.accept, got, c.want)
		}
	}
}

// TestNumbersAndDates are written as each language does.
func TestNumbersAndDates(t *testing.T) {
	at := time.Date(2026, 5, 1, 9, 7, 0, 0, time.UTC)
	for _, c := range []struct{ tag, count, few, number, share, day, none, one, two, goal string }{
		{"en", "1,234,567", "1,234", "−1.50", "50%", "1 May 2026, 09:07 UTC", "0 votes", "1 vote", "2 votes", "The top 3 is not settled yet: 50%, where 95% is asked for."},
		{"de", "1.234.567", "1.234", "−1,50", "50\u00a0%", "1. Mai 2026, 09:07 UTC", "0 Stimmen", "1 Stimme", "2 Stimmen", "Die ersten 3 stehen noch nicht fest: 50\u00a0%, verlangt sind 95\u00a0%."},
		{"fr", "1\u202f234\u202f567", "1\u202f234", "−1,50", "50\u202f%", "1er mai 2026 à 09:07 UTC", "0 vote", "1 vote", "2 votes", "Les 3 premiers ne sont pas encore établis\u00a0: 50\u202f%, pour 95\u202f% demandés."},
		{"es", "1.234.567", "1234", "−1,50", "50\u00a0%", "1 de mayo de 2026, 09:07 UTC", "0 votos", "1 voto", "2 votos", "Los 3 primeros aún no están decididos: 50\u00a0%, se pide 95\u00a0%."},
		{"ja", "1,234,567", "1,234", "−1.50", "50%", "2026年5月1日 09:07 UTC", "投票0件", "投票1件", "投票2件", "上位3件はまだ確定していません（確度50%、目標95%）。"},
	} {
		l := allLanguages(t)
		k := slices.IndexFunc(l.all, func(x tongue) bool { return x.tag == language.MustParse(c.tag) })
		x := l.all[k]
		got := []string{x.count(1234567), x.count(1234), x.number(-1.5), x.percent(0.5), x.day(at), x.say("votes", 0), x.say("votes", 1), x.say("votes", 2), x.progress(server.Progress{Goal: "top-3", Settled: 0.5, Level: 0.95})}
		want := []string{c.count, c.few, c.number, c.share, c.day, c.none, c.one, c.two, c.goal}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.tag, got, want)
		}
		if x.Dir() != "ltr" || (&tongue{tag: language.Arabic}).Dir() != "rtl" || (&tongue{tag: language.Hebrew}).Dir() != "rtl" {
			t.Errorf("%s: direction", c.tag)
		}
		if says := x.say("is-ready", "شاي"); !strings.Contains(says, "\u2068شاي\u2069") {
			t.Errorf("%s: %q turns its neighbours around", c.tag, says)
		}
	}
}

// TestBack: a choice of language leads back to a page of ours that can be asked for.
func TestBack(t *testing.T) {
	for referer, want := range map[string]string{
		"": "/", "http://x/b/a/vote": "/b/a/vote", "http://x/b/a/board?group=a+b": "/b/a/board?group=a+b", "http://x/b/a/owner/token": "/b/a/owner",
		"http://x/boards": "/", "http://x//evil.example/": "/", "http://x/\\evil.example": "/", "javascript:alert(1)": "/", "http://evil.example": "/",
	} {
		if got := back(referer, ""); got != want {
			t.Errorf("%q leads to %q, not %q", referer, got, want)
		}
	}
	if got := back("http://x/palate/boards", "/palate"); got != "/" {
		t.Errorf("behind a prefix it leads to %q", got)
	}
}
