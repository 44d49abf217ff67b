package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"palate/compare"
	"palate/internal/draw"
	"palate/model"
)

// named is a fake whose items and voters have names as people give them.
type named struct{ fake }

func (n named) ItemID(i int) string {
	return []string{
		fmt.Sprintf("a-large-language-model-v%d-instruct-preview", i), fmt.Sprintf("Tea %d", i),
		fmt.Sprintf("Essay %d about the sea, and what it was like to live beside it", i), fmt.Sprintf("Crème de la crème nº %d", i), fmt.Sprintf("%d", i),
	}[i%5]
}

func (n named) UserID(u int) string {
	return []string{fmt.Sprintf("voter-%d", u), fmt.Sprintf("anna.maria.%d@example.org", u), fmt.Sprintf("N%d", u)}[u%3]
}

// boardOf ranks the items of a fake, some of them with narrow intervals.
func boardOf(n int) *model.Board {
	var g model.BoardGroup
	for i := range n {
		s := 2.4 - 4.8*float64(i)/float64(n)
		half := 0.02 + 0.5*math.Abs(math.Sin(float64(i)))
		g.Rows = append(g.Rows, model.BoardRow{
			Rank: i + 1, Item: i, ID: named{}.ItemID(i), Score: s, SD: half / 2, Lo: s - half, Hi: s + 1.1*half,
			RankLo: max(1, i-4), RankHi: min(n, i+6), PBest: 0.6 / float64(1+i*i), Tier: 1 + 9*i/n, Votes: float64(40 + i%17),
		})
	}
	return &model.Board{Groups: []model.BoardGroup{g}, Level: 0.95, Mended: true, Draws: 4000, ESS: 4000}
}

// compared are pairs of items.
func compared() *Comparison {
	c := &Comparison{ID: named{}.ItemID, Level: 0.95}
	for i := range 30 {
		x := float64(i%7) / 5
		c.Pairs = append(c.Pairs, compare.Pair{A: i, B: i + 1, Comparable: i != 4, Better: 0.5 + x/3, Difference: x, Lo: x - 0.5, Hi: x + 0.6, Wins: 0.6, More: i % 3})
	}
	return c
}

// movesOf are changes of n items.
func movesOf(n int) *Change {
	c := &Change{Change: &compare.Change{Level: 0.95, New: []string{"a new one"}}, First: "may.csv", Second: "june.csv", Still: 0.2}
	for i := range n {
		x := math.Cos(float64(i))
		c.Moves = append(c.Moves, compare.Move{ID: named{}.ItemID(i), Before: x / 2, After: 1.5 * x, RankBefore: i + 1, RankAfter: n - i, Difference: x, Lo: x - 0.4, Hi: x + 0.4, Rose: 0.5 + x/3, Sure: i < 4})
	}
	return c
}

// broken are the boards of some categories of n items.
func broken(n, categories int) *Breakdown {
	b := &Breakdown{Breakdown: &compare.Breakdown{Overall: boardOf(n), Level: 0.95}, Columns: []string{"language"}}
	for k := range categories {
		name := fmt.Sprintf("language number %d", k)
		b.Categories = append(b.Categories, compare.Category{Name: name, Votes: 100, Board: boardOf(n)})
		for i := range n {
			b.Departures = append(b.Departures, compare.Departure{Category: name, ID: named{}.ItemID(i), Difference: math.Sin(float64(i * (k + 1))), Sure: (i+k)%11 == 0})
		}
	}
	return b
}

// sizes are the numbers of items that charts must hold at.
func sizes() []int { return []int{12, 60, 300} }

// sized makes the charts of boards of some size, by name, in a language.
func sized(t *testing.T, n int, language string) map[string]*Chart {
	f, o := named{fake{n, n}}, Options{Language: language}
	tastes := must(NewTastes(t.Context(), f))
	tastes.Language = language
	all := map[string]*Chart{}
	for _, c := range append(surveys(t, n, named{}, language),
		Leaderboard(boardOf(n), o), must(Matrix(t.Context(), f, -1, boardOf(n), o)), Voters(tastes), Loadings(tastes), Disagreement(tastes),
		must(Traits(t.Context(), mannered(f), 0.95, o)), Categories(broken(n, n/4), o), Changes(movesOf(n), o), Leads(compared(), o),
	) {
		all[c.Name] = c
	}
	if n > 12 { // the others are of no more items than that
		return all
	}
	h, parts := held(t, 100), divided{fake{n, n}, 3}
	h.Language = language
	rounds := judged(n)
	others := []*Chart{Scripts(rounds, o), Judges(rounds, o), GradeChances(rounds, o), Reliability(h), Learning(h), Dependence(dependences(5), 0.95, o), Segments(must(NewSegmentation(t.Context(), parts, 0.95, 4, 1)), o)}
	for _, s := range searches(t) {
		tuned := must(NewTuned(t.Context(), s))
		tuned.Language = language
		others = append(others, tuned.charts()...)
	}
	for _, c := range others {
		all[c.Name] = c
	}
	return all
}

// word is a label of a picture, with the room that its letters take.
type word struct {
	text string
	box
}

// words are the labels of a picture, and whether all intervals in it are drawn after their dots.
func words(t *testing.T, svg string) (all []word, whiskers bool) {
	type place struct {
		dx, dy, scale float64
		dot           bool
	}
	at := []place{{0, 0, 1, false}}
	whiskers = true
	translate, scale, rotate := regexp.MustCompile(`translate\(([-\d.]+) ([-\d.]+)\)`), regexp.MustCompile(`scale\(([-\d.]+)`), regexp.MustCompile(`rotate\(([-\d.]+)`)
	number := func(s string) float64 { x, _ := strconv.ParseFloat(s, 64); return x }
	d := xml.NewDecoder(strings.NewReader(svg))
	var open *xml.StartElement
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all, whiskers
		}
		if err != nil {
			t.Fatal(err)
		}
		here := &at[len(at)-1]
		switch e := token.(type) {
		case xml.StartElement:
			get := map[string]string{}
			for _, a := range e.Attr {
				get[a.Name.Local] = a.Value
			}
			next := place{here.dx, here.dy, here.scale, false}
			switch e.Name.Local {
			case "g":
				if m := translate.FindStringSubmatch(get["transform"]); m != nil {
					next.dx, next.dy = next.dx+next.scale*number(m[1]), next.dy+next.scale*number(m[2])
				}
				if m := scale.FindStringSubmatch(get["transform"]); m != nil && !strings.Contains(get["transform"], ") scale(") {
					next.scale *= number(m[1])
				}
			case "circle":
				here.dot = true
			case "path": // a whisker has six points
				whiskers = whiskers && (here.dot || get["fill"] != "none" || strings.Count(get["d"], "L") != 5)
			case "text":
				open = &e
			}
			at = append(at, next)
		case xml.EndElement:
			at = at[:len(at)-1]
			open = nil
		case xml.CharData:
			if open == nil {
				continue
			}
			get := map[string]string{}
			for _, a := range open.Attr {
				get[a.Name.Local] = a.Value
			}
			size := number(get["font-size"])
			// TextWidth has room for fonts that are wider than what charts are measured in.
			w := draw.TextWidth(string(e), size, get["font-weight"] != "") / 1.08
			from := -w * map[string]float64{"": 0, "middle": 0.5, "end": 1}[get["text-anchor"]]
			b := box{from, -0.7 * size, from + w, 0.1 * size}
			if rotate.MatchString(get["transform"]) {
				b = box{b.y1, -b.x2, b.y2, -b.x1}
			}
			x, y := number(get["x"]), number(get["y"])
			b = box{here.dx + here.scale*(x+b.x1), here.dy + here.scale*(y+b.y1), here.dx + here.scale*(x+b.x2), here.dy + here.scale*(y+b.y2)}
			all = append(all, word{string(e), b})
		}
	}
}

// TestChartsHold draws charts of 12, 60 and 300 items for a phone, a desk and a slide: no
// two labels meet, all are within the frame, rows are named or the picture says that they are
// not, and dots do not hide intervals.
func TestChartsHold(t *testing.T) {
	for _, n := range sizes() {
		for name, c := range sized(t, n, "") {
			pictures := map[string]string{"phone": c.SVG(350), "desk": c.SVG(1240)}
			slide := c.page(File{Width: 1280, Height: 720, Title: c.Title})
			pictures["slide"] = slide.SVG("")
			if slide.Width != 1280 || slide.Height != 720 {
				t.Errorf("%s of %d: a slide of %v by %v", name, n, slide.Width, slide.Height)
			}
			for on, svg := range pictures {
				where := fmt.Sprintf("%s of %d on a %s", name, n, on)
				all := apart(t, where, svg, map[string]float64{"phone": 350, "desk": 1240, "slide": 1280}[on])
				if missing := c.unnamed(all, n); missing != "" {
					t.Errorf("%s: %s", where, missing)
				}
			}
		}
	}
}

// TestChartsHoldInEveryLanguage does so with words that are longer than English ones.
func TestChartsHoldInEveryLanguage(t *testing.T) {
	for _, language := range Languages()[1:] {
		for name, c := range sized(t, sizes()[0], language) {
			for _, width := range []float64{390, 900} {
				where := fmt.Sprintf("%s in %s at %v", name, language, width)
				apart(t, where, c.page(File{Width: width, Title: c.Title}).SVG(""), width)
			}
		}
	}
}

// apart finds labels of a picture that meet, or are not within the frame, and dots that hide
// intervals.
func apart(t *testing.T, where, svg string, width float64) []word {
	t.Helper()
	all, whiskers := words(t, svg)
	if !whiskers {
		t.Errorf("%s: an interval is drawn before its dot", where)
	}
	slices.SortFunc(all, func(a, b word) int { return int(1000 * (a.y1 - b.y1)) })
	faults := 0
	for i, a := range all {
		if (a.x1 < -1 || a.x2 > width+1) && faults < 5 {
			t.Errorf("%s: %q is from %.1f to %.1f", where, a.text, a.x1, a.x2)
			faults++
		}
		for _, b := range all[i+1:] {
			if b.y1 > a.y2 {
				break
			}
			if a.meets(b.box) && faults < 5 {
				t.Errorf("%s: %q meets %q", where, a.text, b.text)
				faults++
			}
		}
	}
	return all
}

// unnamed says which rows of a chart have no name, and no word of it.
func (c *Chart) unnamed(all []word, n int) string {
	var text strings.Builder
	for _, w := range all {
		text.WriteString(w.text + " ")
	}
	said := text.String()
	ranks := 0
	for _, w := range all {
		if _, err := strconv.Atoi(w.text); err == nil {
			ranks++
		}
	}
	switch c.Name {
	case "leaderboard":
		for i := range n {
			// What a name differs in is its number.
			if !strings.Contains(said, strconv.Itoa(i)) {
				return fmt.Sprintf("no name of item %d", i)
			}
		}
		if ranks < n {
			return fmt.Sprintf("%d ranks", ranks)
		}
	case "matrix":
		if blocks := strings.Contains(said, "in blocks of"); n > matrixOwn && !blocks {
			return "no word of blocks"
		}
	case "disagreement":
		if !strings.Contains(said, "There is room for") && strings.Count(said, "vot")+strings.Count(said, "anna")+strings.Count(" "+said, " N") < min(n, disagreeVoters) {
			return "voters without names"
		}
	}
	return ""
}
