package report

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/evaluate"
	"palate/explain"
	"palate/internal/declared"
	"palate/judging"
	"palate/model"
)

// fake prefers items with small numbers; its voters like items whose numbers
// differ from theirs by a multiple of three, or, less, of five.
type fake struct{ n, users int }

func (f fake) NumItems() int                                                          { return f.n }
func (f fake) ItemID(i int) string                                                    { return strings.Repeat("§", 1+i%7) + strconv.Itoa(i) }
func (f fake) Prefer(_, a, b int) float64                                             { return 0.5 + 0.4*float64(b-a)/float64(f.n) }
func (f fake) Draws(context.Context, int, int, *rand.Rand) (d model.Draws, err error) { return d, nil }
func (f fake) Votes() []float64                                                       { return make([]float64, f.n) }
func (f fake) Name() string                                                           { return "fake" }
func (f fake) NumUsers() int                                                          { return f.users }
func (f fake) UserID(u int) string                                                    { return "№ <" + strconv.Itoa(u) + ">" }
func (f fake) Comparable(a, b int) bool                                               { return true }
func (f fake) Fit() model.Fit                                                         { return model.Fit{} }
func (f fake) Reads() model.Reads                                                     { return 0 }
func (f fake) Encoders() (items, users []byte)                                        { return nil, nil }
func (f fake) Save(context.Context, io.Writer) error                                  { return nil }
func (f fake) Item(string) (int, error)                                               { return 0, nil }
func (f fake) User(string) (int, error)                                               { return 0, nil }

func (f fake) Extend([]string, *mat.Dense) (model.Model, error) { return f, nil }

func (f fake) Groups() [][]int {
	all := make([]int, f.n)
	for i := range all {
		all[i] = i
	}
	return [][]int{all}
}

func (f fake) Utility(u, i int) (mean, variance float64) {
	mean = -float64(i)
	if u >= 0 && (u-i)%3 == 0 {
		mean += 1.5
	}
	if u >= 0 && (u-i)%5 == 0 {
		mean += 0.5
	}
	return mean, 1
}

// mannered is a model whose voters vote each in their own way.
type mannered struct{ fake }

func (m mannered) Traits(ctx context.Context, _ float64) ([]model.Trait, error) {
	sides, care := model.Trait{Name: "left side", Says: "what it is worth"}, model.Trait{Name: "reliability", Says: "how careful they are", Usual: 1}
	for u := range m.users {
		x := float64(u%7-3) / 4
		sides.Of = append(sides.Of, model.Estimate{Voter: m.UserID(u), Value: x, Lo: x - 0.5, Hi: x + 0.3})
		care.Of = append(care.Of, model.Estimate{Voter: m.UserID(u), Value: 1 + x/2, Lo: 0.2, Hi: 1.8})
	}
	return []model.Trait{sides, care}, ctx.Err()
}

// divided is a model whose voters come in segments.
type divided struct {
	fake
	segments int
}

func (d divided) Segmentation(ctx context.Context) (*model.Segmentation, error) {
	s := &model.Segmentation{Chances: make([]float64, d.segments)}
	s.Chances[0], s.Chances[d.segments-1] = 0.1, 0.9
	for k := range d.segments {
		seg := model.Segment{Share: 1 / float64(d.segments)}
		for i := range d.n {
			x := math.Sin(float64(i + 2*k))
			seg.Score, seg.SD, seg.More, seg.MoreSD = append(seg.Score, x), append(seg.SD, 0.2), append(seg.More, x/2), append(seg.MoreSD, 0.2)
		}
		s.Segments = append(s.Segments, seg)
	}
	for u := range d.users {
		s.Member = append(s.Member, make([]float64, d.segments))
		s.Member[u][u%d.segments] = 1
	}
	return s, ctx.Err()
}

func (d divided) Stability(ctx context.Context, _ *model.Segmentation, resamples int, _ uint64) (*model.Stability, error) {
	s := &model.Stability{Resamples: resamples, Kept: make([]float64, d.users)}
	for r := range resamples {
		s.Rand = append(s.Rand, 0.3+0.1*float64(r%3))
	}
	return s, ctx.Err()
}

// must returns what cannot fail.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// dependences are those of numbers and words in turn.
func dependences(features int) (all []*explain.Dependence) {
	for j := range features {
		d := &explain.Dependence{Feature: explain.Feature{Name: "№ <" + strconv.Itoa(j) + ">", Kind: "number"}, Importance: explain.Estimate{Value: 0.4, Lo: 0.1, Hi: 0.6}, Matters: 0.97}
		if j%2 == 1 {
			d.Feature.Kind, d.Feature.Categories = "category", []string{"1", "2", "3"}
		}
		for k := range 3 + 9*(1-j%2) {
			x := math.Sin(float64(j+k) / 3)
			text := "№ " + strconv.Itoa(k)
			switch j % 4 {
			case 1:
				text = []string{"1", "other", "none of these"}[k]
			case 3:
				d.Feature.Kind, d.Feature.Categories, text = "boolean", nil, []string{"no", "yes"}[k%2]
			}
			d.At = append(d.At, explain.Setting{Label: text, Value: float64(k), Weight: 0.1})
			d.Effect = append(d.Effect, explain.Estimate{Value: x, Lo: x - 0.5, Hi: x + 0.4})
		}
		all = append(all, d)
	}
	return all
}

// charts makes every chart of every example, in a language.
func charts(t *testing.T, language string) map[string]*Chart {
	all, o := map[string]*Chart{}, Options{Language: language}
	for name, e := range examples() {
		all["leaderboard/"+name] = Leaderboard(e.board, e.options)
		all["matrix/"+name] = must(Matrix(t.Context(), fake{10, 0}, -1, e.board, o))
	}
	for name, f := range map[string]fake{"few": {4, 3}, "many": {70, 130}} {
		tastes := must(NewTastes(t.Context(), f))
		tastes.Language = language
		all["voters/"+name], all["factors/"+name], all["disagreement/"+name] = Voters(tastes), Loadings(tastes), Disagreement(tastes)
	}
	for name, size := range map[string][2]int{"few": {2, 2}, "many": {70, 90}} {
		course := &model.Trajectories{Level: 0.95, Unit: "month"}
		for t := range size[1] {
			course.Labels = append(course.Labels, fmt.Sprintf("20%02d-%02d", t/12, 1+t%12))
		}
		for i := range size[0] {
			p := model.Path{Item: i, ID: fake{}.ItemID(i)}
			for t := range size[1] {
				x := math.Sin(float64(i+t) / 9)
				p.Score, p.Lo, p.Hi = append(p.Score, x), append(p.Lo, x-0.3), append(p.Hi, x+0.4)
			}
			course.Items = append(course.Items, p)
		}
		all["course/"+name] = Trajectories(course, o)
	}
	for name, d := range map[string]divided{"few": {fake{4, 9}, 2}, "many": {fake{40, 0}, 8}} {
		all["segments/"+name] = Segments(must(NewSegmentation(t.Context(), d, 0.95, 4, 1)), o)
	}
	tastes := must(NewTastes(t.Context(), divided{fake{7, 20}, 3}))
	tastes.Language = language
	all["voters/in segments"] = Voters(tastes)
	for name, features := range map[string]int{"few": 2, "many": 13} {
		all["dependence/"+name] = Dependence(dependences(features), 0.95, o)
	}
	for name, voters := range map[string]int{"few": 4, "many": 60} {
		all["traits/"+name] = must(Traits(t.Context(), mannered{fake{3, voters}}, 0.95, o))
	}
	all["categories/few"], all["changes/few"], all["leads/few"] = Categories(broken(9, 2), o), Changes(movesOf(9), Options{Elo: true, Language: language}), Leads(compared(), o)
	for name, n := range map[string]int{"few": 5, "many": 70} {
		for _, c := range surveys(t, n, fake{}, language) {
			all[c.Name+"/"+name] = c
		}
	}
	for name, n := range map[string]int{"few": 5, "many": 120} {
		j := judged(n)
		all["scripts/"+name], all["judges/"+name], all["grades/"+name] = Scripts(j, o), Judges(j, o), GradeChances(j, o)
	}
	for name, n := range map[string]int{"few": 12, "many": 400} {
		h := held(t, n)
		h.Language = language
		all["reliability/"+name], all["learning/"+name] = Reliability(h), Learning(h)
	}
	for name, s := range searches(t) {
		tuned := must(NewTuned(t.Context(), s))
		tuned.Language = language
		for _, c := range tuned.charts() {
			all[c.Name+"/"+name] = c
		}
	}
	return all
}

// judged makes up judgements of n items, on the scale of anchors where these are many.
func judged(n int) *Judging {
	j := &Judging{Judging: &judging.Judging{Votes: 900, SD: 2, RMSE: 0.5, Reliability: 0.9, SplitHalf: 0.8, Splits: 20, JudgeLimit: 1.3, ItemLimit: 1.4}, Posterior: 0.85, Grades: []string{"1", "2", "3"}}
	for i := range n {
		x := math.Sin(float64(i))
		fit := judging.Fit{Votes: 20, Infit: 1 + x/2, Outfit: 1 + x, Misfit: x > 0.8}
		j.Items = append(j.Items, judging.Item{Item: i, ID: fake{}.ItemID(i), Score: 3 - 6*float64(i)/float64(n), SE: 0.3, Won: 9.5, Fit: fit})
		j.Judges = append(j.Judges, judging.Judge{User: i, ID: fake{}.UserID(i), Fit: fit})
		j.Chances = append(j.Chances, []float64{0.7, 0.25, 0.05})
	}
	if n > 100 {
		j.Link, j.Equated = &judging.Link{}, func(item int) (score, sd float64) { return 50 - float64(item), 4 }
	}
	return j
}

// held makes up votes, and holds them out.
func held(t *testing.T, n int) *Held {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Items: 4, Votes: n, Ties: 0.1})
	if err != nil {
		panic(err)
	}
	folds, err := evaluate.Split(d, nil)
	if err != nil {
		panic(err)
	}
	r, err := evaluate.Run(context.Background(), d, folds, evaluate.Yardsticks(), &evaluate.Options{Resamples: 20})
	if err != nil {
		panic(err)
	}
	return &Held{Parts: 5, Result: r, Lessons: []Lesson{{10, r.Scores[0]}, {200, r.Scores[1]}, {1e6, r.Scores[2]}}}
}

// TestChartsAreComplete counts the kinds of chart that there are.
func TestChartsAreComplete(t *testing.T) {
	kinds := map[string]bool{}
	for _, c := range charts(t, "") {
		kinds[c.Name] = true
	}
	if all := declared.Returning(t, "Chart"); len(all) != len(kinds) || len(all) < 7 {
		t.Errorf("charts() has %d kinds, the package makes %v", len(kinds), all)
	}
}

// notFinite finds numbers that cannot be drawn.
var notFinite = regexp.MustCompile(`\b(NaN|Inf)\b`)

// TestCharts draws all charts in all forms and widths, and holds them to words
// for those who cannot see them.
func TestCharts(t *testing.T) {
	for name, c := range charts(t, "") {
		if c.Title == "" || c.Alt == "" || c.Note == "" || !strings.HasPrefix(name, c.Name) {
			t.Errorf("%s: title %q, alt %q, note %q", name, c.Title, c.Alt, c.Note)
		}
		for _, row := range c.Rows {
			if len(row) != len(c.Head) {
				t.Errorf("%s: %d cells below %d headings", name, len(row), len(c.Head))
			}
		}
		for _, width := range []float64{0, 350, 920} {
			if s := c.SVG(width); !strings.HasPrefix(s, "<svg") || notFinite.MatchString(s) {
				t.Errorf("%s at %v: %.200s", name, width, s)
			}
		}
		for _, f := range Formats() {
			for _, theme := range Themes() {
				if f != "svg" && theme == "dark" || f == "pdf" && !strings.HasSuffix(name, "few") {
					continue // draw's own tests see to that
				}
				var out bytes.Buffer
				err := c.Write(&out, File{Format: f, Theme: theme, Width: 390})
				if adapts := theme != "auto" || f == "svg"; (err == nil) != adapts {
					t.Errorf("%s as %s, %s: %v", name, f, theme, err)
				}
				if err == nil && f == "png" {
					if img, err := png.Decode(&out); err != nil || img.Bounds().Dx() != 780 {
						t.Errorf("%s: %v, %v", name, img.Bounds(), err)
					}
				}
			}
		}
	}
}

func TestBadFile(t *testing.T) {
	c := charts(t, "")["matrix/plain"]
	for _, f := range []File{{Format: "gif"}, {Format: "svg", Theme: "pink"}, {Format: "png", Width: 10}, {Format: "png", Width: 1e5}} {
		if err := c.Write(&bytes.Buffer{}, f); err == nil {
			t.Errorf("%+v was written", f)
		}
	}
}

// TestMatrixRows finds a pair and its reverse adding up to a hundred.
func TestMatrixRows(t *testing.T) {
	c := charts(t, "")["matrix/groups"]
	for i, row := range c.Rows {
		for j := range c.Rows {
			a, b := row[j+1], c.Rows[j][i+1]
			if (a == "") != (b == "") || i == j && a != "" {
				t.Errorf("%d against %d: %q and %q", i, j, a, b)
			}
			if i < 5 && j >= 5 && a != "" {
				t.Errorf("%d and %d are in different groups, but compared: %s", i, j, a)
			}
		}
	}
}

// TestTastes puts the factors together again.
func TestTastes(t *testing.T) {
	f := fake{12, 30}
	tastes := must(NewTastes(t.Context(), f))
	var share float64
	for _, k := range tastes.Factors {
		share += k.Share
		var square float64
		for _, w := range k.Weight {
			square += w * w / float64(len(k.Weight))
		}
		if math.Abs(square-1) > 1e-9 {
			t.Errorf("mean square of the weights is %v", square)
		}
	}
	if math.Abs(share-1) > 1e-6 {
		t.Errorf("shares add up to %v", share)
	}
	for u := range f.users {
		for i := range f.n {
			var x float64
			for _, k := range tastes.Factors {
				x += k.Weight[u] * k.Loading[i]
			}
			if math.Abs(x-tastes.Departure.At(u, i)) > 1e-6 {
				t.Fatalf("voter %d, item %d: %v, want %v", u, i, x, tastes.Departure.At(u, i))
			}
		}
		if sum := mat.Sum(tastes.Departure.RowView(u)); math.Abs(sum) > 1e-9 {
			t.Errorf("voter %d departs by %v on the average", u, sum)
		}
	}
	if tastes.Learnt {
		t.Error("factors of a model that has none")
	}
	if must(NewTastes(t.Context(), fake{12, 0})) != nil {
		t.Error("tastes without voters")
	}
}

// TestTastesOfCrowd finds the factors that a crowd model has, up to their scale.
func TestTastesOfCrowd(t *testing.T) {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Model: "crowd", Items: 12, Users: 40, Votes: 3000, Factors: 2, Taste: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitCrowd(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	tastes := must(NewTastes(t.Context(), m))
	if !tastes.Learnt {
		t.Fatalf("%d factors, none of the model", len(tastes.Factors))
	}
	for k, c := range m.Factors()[:2] {
		f := tastes.Factors[k]
		for u := range d.NumUsers() {
			a, b := f.Loading[3]-f.Loading[5], c.Items[3]-c.Items[5]
			if got, want := f.Weight[u]*a, c.Weights[u]*b; math.Abs(got-want) > 1e-9 {
				t.Fatalf("factor %d moves voter %d by %v, want %v", k, u, got, want)
			}
		}
	}
}

// TestHTML holds pages to one file, whole charts and words for what is missing,
// and to a megabyte with 100 items and 500 voters.
func TestHTML(t *testing.T) {
	for name, e := range examples() {
		p := &Page{Paper: Paper{Title: "<votes> & " + name}, Model: fake{10, 0}, User: -1, Board: e.board, Options: e.options, NotHeld: TooFewVotes}
		var out bytes.Buffer
		if err := HTML(t.Context(), &out, p); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"&lt;votes&gt; &amp; ", "too few votes", "one utility for all voters", `<figure id="leaderboard">`, `<figure id="matrix">`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(out.String(), "ZgotmplZ") {
			t.Errorf("%s: the template refused something", name)
		}
	}
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("a name of some length %d", i))
	}
	p := &Page{
		Paper: Paper{Title: "large"}, Model: fake{100, 500}, User: -1, Held: held(t, 100),
		Board: &model.Board{Groups: []model.BoardGroup{group(make([]int, 100), ids...)}, Level: 0.95},
	}
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, p); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"leaderboard", "matrix", "reliability", "learning", "voters", "factors", "disagreement"} {
		if !strings.Contains(out.String(), `<figure id="`+name+`">`) {
			t.Errorf("no %s", name)
		}
	}
	if out.Len() > 1e6 {
		t.Errorf("%d bytes", out.Len())
	}
	t.Logf("%d bytes", out.Len())
}
