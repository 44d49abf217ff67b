package server

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"palate"
	"palate/ingest"
	"palate/internal/testdb"
	"palate/model"
	"palate/store"
)

// say answers a question about several items for whom a lower number is better, nearly
// always.
func say(q Question, rng *rand.Rand) Answer {
	a := Answer{Question: q.Token}
	drawn := map[string]float64{}
	var order []string
	for _, i := range q.Items {
		drawn[i.ID] = 0.5*float64(i.Number) + math.Sqrt2/2*rng.NormFloat64()
		order = append(order, i.ID)
	}
	slices.SortFunc(order, func(a, b string) int {
		if drawn[a] < drawn[b] {
			return -1
		}
		return 1
	})
	switch q.Way {
	case store.Choice:
		a.Best = order[0]
	case store.BestWorst:
		a.Best, a.Worst = order[0], order[len(order)-1]
	case store.Ranking:
		a.Order = order
	}
	return a
}

// castSets answers n questions of a voter, a tenth of them by a skip.
func castSets(t *testing.T, s *Service, board, voter string, n int, rng *rand.Rand) (told int) {
	t.Helper()
	for ; told < n; told++ {
		q, err := s.Ask(t.Context(), board, voter)
		if errors.Is(err, ErrDone) {
			return told
		}
		if err != nil {
			t.Fatal(err)
		}
		a := say(q, rng)
		if rng.IntN(10) == 0 {
			a = Answer{Question: q.Token, Outcome: palate.Skip, Reason: "hard"}
		}
		if _, err := s.Tell(t.Context(), board, voter, a); err != nil {
			t.Fatal(err)
		}
	}
	return told
}

// asSets is a board of n items that asks in a way, four at a time.
func asSets(t *testing.T, s *Service, way store.Way, n int) string {
	t.Helper()
	return makeBoard(t, s, NewBoard{Items: lines(n), Settings: store.Settings{Ask: way, Size: 4}}).Board.ID
}

// utilities are those of a model by identifier.
func utilities(m model.Predictor, n int, id func(int) string) map[string][2]float64 {
	all := map[string][2]float64{}
	for i := range n {
		mean, v := m.Utility(-1, i)
		all[id(i)] = [2]float64{mean, v}
	}
	return all
}

func near(t *testing.T, what string, got, want map[string][2]float64) {
	t.Helper()
	for id, w := range want {
		if g := got[id]; math.Abs(g[0]-w[0]) > 1e-6 || math.Abs(g[1]-w[1]) > 1e-6 {
			t.Errorf("%s: %s is %g ± %g, want %g ± %g", what, id, g[0], g[1], w[0], w[1])
		}
	}
}

// TestSets: on a board of every way an answer is one vote, whatever database: the fit is that
// of answers as such, an export read again gives the same fit, by the library and on another
// board, and so does a restart.
func TestSets(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		for _, way := range store.Ways()[1:] {
			t.Run(kind+"/"+string(way), func(t *testing.T) { roundSets(t, open, way) })
		}
	}
}

func roundSets(t *testing.T, open func() store.Store, way store.Way) {
	ctx, st := t.Context(), open()
	s := startOn(t, st, Options{Poll: 20 * time.Millisecond})
	b := asSets(t, s, way, 8)
	rng := rand.New(rand.NewPCG(1, uint64(len(way))))
	told := 0
	for v := range 4 {
		told += castSets(t, s, b, voterNamed(t, s, b, fmt.Sprint(v)), 5, rng)
	}
	was := settle(t, s, b)
	if len(was.records) != told || was.fit.Fit().Votes == 0 {
		t.Fatalf("%d records of %d answers", len(was.records), told)
	}
	want := utilities(was.fit, 8, func(i int) string { return fmt.Sprintf("i%d", i) })
	if want["i0"][0] < want["i7"][0] {
		t.Errorf("the worst is above the best: %v", want)
	}
	for _, format := range []string{"csv", "jsonl"} {
		file := exported(t, s, b, ExportOptions{Format: format})
		build := palate.NewBuilder()
		if _, err := ingest.Votes(ctx, "votes."+format, strings.NewReader(file), build, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
		fit, err := model.FitSingle(ctx, must(build.Build()), &model.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		near(t, format, utilities(fit, fit.NumItems(), fit.ItemID), want)
		if format == "jsonl" {
			continue
		}
		again := asSets(t, s, way, 8)
		i, err := s.Import(ctx, again, "owner", "votes.csv", strings.NewReader(file), store.ImportSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if i = await(t, s, i); i.Added != told {
			t.Errorf("%d answers were told, %d imported: %s", told, i.Added, i.Says)
		}
		l := settle(t, s, again)
		near(t, "imported", utilities(l.fit, 8, func(i int) string { return fmt.Sprintf("i%d", i) }), want)
		if back := exported(t, s, again, ExportOptions{}); strings.Count(back, "\n") != strings.Count(file, "\n") {
			t.Errorf("%d rows were exported, %d of what was imported", strings.Count(file, "\n"), strings.Count(back, "\n"))
		}
	}
	other := startOn(t, open(), Options{Seed: 3})
	equal(t, "restarted", was, settle(t, other, b), 1e-6)
}

// TestSetsWithoutItems: of an item that is out the rest of an answer counts on, and when one
// is left of it nothing does.
func TestSetsWithoutItems(t *testing.T) {
	s, _ := start(t, Options{})
	ctx, b := t.Context(), asSets(t, s, store.Ranking, 5)
	ann := voterNamed(t, s, b, "ann")
	for k, a := range []Answer{{Order: []string{"i0", "i1", "i2", "i3"}}, {Items: []string{"i4", "i1", "i2"}, Best: "i4"}} {
		a.Key = fmt.Sprint(k)
		if _, err := s.Tell(ctx, b, ann, a); err != nil {
			t.Fatal(err)
		}
	}
	count := func(out string, want int) {
		t.Helper()
		if err := s.ExcludeItem(ctx, b, "owner", out, "out"); err != nil {
			t.Fatal(err)
		}
		l := settle(t, s, b)
		if d := must(l.moment().dataset(nil)); d.NumVotes() != want {
			t.Errorf("without %s %d votes count, want %d", out, d.NumVotes(), want)
		}
	}
	count("i4", 6) // all pairs of the ranking, and nothing of a choice without what was chosen
	count("i2", 3)
	checks, err := s.Trust(ctx, b)
	if err != nil || !slices.ContainsFunc(checks, func(c Check) bool { return c.Name == "first" && c.Counts[1] == 1 }) {
		t.Errorf("checks %+v, %v", checks, err)
	}
}

// TestAnswersOfSets: what is no answer to the question is refused, and changes nothing; the
// answer is taken once, taken back it is asked again, and a voter is asked until every pair
// was shown.
func TestAnswersOfSets(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	for _, way := range store.Ways()[1:] {
		b := asSets(t, s, way, 6)
		ann, bob := voterNamed(t, s, b, "ann"), voterNamed(t, s, b, "bob")
		q := must(s.Ask(ctx, b, ann))
		if q.Way != way || len(q.Items) != 4 {
			t.Fatalf("%s: asked %s about %d", way, q.Way, len(q.Items))
		}
		var in []string
		for _, i := range q.Items {
			in = append(in, i.ID)
		}
		out := "i0"
		for slices.Contains(in, out) {
			out = fmt.Sprintf("i%d", rand.IntN(6))
		}
		for name, c := range map[string]struct {
			a    Answer
			ways []store.Way // in which it is wrong
			why  AnswerFault
		}{
			"nothing":            {Answer{}, nil, Incomplete},
			"a side":             {Answer{Outcome: palate.Right}, nil, OtherWay},
			"not asked":          {Answer{Best: out}, []store.Way{store.Choice}, NotAsked},
			"no item":            {Answer{Best: "' OR 1=1"}, []store.Way{store.Choice}, NotAsked},
			"two of one":         {Answer{Best: in[0], Worst: in[1]}, []store.Way{store.Choice, store.Ranking}, OtherWay},
			"best is worst":      {Answer{Best: in[0], Worst: in[0]}, []store.Way{store.BestWorst}, BestIsLast},
			"no worst":           {Answer{Best: in[0]}, []store.Way{store.BestWorst}, Incomplete},
			"worst is not asked": {Answer{Best: in[0], Worst: out}, []store.Way{store.BestWorst}, NotAsked},
			"too few":            {Answer{Order: in[:3]}, []store.Way{store.Ranking}, Incomplete},
			"twice":              {Answer{Order: []string{in[0], in[1], in[2], in[0]}}, []store.Way{store.Ranking}, NamedTwice},
			"too many":           {Answer{Order: append(slices.Clone(in), out)}, []store.Way{store.Ranking}, NotAsked},
			"a ranking":          {Answer{Order: in}, []store.Way{store.Choice, store.BestWorst}, OtherWay},
		} {
			if c.ways != nil && !slices.Contains(c.ways, way) {
				continue
			}
			c.a.Question = q.Token
			_, err := s.Tell(ctx, b, ann, c.a)
			var bad *BadAnswer
			if !errors.As(err, &bad) || bad.Why != c.why || !errors.Is(err, ErrInvalid) {
				t.Errorf("%s, %s: %v", way, name, err)
			}
		}
		good := say(q, rand.New(rand.NewPCG(1, 1)))
		if _, err := s.Tell(ctx, b, bob, good); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: another's question: %v", way, err)
		}
		first := must(s.Tell(ctx, b, ann, good))
		if again := must(s.Tell(ctx, b, ann, good)); !first.Fresh || again.Fresh || again.Seq != first.Seq || again.Votes != 1 {
			t.Errorf("%s: told twice: %+v, %+v", way, first, again)
		}
		if _, err := s.Undo(ctx, b, ann); err != nil {
			t.Fatal(err)
		}
		if back := must(s.Ask(ctx, b, ann)); fmt.Sprint(back.Items) != fmt.Sprint(q.Items) || back.Votes != 0 {
			t.Errorf("%s: after an undo of %v: %v", way, q.Items, back.Items)
		}
		if n := castSets(t, s, b, ann, 20, rand.New(rand.NewPCG(2, 2))); n < 3 || n > 15 {
			t.Errorf("%s: %d sets of 4 of 6 items", way, n)
		}
		records := must(s.Records(ctx, b, ann))
		if r := records[len(records)-1]; !r.Undone || r.Way != way || len(r.Items) != 4 || len(slices.Concat(r.Places...)) != 4 {
			t.Errorf("%s: the first record: %+v", way, r)
		}
		l := must(s.board(ctx, b))
		if n := len(l.seen(ann)); n != 15 {
			t.Errorf("%s: %d of 15 pairs were shown", way, n)
		}
		told, _, err := s.hookNews(ctx, store.Webhook{Board: b, Events: []string{HookVote}})
		if e := told.Events[0]; err != nil || e.Ask != string(way) || len(e.Items) != 4 || len(slices.Concat(e.Places...)) != 4 || e.Left != "" || told.Events[1].Undoes != first.Seq {
			t.Errorf("%s: webhooks are told %+v, %v", way, told.Events[:2], err)
		}
		if err := s.Erase(ctx, b, ann); err != nil {
			t.Fatal(err)
		}
		if left := must(s.Records(ctx, b, ann)); len(left) != 0 {
			t.Errorf("%s: erased: %+v", way, left)
		}
	}
}

// TestAskChanges: an owner who changes how voters are asked has them asked so at once; what is
// out of bounds is refused.
func TestAskChanges(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(4)}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	ask := func(way store.Way, size int) Question {
		t.Helper()
		if err := s.SetSettings(ctx, b, "owner", store.Settings{Ask: way, Size: size}); err != nil {
			t.Fatal(err)
		}
		q := must(s.Ask(ctx, b, ann))
		if again := must(s.Ask(ctx, b, ann)); again.Token != q.Token {
			t.Errorf("%s: asked again, another question", way)
		}
		return q
	}
	if q := ask(store.Pairs, 7); q.Way != store.Pairs || q.Items != nil {
		t.Errorf("a pair is %+v", q)
	}
	if q := ask(store.Choice, 3); q.Way != store.Choice || len(q.Items) != 3 {
		t.Errorf("a choice of three is %+v", q)
	}
	old := ask(store.Ranking, 8) // of four there are no eight
	if old.Way != store.Ranking || len(old.Items) != 4 {
		t.Errorf("a ranking is %+v", old)
	}
	for _, out := range []string{"i0", "i1"} {
		if err := s.ExcludeItem(ctx, b, "owner", out, "out"); err != nil {
			t.Fatal(err)
		}
	}
	if q := must(s.Ask(ctx, b, ann)); q.Way != store.Pairs {
		t.Errorf("of two items: %+v", q)
	}
	if _, err := s.Tell(ctx, b, ann, say(old, rand.New(rand.NewPCG(1, 1)))); !errors.Is(err, ErrStale) {
		t.Errorf("a question that is not open any more: %v", err)
	}
	for _, bad := range []store.Settings{{Ask: store.Choice, Size: 2}, {Ask: store.Choice, Size: 9}, {Ask: "tied"}, {Ask: "guess"}} {
		if err := s.SetSettings(ctx, b, "owner", bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestSetsOfFiles: an answer of a file is one vote where it says what one can; else its pairs
// are votes of their own.
func TestSetsOfFiles(t *testing.T) {
	s, _ := start(t, Options{})
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"ranking":    {"user,ranking\nann,i2>i0>i1\n", []string{"ranking i2 i0 i1"}},
		"ties":       {"user,ranking\nann,i2>i0=i1\n", []string{"tied i2 i0,i1"}},
		"choice":     {"user,items,chosen\nann,i0|i1|i2|i3,i3\n", []string{"choice i3 i0,i1,i2"}},
		"best-worst": {"user,items,best,worst\nann,i0|i1|i2|i3,i3,i0\n", []string{"best-worst i3 i1,i2 i0"}},
		"two":        {"user,ranking\nann,i2>i0\n", []string{"i2 i0 left"}},
		"beside":     {"user,left,right,winner,ballot\nann,i0,i1,left,x\nann,i1,i2,right,\nann,i0,i2,left,x\n", []string{"choice i0 i1,i2", "i1 i2 right"}},
		"not whole":  {"user,left,right,winner,ballot\nann,i0,i1,left,x\nann,i2,i3,left,x\n", []string{"i0 i1 left", "i2 i3 left"}},
		"circle":     {"user,left,right,winner,ballot\nann,i0,i1,left,x\nann,i1,i2,left,x\nann,i2,i0,left,x\n", []string{"i0 i1 left", "i1 i2 left", "i2 i0 left"}},
		"skipped":    {"user,left,right,winner,ballot\nann,i0,i1,skip,x\nann,i0,i2,skip,x\n", []string{"ranking"}},
	} {
		b := makeBoard(t, s, NewBoard{Items: lines(4)}).Board.ID
		i, err := s.Import(t.Context(), b, "owner", "votes.csv", strings.NewReader(c.file), store.ImportSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if i = await(t, s, i); i.State != store.Finished {
			t.Fatalf("%s: %+v", name, i)
		}
		var got []string
		for _, r := range must(s.Records(t.Context(), b, voterNamed(t, s, b, "ann"))) {
			text := string(r.Way)
			for _, place := range r.Places {
				text += " " + strings.Join(place, ",")
			}
			if r.Way == store.Pairs {
				text = r.Left + " " + r.Right + " " + r.Outcome.String()
			}
			got = append(got, text)
		}
		slices.Reverse(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
