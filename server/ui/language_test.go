package ui

import (
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"unicode"

	"palate/internal/phrases"
	"palate/server"
)

// english are the texts of the catalogue in English, by key.
func english(t *testing.T) (texts map[string]string) {
	t.Helper()
	raw, err := os.ReadFile("../../internal/phrases/languages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// places are the placeholders of a text, each once.
func places(text string) []string {
	found := regexp.MustCompile(`\{[0-9]+\}`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestTextsAreInTheCatalogue: templates hold no words of their own; what they say is in
// the catalogue, with as many arguments as it has places; so is what the code says, and
// nothing is in it that nobody says.
func TestTextsAreInTheCatalogue(t *testing.T) {
	english := english(t)
	said := map[string]bool{}
	sheets, err := fs.Glob(os.DirFS("."), "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	sheets = append(sheets, "../../report/page.html")
	actions, markup := regexp.MustCompile(`(?s)\{\{.*?\}\}`), regexp.MustCompile(`(?s)<[^>]*>|&[a-z#0-9]+;`)
	for _, name := range sheets {
		raw, err := os.ReadFile(name)
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
				if text := english[key]; text == "" || len(places(text)) != len(c.Args)-2 {
					t.Errorf("%s says %s with %d arguments: %q", name, key, len(c.Args)-2, text)
				}
			})
		}
	}
	var sources []string
	for _, folder := range []string{".", "../../internal/phrases", "../../report"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	calls, words := regexp.MustCompile(`\.[sS]ay\("([^"]*)"`), regexp.MustCompile(`"([a-z0-9-]+)"`)
	for _, name := range sources {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls.FindAllStringSubmatch(string(raw), -1) {
			if english[call[1]] == "" {
				t.Errorf("%s says %s", name, call[1])
			}
		}
		for _, word := range words.FindAllStringSubmatch(string(raw), -1) {
			said[word[1]] = true
		}
	}
	for key := range english {
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
	p := &pages{tongues: tongues()}
	for _, c := range []struct{ chosen, accept, want string }{
		{"", "", "en"}, {"", "de-AT,de;q=0.9,en;q=0.1", "de"}, {"", "pt-BR;q=0.1,fr-CA;q=0.8,en;q=0.2", "fr"}, {"", "ja", "ja"},
		{"", "es-419", "es"}, {"", "ar", "en"}, {"", "garbage;;q=,", "en"}, {"ja", "de", "ja"}, {"xx", "de", "de"}, {"<script>", "es", "es"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", c.accept)
		if c.chosen != "" {
			r.Header.Set("Cookie", languageCookie+"="+c.chosen)
		}
		if got := p.tongueOf(r).Tag.String(); got != c.want {
			t.Errorf("chosen %q, asked for %q: %s, not %s", c.chosen, c.accept, got, c.want)
		}
	}
}

// TestGoals are said in each language.
func TestGoals(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "The top 3 is not settled yet: 50%, where 95% is asked for.",
		"de": "Die ersten 3 stehen noch nicht fest: 50\u00a0%, verlangt sind 95\u00a0%.",
		"fr": "Les 3 premiers ne sont pas encore établis\u00a0: 50\u202f%, pour 95\u202f% demandés.",
		"es": "Los 3 primeros aún no están decididos: 50\u00a0%, se pide 95\u00a0%.",
		"ja": "上位3件はまだ確定していません（確度50%、目標95%）。",
	} {
		x := tongue{phrases.Of(tag)}
		if got := x.progress(server.Progress{Goal: "top-3", Settled: 0.5, Level: 0.95}); got != want {
			t.Errorf("%s: %s, not %s", tag, got, want)
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
