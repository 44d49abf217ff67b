package tune

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"palate"
	"palate/internal/heed"
)

// liking is a utility over a space, with a top inside.
func liking(s *Space, x Point) (v float64) {
	for k, f := range s.Features(x) {
		v -= 8 * (f - 0.3 - 0.05*float64(k)) * (f - 0.3 - 0.05*float64(k))
	}
	return v
}

// judge answers a question by liking, with noise, ties and now and then nothing.
func judge(s *Space, q Question, rng *rand.Rand) Duel {
	d := Duel{Left: q.Left, Right: q.Right}
	gap := liking(s, q.Left) - liking(s, q.Right) + 0.3*rng.NormFloat64()
	switch {
	case rng.IntN(20) == 0:
		d.Answer = palate.Skip
	case math.Abs(gap) < 0.1:
		d.Answer = palate.Tie
	case gap < 0:
		d.Answer = palate.Right
	}
	return d
}

// play asks and answers n questions more.
func play(t testing.TB, s *Search, policy Policy, n int) {
	t.Helper()
	for range n {
		list, err := s.Next(t.Context(), policy, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Tell(judge(s.Space, list[0], rand.New(rand.NewPCG(5, uint64(len(s.Log.Duels))))))
	}
}

// written is a search as its file has it.
func written(t testing.TB, s *Search) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Space.WriteLog(&b, s.Log); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// cup is a small space.
const cup = `{"parameters": [{"name": "gain", "from": 0.1, "to": 10, "scale": "log"}, {"name": "milk", "choices": ["none", "oat", "cow"]}], "forbidden": [{"milk": "cow", "gain": [1, 10]}]}`

// TestResumed: a search that is read from its file and goes on asks and says what one that
// was not interrupted does, bit for bit; so does one that took an answer back.
func TestResumed(t *testing.T) {
	for text, policies := range map[string][]Policy{cup: Policies(), blend: {EUBO}} {
		s := space(t, text)
		for _, policy := range policies {
			whole := NewSearch(s, &Log{Seed: 7})
			play(t, whole, policy, s.fillers()+3)
			parts := NewSearch(s, &Log{Seed: 7})
			for _, n := range []int{0, 2, s.fillers() - 1, 2} {
				log, err := s.ReadLog("log", strings.NewReader(written(t, parts)))
				if err != nil {
					t.Fatal(err)
				}
				parts = NewSearch(s, log)
				play(t, parts, policy, n)
			}
			if a, b := written(t, whole), written(t, parts); a != b {
				t.Errorf("%v: interrupted\n%s\nwhole\n%s", policy, b, a)
			}
			if policy != EUBO { // what is said does not depend on it
				continue
			}
			play(t, parts, policy, 1)
			parts.Undo()
			a, err1 := whole.Standing(t.Context(), nil)
			b, err2 := parts.Standing(t.Context(), nil)
			if err1 != nil || err2 != nil || a.Regret != b.Regret || a.Over != b.Over || a.Best[0] != b.Best[0] {
				t.Errorf("%v: whole %+v %v, interrupted %+v %v", policy, a, err1, b, err2)
			}
			other := NewSearch(s, &Log{Seed: 8})
			play(t, other, policy, 4)
			if strings.HasPrefix(strings.SplitN(written(t, whole), "\n", 3)[2], strings.SplitN(written(t, other), "\n", 3)[2]) {
				t.Errorf("%v: another seed asks the same", policy)
			}
		}
	}
}

// TestSlopes: derivatives of what is believed and of what is climbed are those of
// differences.
func TestSlopes(t *testing.T) {
	s := space(t, espresso)
	search := NewSearch(s, &Log{Seed: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		search.Tell(judge(s, Question{s.Sample(rng), s.Sample(rng)}, rng))
	}
	b, err := search.Belief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := b.draws[0]
	other := s.Features(s.Sample(rng))
	for name, of := range map[string]objective{
		"better":  b.better,
		"mean":    b.mean,
		"against": b.against(other),
		"posterior": func(f, grad [][]float64) float64 {
			if grad == nil {
				x, y, v := g.difference(g.pair(), f[0], f[1], false)
				return 0.7*x - 0.4*y + 0.2*v
			}
			p := g.pair()
			x, y, v := g.difference(p, f[0], f[1], true)
			g.climb(p, grad[0], grad[1], 0.7, -0.4, 0.2)
			return 0.7*x - 0.4*y + 0.2*v
		},
	} {
		for range 5 {
			f := [][]float64{s.Features(s.Sample(rng)), s.Features(s.Sample(rng))}
			grad := [][]float64{make([]float64, s.features), make([]float64, s.features)}
			of(f, grad)
			for i := range f {
				if i == 1 && (name == "mean" || name == "against") {
					continue
				}
				for k := range f[i] {
					const h = 1e-4
					at := func(by float64) float64 {
						old := f[i][k]
						f[i][k] += by
						v := of(f, nil)
						f[i][k] = old
						return v
					}
					slope := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
					if math.Abs(slope-grad[i][k]) > 1e-6*(1+math.Abs(slope)) {
						t.Errorf("%s: point %d, feature %d: %.9g, differences have %.9g", name, i, k, grad[i][k], slope)
					}
				}
			}
		}
	}
}

// TestReadByMany: what is believed may be read from several places at once.
func TestReadByMany(t *testing.T) {
	s := box(t, 2)
	search := NewSearch(s, &Log{Seed: 1})
	play(t, search, Random, 6)
	b, err := search.Belief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := b.compare(Point{0.1, 0.2}, Point{0.7, 0.5})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if c := b.compare(Point{0.1, 0.2}, Point{0.7, 0.5}); c != want {
					t.Errorf("%+v, alone %+v", c, want)
				}
			}
		})
	}
	all.Wait()
}

// TestClimbStaysInside: wherever something is climbed, 10,000 times in all, it ends in the
// space, no lower than it began.
func TestClimbStaysInside(t *testing.T) {
	all := spaces(t)
	for name, s := range all {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 10_000 / 2 / len(all) {
			top, bend := make([]float64, s.features), make([]float64, s.features)
			for k := range top {
				top[k], bend[k] = 3*rng.NormFloat64(), rng.NormFloat64()
			}
			of := func(f, grad [][]float64) (v float64) {
				for i := range f {
					for k, x := range f[i] {
						v += top[k]*x - bend[k]*bend[k]*x*x*float64(1+i)
						if grad != nil {
							grad[i][k] += top[k] - 2*bend[k]*bend[k]*x*float64(1+i)
						}
					}
				}
				return v
			}
			c := climber{s, of, climbSteps}
			start := []Point{s.Sample(rng), s.Sample(rng)}
			end := c.climb(start)
			for _, x := range end.points {
				inside(t, name, s, x)
			}
			if end.value < c.at(start).value {
				t.Fatalf("%s: climbed from %g to %g", name, c.at(start).value, end.value)
			}
		}
	}
}

// TestQuestionsAreInside: so are questions, of every policy, and batches of them differ.
func TestQuestionsAreInside(t *testing.T) {
	if testing.Short() {
		t.Skip("many searches")
	}
	for name, s := range spaces(t) {
		for _, policy := range Policies() {
			search := NewSearch(s, &Log{Seed: 3})
			play(t, search, Random, s.fillers()-2)
			for range 3 {
				list, err := search.Next(t.Context(), policy, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range list {
					inside(t, name, s, q.Left)
					inside(t, name, s, q.Right)
				}
				search.Tell(judge(s, list[0], rand.New(rand.NewPCG(1, uint64(len(search.Log.Duels))))))
			}
		}
	}
}

// TestFindsTheTop: a few duels find most of what there is to find.
func TestFindsTheTop(t *testing.T) {
	s := box(t, 3)
	search := NewSearch(s, &Log{Seed: 1})
	play(t, search, EUBO, 25)
	st, err := search.Standing(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if lack := -liking(s, st.Best); lack > 0.15 {
		t.Errorf("%s lacks %.3f of the top", s.Describe(st.Best), lack)
	}
	if st.Over.Better < 0.9 || st.Over.Gain.Lo > st.Over.Gain.Mean || st.Over.Gain.Mean > st.Over.Gain.Hi || st.Over.Wins > st.Over.Better {
		t.Errorf("over the first point: %+v", st.Over)
	}
	if st.Regret < 0 || st.Ideal < 0.5 {
		t.Errorf("regret %g, ideal wins %g", st.Regret, st.Ideal)
	}
}

// TestImportance: what does not matter has little importance, and what matters most has most.
func TestImportance(t *testing.T) {
	s := box(t, 3)
	search := NewSearch(s, &Log{Seed: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		d := Duel{Left: s.Sample(rng), Right: s.Sample(rng)}
		if 8*(d.Right[0]-d.Left[0])+5*(d.Right[1]-d.Left[1]) > 0.3*rng.NormFloat64() {
			d.Answer = palate.Right
		}
		search.Tell(d)
	}
	st, err := search.Standing(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := st.Importance
	if i[0].Mean < 0.5 || i[1].Mean < 0.1 || i[2].Mean > 0.1 || i[1].Lo < i[2].Mean {
		t.Errorf("importance %+v", i)
	}
}

// TestTies: "no difference" is data: points that tie are believed to be nearer than before, and
// what was skipped says nothing.
func TestTies(t *testing.T) {
	s := box(t, 1)
	far := func(answers ...palate.Outcome) float64 {
		search := NewSearch(s, &Log{Seed: 1})
		for _, a := range answers {
			search.Tell(Duel{Left: Point{0.2}, Right: Point{0.8}, Answer: a})
		}
		c, err := search.Compare(t.Context(), Point{0.2}, Point{0.8})
		if err != nil {
			t.Fatal(err)
		}
		return c.Gain.Hi - c.Gain.Lo
	}
	tie, skip := palate.Tie, palate.Skip
	if ties, none := far(tie, tie, tie, tie), far(skip, skip, skip, skip); ties >= none/2 {
		t.Errorf("90 %% of the difference is %.3f wide after ties, %.3f before", ties, none)
	}
}

// TestBadLogs: whatever is wrong with a log is said with its line, and nothing is lost.
func TestBadLogs(t *testing.T) {
	s := box(t, 2)
	search := NewSearch(s, &Log{Seed: 1})
	play(t, search, Random, 2)
	head := strings.SplitAfter(written(t, search), "\n")[0]
	for _, bad := range []struct{ text, want string }{
		{"hello\n", "line 1: the first line is not"},
		{strings.Replace(head, "0 to 1", "0 to 2", 1), `line 1: the space has changed since these duels: where there was "x0: 0 to 2" is now "x0: 0 to 1"; the duels stay as they are`},
		{strings.Replace(head, `","x1: 0 to 1`, "", 1), `where there was "nothing" is now "x1: 0 to 1"`},
		{head + "{}", "line 2: left: a point is an object"},
		{head + "nonsense", "line 2: not an answer"},
		{head + `{"left": {"x0": 0, "x1": 1}, "right": {"x0": 0, "x1": 1.5}, "answer": "left"}`, "line 2: right: x1 is 1.5, outside 0 to 1"},
		{head + `{"left": {"x0": 0, "x1": 1}, "right": {"x0": 0, "y": 1}, "answer": "left"}`, "line 2: right: there is no value of x1"},
		{head + `{"left": {"x0": 0, "x1": 1}, "right": {"x0": 0, "x1": 1}, "answer": "yes"}`, `line 2: the answer is "yes", and may be`},
		{head + `{"left": {"x0": 0, "x1": 1}, "right": {"x0": 0, "x1": 1}, "winner": "left"}`, `unknown field "winner"`},
		{head + `{"left": {"x0": 0, "x1": 1}, "right": {"x0": 0, "x1": 1}, "answer": "left", "voter": ""}`, "line 2: the voter has no name"},
		{head + `{"points": [{"x0": 0, "x1": 1}], "answer": 1}`, "line 2: a choice is among two points or more, and here are 1"},
		{head + `{"points": [{"x0": 0, "x1": 1}, {"x0": 0, "x1": 2}, {"x0": 1, "x1": 1}], "answer": 1}`, "line 2: point 2: x1 is 2, outside 0 to 1"},
		{head + `{"points": [{"x0": 0, "x1": 1}, {"x0": 0, "x1": 0}, {"x0": 1, "x1": 1}], "answer": 4}`, `line 2: the answer is 4, and may be the place of a point, 1 to 3, or "skip"`},
		{head + `{"points": [{"x0": 0, "x1": 1}, {"x0": 0, "x1": 0}], "answer": "left"}`, `line 2: the answer is "left", and may be the place`},
		{head + `{"points": [{"x0": 0, "x1": 1}, {"x0": 0, "x1": 0}], "best": 1}`, `not a choice: unknown field "best"`},
		{head + `{"point": {"x0": 0, "x1": 1}}`, "line 2: there is no value of the point"},
		{head + `{"point": {"x0": 0, "x1": 1}, "value": "good"}`, `line 2: not a number: "value" is a string, and should be a number`},
		{head + `{"point": {"x0": 0, "x1": 1}, "value": 1e999}`, `line 2: not a number: "value" is 1e999, which is too large`},
		{head + `[1]`, "line 2: not an answer: it is an array, and should be an object"},
		{head + `{"point": {"x0": 0, "x1": 3}, "value": 1}`, "line 2: point: x1 is 3, outside"},
	} {
		_, err := s.ReadLog("duels", strings.NewReader(bad.text))
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s\n%v, want %q", bad.text, err, bad.want)
		}
	}
}

// TestContexts: what takes long stops when its context ends.
func TestContexts(t *testing.T) {
	s := box(t, 2)
	made := NewSearch(s, &Log{Seed: 1})
	play(t, made, Random, 8)
	fresh := func() *Search { return NewSearch(s, made.Log) }
	all := map[string]func(context.Context) error{
		"Search.Belief":   func(ctx context.Context) error { _, err := fresh().Belief(ctx); return err },
		"Search.Best":     func(ctx context.Context) error { _, err := fresh().Best(ctx); return err },
		"Search.Path":     func(ctx context.Context) error { _, err := fresh().Path(ctx, 3); return err },
		"Search.Standing": func(ctx context.Context) error { _, err := fresh().Standing(ctx, nil); return err },
		"Search.Compare": func(ctx context.Context) error {
			_, err := fresh().Compare(ctx, Point{0, 0}, Point{1, 1})
			return err
		},
	}
	for _, p := range Policies() {
		all["Search.Next "+p.String()] = func(ctx context.Context) error { _, err := fresh().Next(ctx, p, 1); return err }
	}
	all["Search.Choice"] = func(ctx context.Context) error { _, err := fresh().Choice(ctx, 3); return err }
	all["Search.People"] = func(ctx context.Context) error { _, err := fresh().People(ctx, Point{0, 0}); return err }
	all["Search.Next"] = all["Search.Next eubo"]
	all["Search.Beside"] = func(ctx context.Context) error { _, err := fresh().Beside(ctx, EUBO, 1); return err }
	hard := "a=0..1\nb=0..1\nc=0..1\nd=0..9:1\na + b + c = 1\na - b >= 0.2\nd - 9*a >= 3"
	all["ParseSpace"] = func(ctx context.Context) error { _, err := ParseSpace(ctx, "", hard, nil); return err }
	all["ReadSpace"] = func(ctx context.Context) error {
		_, err := ReadSpace(ctx, "", strings.NewReader(blend))
		return err
	}
	all["NewSpace"] = func(ctx context.Context) error { _, err := NewSpace(ctx, s.Parameters, nil, nil); return err }
	heed.Law(t, all)
}
