package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/language"

	"palate/compare"
	"palate/infer"
	"palate/internal/declared"
	"palate/internal/phrases"
	"palate/model"
	"palate/tune"
)

// foreign is a language in which no letter is Latin.
const foreign = "qaa"

// speakForeign adds it to the languages while a test runs.
func speakForeign(t *testing.T) {
	all := phrases.All
	phrases.All = func() []*phrases.Tongue {
		return append(slices.Clone(all()), all()[0].Changed(language.MustParse(foreign), func(text string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) {
					return 'λ'
				}
				return r
			}, text)
		}))
	}
	t.Cleanup(func() { phrases.All = all })
}

// anonym names things without letters.
func anonym(i int) string { return "№" + strconv.Itoa(i) }

// anonymous are the boards, changes, pairs and categories of charts, all their names without letters.
func anonymous() (*model.Board, *Change, *Comparison, *Breakdown) {
	hide := func(b *model.Board) *model.Board {
		for i := range b.Groups[0].Rows {
			b.Groups[0].Rows[i].ID = anonym(i)
		}
		return b
	}
	board := hide(boardOf(9))
	board.Mended = false
	second, last := group([]int{1, 1}, "1", "2"), group([]int{1}, "3")
	board.Groups = append(board.Groups, second, last)
	moves, pairs, per := movesOf(9), compared(), broken(9, 3)
	moves.First, moves.Second, moves.New, moves.Gone = "1", "2", []string{"3"}, []string{"4"}
	for i := range moves.Moves {
		moves.Moves[i].ID = anonym(i)
	}
	pairs.ID = anonym
	per.Columns, per.Overall = []string{"1"}, hide(per.Overall)
	for k := range per.Categories {
		per.Categories[k].Name, per.Categories[k].Board = anonym(k), hide(per.Categories[k].Board)
	}
	for k := range per.Departures {
		per.Departures[k].Category, per.Departures[k].ID = anonym(k/9), anonym(k%9)
	}
	return board, moves, pairs, per
}

// tunings are searches whose parameters and voters have names without letters.
func tunings(t *testing.T) (all []*Tuned) {
	for _, s := range searches(t) {
		for _, voter := range append([]string{""}, s.Log.Voters()...) {
			s.Voter = voter
			one := must(NewTuned(t.Context(), s))
			one.Language = foreign
			space := *one.Space
			space.Parameters = slices.Clone(space.Parameters)
			for j := range space.Parameters {
				p := &space.Parameters[j]
				p.Name, p.Words = anonym(j), slices.Clone(p.Words)
				for k := range p.Words {
					p.Words[k] = anonym(k)
				}
			}
			one.Space, one.voter = &space, strings.Map(func(r rune) rune { return '1' }, voter)
			for k := range one.People {
				one.People[k].Voter = anonym(k)
			}
			all = append(all, one)
			if voter != "" {
				break
			}
		}
	}
	return all
}

// latin finds a word in Latin letters among what is seen of a page or a picture, of names of the
// program apart.
func latin(markup string, names ...string) string {
	for _, hidden := range []string{`(?s)<style>.*?</style>`, `(?s)<script>.*?</script>`, `(?s)<code>.*?</code>`, `<td colspan="2" lang="en">[^<]*`} {
		markup = regexp.MustCompile(hidden).ReplaceAllString(markup, "")
	}
	var seen strings.Builder
	for _, said := range regexp.MustCompile(`(?:aria-label|alt|title|data-[a-z]+)="([^"]*)"`).FindAllStringSubmatch(markup, -1) {
		seen.WriteString(said[1] + "\n")
	}
	seen.WriteString(regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(markup, "\n"))
	for line := range strings.Lines(html.UnescapeString(seen.String())) {
		for _, word := range regexp.MustCompile(`\p{Latin}+`).FindAllString(line, -1) {
			if !slices.Contains(names, word) {
				return fmt.Sprintf("%q in %.120q", word, strings.TrimSpace(line))
			}
		}
	}
	return ""
}

// TestChartsSpeakOneLanguage draws every chart in a language of other letters, with data that has no
// letters: what is left of Latin ones is not of the catalogue.
func TestChartsSpeakOneLanguage(t *testing.T) {
	speakForeign(t)
	o := Options{Language: foreign}
	board, moves, pairs, per := anonymous()
	all := charts(t, foreign)
	for name := range all { // made anew below
		if slices.Contains([]string{"leaderboard", "matrix", "categories", "changes", "leads", "slices", "plane", "path", "importance", "people"}, strings.Split(name, "/")[0]) {
			delete(all, name)
		}
	}
	for k, c := range []*Chart{Leaderboard(board, o), must(Matrix(t.Context(), fake{10, 0}, -1, board, o)), Categories(per, o), Changes(moves, o), Leads(pairs, o)} {
		all[fmt.Sprint(c.Name, k)] = c
	}
	for k, s := range tunings(t) {
		for _, c := range s.charts() {
			all[fmt.Sprint(c.Name, k)] = c
		}
	}
	kinds := map[string]bool{}
	for name, c := range all {
		kinds[c.Name] = true
		text := strings.Join(append([]string{c.Title, c.Alt, c.Note}, c.Head...), "\n")
		for _, row := range c.Rows {
			text += "\n" + strings.Join(row, "\n")
		}
		text += c.SVG(350)
		if !strings.HasSuffix(name, "many") { // which say no other words
			text += c.SVG(900) + c.page(File{Width: 1280, Height: 720, Title: c.Title}).SVG("")
		}
		if word := latin(text, "bt", "glicko"); word != "" {
			t.Errorf("%s has the word %s", name, word)
		}
	}
	if made := declared.Returning(t, "Chart"); len(made) != len(kinds) {
		t.Errorf("%d kinds of charts were looked at, of %v", len(kinds), made)
	}
}

// TestPagesSpeakOneLanguage does the same with pages.
func TestPagesSpeakOneLanguage(t *testing.T) {
	speakForeign(t)
	board, moves, pairs, per := anonymous()
	gain := 9.0
	fit := Fit{Model: "single", Rule: "EP", Form: "about people", Items: 9, Features: 2, Votes: 57, Counted: true, Ties: 6, Voters: 3, Segments: []float64{0.3, 0.6, 0.1}, Gain: &gain, Objective: -31.2, Effects: []model.Effect{
		{Name: "left", Mean: 0.1, SD: 0.1}, {Name: "1", Property: "1", Unit: 0.5}, {Name: "2", Property: "2", Level: "3", Against: "4"},
		{Name: "3", Property: "3", Unit: 0.5, OfVote: true}, {Name: "4", Property: "4", Level: "5", Against: "6", OfVote: true},
	}}
	o := Options{Language: foreign, Fit: &fit}
	write := map[string]func(io.Writer) error{}
	models := map[string]model.Model{"none": fake{9, 0}, "same": fake{1, 3}, "voters": fake{9, 20}, "manners": mannered{fake{9, 5}}, "segments": divided{fake{9, 9}, 2}}
	for name, m := range models {
		for k, kind := range []string{infer.LogEvidence.String(), infer.LowerBound.String(), infer.LaplaceEvidence.String(), "log score of votes as foreseen"} {
			p := &Page{Paper: Paper{Title: "1"}, Model: m, User: -1, Board: board, Options: o, Per: per, NotHeld: NotHeld(k + 1), Sections: []string{"leaderboard", "shares", "categories", "reliability", "voters", "segments", "traits"}}
			one := fit
			one.Kind, p.Options.Fit = kind, &one
			switch k {
			case 1:
				one.Per = []string{"1"}
			case 2:
				coined := *board
				coined.Coins = 0.3
				one.Gain, p.Board = new(float64), &coined
			case 3:
				p.NotHeld, p.Board = NotAsked, &model.Board{}
			}
			write[name+" "+kind] = func(w io.Writer) error { return HTML(t.Context(), w, p) }
		}
	}
	h := held(t, 100)
	write["held"] = func(w io.Writer) error {
		return HTML(t.Context(), w, &Page{Paper: Paper{Title: "1"}, Model: fake{9, 3}, User: 1, Board: board, Options: o, Held: h, Sections: []string{"reliability", "learning"}})
	}
	write["moves"] = func(w io.Writer) error { return ComparedHTML(t.Context(), w, Paper{Title: "1"}, moves, nil, o) }
	write["pairs"] = func(w io.Writer) error { return ComparedHTML(t.Context(), w, Paper{Title: "1"}, nil, pairs, o) }
	write["pair"] = func(w io.Writer) error {
		return ComparedHTML(t.Context(), w, Paper{Title: "1"}, nil, &Comparison{Pairs: []compare.Pair{pairs.Pairs[0]}, ID: anonym, Level: 0.9}, o)
	}
	write["judged"] = func(w io.Writer) error { return JudgingHTML(t.Context(), w, Paper{Title: "1"}, judged(5), o) }
	for k, s := range tunings(t) {
		for _, enough := range []bool{false, true} {
			one := *s
			standing := *s.Standing
			standing.Enough, one.Standing = enough, &standing
			one.People = slices.Clone(s.People)
			for i := range one.People {
				one.People[i].Over = tune.Comparison{Better: 0.99, Gain: tune.Interval{Mean: 1, Lo: 0.5, Hi: 1.5}}
			}
			write[fmt.Sprint("tuned ", k, enough)] = func(w io.Writer) error { return TunedHTML(t.Context(), w, Paper{Title: "1"}, &one) }
		}
	}
	for name, page := range write {
		var out bytes.Buffer
		if err := page(&out); err != nil {
			t.Fatal(err)
		}
		if word := latin(out.String(), "Palate", "fake", "single", "probit", "EP", "bt", "glicko"); word != "" {
			t.Errorf("%s has the word %s", name, word)
		}
	}
}
