package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"palate"
	"palate/internal/testdb"
	"palate/store"
	"palate/tune"
)

// espresso is a space in which 19.5 grams in 31 seconds are liked best.
const espresso = `{"parameters": [{"name": "dose", "from": 14, "to": 22}, {"name": "time", "from": 20, "to": 40}, {"name": "milk", "choices": ["none", "oat & soy"]}],
 "constraints": ["dose + time <= 58"], "start": {"dose": 16, "time": 27, "milk": "none"}}`

func liked(i store.Item) float64 {
	x := i.Features
	return -(x[0]-19.5)*(x[0]-19.5) - (x[1]-31)*(x[1]-31)/9 - x[2]
}

// answerDuels answers n questions of a voter.
func answerDuels(t *testing.T, s *Service, board, voter string, n int) {
	t.Helper()
	for range n {
		q, err := s.Ask(t.Context(), board, voter)
		if err != nil {
			t.Fatal(err)
		}
		o := palate.Left
		if liked(q.Right) > liked(q.Left) {
			o = palate.Right
		}
		if _, err := s.Tell(t.Context(), board, voter, Answer{Question: q.Token, Outcome: o}); err != nil {
			t.Fatal(err)
		}
	}
}

// duelsOf exports the answers of a board of a space.
func duelsOf(t *testing.T, s *Service, board string) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Export(t.Context(), board, &out, ExportOptions{Format: Duels}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// nameless is a file of duels without its voters, who have other pseudonyms on every board.
func nameless(file string) string {
	return regexp.MustCompile(`, "voter": "[^"]*"`).ReplaceAllString(file, "")
}

// bestOf is where a board of a space stands once it is fitted.
func bestOf(t *testing.T, s *Service, board string) *tune.Standing {
	t.Helper()
	settle(t, s, board)
	o, err := s.Best(t.Context(), board, View{})
	if err != nil {
		t.Fatal(err)
	}
	return o.Standing
}

// TestSpace plays a board of a space on two servers of one database: what it says is what
// `palate tune` says of its export, after undo, exclusion, deletion, import and a restart, too.
func TestSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			ctx := t.Context()
			a, b := startOn(t, open(), Options{Poll: 5 * time.Millisecond, Duty: 0.01}), startOn(t, open(), Options{Poll: 5 * time.Millisecond, Seed: 2, Duty: 0.01})
			id := makeBoard(t, a, NewBoard{Title: "Espresso", Space: &store.Space{Text: espresso, URL: "https://example.org/{milk}?d={dose}&t={time}", Seed: 3}}).Board.ID
			ann, bob := voterNamed(t, a, id, "ann"), voterNamed(t, a, id, "bob")
			space, err := tune.ParseSpace(t.Context(), "", espresso, nil)
			if err != nil {
				t.Fatal(err)
			}
			has := func(s *Service, n int) {
				t.Helper()
				wait(t, func() bool { return strings.Count(duelsOf(t, s, id), "\n") == n+1 })
			}
			same := func(what string, s *Service) {
				t.Helper()
				got := bestOf(t, s, id)
				log, err := space.ReadLog("export", strings.NewReader(duelsOf(t, s, id)))
				if err != nil {
					t.Fatal(err)
				}
				want, err := tune.NewSearch(space, log).Standing(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: after %d duels %+v, of the export after %d %+v", what, got.Duels, got.Best, want.Duels, want.Best)
				}
			}
			q, err := a.Ask(ctx, id, ann)
			if err != nil {
				t.Fatal(err)
			}
			if x := q.Left; x.Kind != store.Link || x.URL != "https://example.org/none?d=16&t=27" || x.Body != "dose 16, time 27, milk none" {
				t.Errorf("the start is %+v", x)
			}
			if again, err := b.Ask(ctx, id, ann); err != nil || again.Token != q.Token {
				t.Errorf("asked at another server: %v, %v", again, err)
			}
			answerDuels(t, a, id, ann, 4)
			answerDuels(t, b, id, bob, 3)
			answerDuels(t, a, id, ann, 2)
			wait(t, func() bool {
				return strings.Count(duelsOf(t, a, id), "\n") == 10 && duelsOf(t, a, id) == duelsOf(t, b, id)
			})
			if _, err := a.Undo(ctx, id, ann); err != nil {
				t.Fatal(err)
			}
			has(a, 8)
			if err := a.ExcludeVoter(ctx, id, "owner", bob, "spam"); err != nil {
				t.Fatal(err)
			}
			has(a, 5)
			if err := a.ExcludeVoter(ctx, id, "owner", bob, ""); err != nil {
				t.Fatal(err)
			}

			// A duel of one's own, of new points and of old ones.
			points := &[2]json.RawMessage{[]byte(`{"dose": 19.5, "time": 31, "milk": "none"}`), []byte(`{"dose": 16, "time": 27, "milk": "none"}`)}
			for k := range 2 {
				r, err := a.Tell(ctx, id, ann, Answer{Points: points, Key: "mine", Outcome: palate.Left})
				if err != nil || r.Fresh != (k == 0) {
					t.Errorf("told %d: %+v, %v", k, r, err)
				}
			}
			same("an own duel", a)

			// Into another board of the same seed, and no other space.
			file := duelsOf(t, a, id)
			copied := makeBoard(t, a, NewBoard{Space: &store.Space{Text: espresso, Seed: 3}}).Board.ID
			take := func(text string) store.Import {
				i, err := a.Import(ctx, copied, "owner", "mine.jsonl", strings.NewReader(text), store.ImportSettings{})
				if err != nil {
					t.Fatal(err)
				}
				return await(t, a, i)
			}
			if i := take(strings.Replace(file, "14 to 22", "14 to 23", 1)); i.State != store.Failed || !strings.Contains(i.Says, "mine.jsonl: line 1: the space has changed since these duels") {
				t.Errorf("a space that has changed: %+v", i)
			}
			if i := take(file + strings.Replace(strings.Split(file, "\n")[1], `"dose": 16`, `"dose": 46`, 1)); i.State != store.Failed || !strings.Contains(i.Says, "line 11: left: dose is 46, outside 14 to 22") {
				t.Errorf("a duel outside the space: %+v", i)
			}
			if i := take(file); i.State != store.Finished || i.Added != 9 || nameless(duelsOf(t, a, copied)) != nameless(file) {
				t.Errorf("imported: %+v\n%s", i, duelsOf(t, a, copied))
			}
			if got, want := bestOf(t, a, copied), bestOf(t, b, id); !reflect.DeepEqual(got, want) {
				t.Errorf("a copy says %+v, the board %+v", got, want)
			}

			// What somebody said is deleted; another process reads the rest.
			if err := a.Erase(ctx, id, bob); err != nil {
				t.Fatal(err)
			}
			has(a, 6)
			fresh := startOn(t, open(), Options{Duty: 0.01})
			same("a restart", fresh)
			if o, err := fresh.Best(ctx, id, View{}); err != nil || len(o.Path) == 0 || o.Path[len(o.Path)-1].Duels != o.Duels || o.Best.URL == "" {
				t.Errorf("the path and the best point: %+v, %v", o, err)
			}
			lb, err := fresh.Leaderboard(ctx, id, View{})
			if err != nil || lb.Progress.Goal != optimumGoal {
				t.Errorf("the points that were tried: %+v, %v", lb, err)
			}
			for _, row := range lb.Rows() { // nothing is said of points that nobody has answered about
				if row.Votes == 0 && row.Item >= 2 {
					t.Errorf("a point that was not tried is ranked: %+v", row)
				}
			}
			twin, err := fresh.Duplicate(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			answerDuels(t, fresh, twin.Board.ID, voterNamed(t, fresh, twin.Board.ID, "ann"), 1)
		})
	}
}

// TestSpaceFinds: a voter who is asked one question after the other comes near the best point,
// and many at once are asked different things.
func TestSpaceFinds(t *testing.T) {
	s, _ := start(t, Options{Duty: 1})
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: espresso}}).Board.ID
	var mu sync.Mutex
	var all sync.WaitGroup
	pairs := map[[2]int]int{}
	for k := range 12 {
		all.Go(func() {
			q, err := s.Ask(t.Context(), id, voterNamed(t, s, id, fmt.Sprint("voter ", k)))
			mu.Lock()
			defer mu.Unlock()
			if pairs[pairOf(q.Left.Number, q.Right.Number)]++; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(pairs) != 12 {
		t.Errorf("12 voters at once are asked %d pairs", len(pairs))
	}
	if testing.Short() {
		return // many fits
	}
	lone := makeBoard(t, s, NewBoard{Space: &store.Space{Text: espresso}}).Board.ID
	answerDuels(t, s, lone, voterNamed(t, s, lone, "ann"), 25)
	st := bestOf(t, s, lone)
	if loss := -liked(store.Item{Features: st.Best}); loss > 2 || st.Over.Better < 0.8 {
		t.Errorf("after 25 duels %v lacks %.2f; better than the start with chance %.2f", st.Best, loss, st.Over.Better)
	}
}

// TestSpaceWaitsForNoFit: while a fit is under way, questions are asked, with the answers since
// folded in, and answers taken.
func TestSpaceWaitsForNoFit(t *testing.T) {
	var g gates
	s, _ := start(t, Options{Duty: 1, begins: g.begins})
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: espresso}}).Board.ID
	ann := voterNamed(t, s, id, "ann")
	at := g.hold(refitting)
	answerDuels(t, s, id, ann, 1)
	<-at.reached
	answerDuels(t, s, id, ann, 6)
	l, err := s.board(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if now, behind, err := s.searching(t.Context(), l); err != nil || behind != 0 || len(now.Log.Duels) != 7 {
		t.Errorf("%d duels are not known, %v", behind, err)
	}
	if o, err := s.Best(t.Context(), id, View{}); err != nil || o.Standing != nil || o.Pending != 7 {
		t.Errorf("%+v, %v", o, err)
	}
	close(at.open)
	wait(t, func() bool {
		o, err := s.Best(t.Context(), id, View{})
		return err == nil && o.Standing != nil && o.Duels == 7
	})
}

// TestSpaceOwn: voters who like opposite ends of a space have best points of their own, near
// their ends, and where it is another than everybody's it is said to be better for them.
func TestSpaceOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	var g gates
	s, _ := start(t, Options{begins: g.begins})
	ctx := t.Context()
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: "gain=0..1"}}).Board.ID
	people := []string{voterNamed(t, s, id, "ann"), voterNamed(t, s, id, "bob")}
	for k := range 10 {
		a, b := float64(k)/10, float64(k+1)/10
		for v, voter := range people {
			points := &[2]json.RawMessage{[]byte(fmt.Sprintf(`{"gain": %g}`, a)), []byte(fmt.Sprintf(`{"gain": %g}`, b))}
			if _, err := s.Tell(ctx, id, voter, Answer{Points: points, Key: fmt.Sprint(k), Outcome: []palate.Outcome{palate.Left, palate.Right}[v]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	settle(t, s, id)
	at := g.hold(folding)
	held := make(chan error)
	go func() { _, err := s.Best(ctx, id, View{Voter: people[0]}); held <- err }()
	<-at.reached
	if _, err := s.Ask(ctx, id, people[1]); err != nil { // nobody waits for it
		t.Fatal(err)
	}
	close(at.open)
	if err := <-held; err != nil {
		t.Fatal(err)
	}
	all, err := s.Best(ctx, id, View{})
	if err != nil || all.Yours != nil || all.Votes != 20 {
		t.Fatalf("%+v, %v", all, err)
	}
	for v, voter := range people {
		o, err := s.Best(ctx, id, View{Voter: voter})
		if err != nil {
			t.Fatal(err)
		}
		x := o.Standing.Best[0]
		other := math.Abs(x-all.Standing.Best[0]) > 0.3
		if o.Votes != 10 || (v == 0) != (x < 0.3) || (v == 1) != (x > 0.7) || other && o.Yours.Better < 0.7 {
			t.Errorf("the best of voter %d is %v, better with chance %.2f, from %d votes", v, o.Standing.Best, o.Yours.Better, o.Votes)
		}
	}
	if _, err := s.Best(ctx, id, View{Group: "team"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("of a group: %v", err)
	}
}

// TestSpaceRefuses: what cannot be searched, shown or told is refused, with the reason.
func TestSpaceRefuses(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	for name, row := range map[string]struct {
		space store.Space
		want  string
	}{
		"nothing":            {store.Space{}, "there are no parameters"},
		"reversed":           {store.Space{Text: "a=3..2"}, "line 1: parameter \"a\": its bounds are reversed"},
		"empty":              {store.Space{Text: "a=0..1\na >= 2"}, "the space is empty"},
		"large":              {store.Space{Text: "a=x" + words(101)}, "every word counted; 100 are the most"},
		"long":               {store.Space{Text: "a=0..1" + strings.Repeat("\n", MaxText)}, "are the most"},
		"script":             {store.Space{Text: "a=0..1", URL: "javascript:alert({a})"}, "does not begin with http:// or https://"},
		"data":               {store.Space{Text: "a=0..1", URL: "data:text/html,{a}"}, "does not begin with http:// or https://"},
		"no scheme":          {store.Space{Text: "a=0..1", URL: "//example.org/{a}"}, "does not begin with http:// or https://"},
		"scheme of a value":  {store.Space{Text: "a=http|javascript", URL: "{a}://example.org/"}, "does not begin with http:// or https://"},
		"machine of a value": {store.Space{Text: "a=x|y", URL: "https://example{a}/"}, "has a value before its path"},
		"user":               {store.Space{Text: "a=x|y", URL: "https://me:pass@example.org/{a}"}, "does not begin with http:// or https:// and a name"},
		"line end":           {store.Space{Text: "a=x|y", URL: "https://example.org/{a}\n"}, "characters that no address has"},
		"quote":              {store.Space{Text: "a=x|y", URL: `https://example.org/{a}" onclick="x`}, "characters that no address has"},
		"another parameter":  {store.Space{Text: "a=x|y\nb=0..1", URL: "https://example.org/{c}"}, "has {c}, and the parameters are a, b"},
		"a brace":            {store.Space{Text: "a=x|y", URL: "https://example.org/{a}/{"}, "a brace that is not one of a pair"},
		"text":               {store.Space{Text: "a=x|y", Body: "it is {A}"}, "the template of texts has {A}"},
		"long address":       {store.Space{Text: "a=" + strings.Repeat("ü", 90) + "|y", URL: "https://example.org/" + strings.Repeat("{a}", 10)}, "makes texts of up to"},
		"word":               {store.Space{Text: `{"parameters": [{"name": "a", "choices": ["x\u0000", "y"]}]}`}, "NUL"},
	} {
		_, err := s.Create(ctx, NewBoard{Space: &row.space})
		if field := (*FieldError)(nil); !errors.Is(err, ErrInvalid) || !errors.As(err, &field) || field.Field != "space" || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	if _, err := s.Create(ctx, NewBoard{Space: &store.Space{Text: espresso}, Items: lines(2)}); !errors.Is(err, ErrInvalid) {
		t.Errorf("items and a space: %v", err)
	}
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: espresso}}).Board.ID
	list := makeBoard(t, s, NewBoard{Items: lines(2)}).Board.ID
	ann := voterNamed(t, s, id, "ann")
	here := json.RawMessage(`{"dose": 16, "time": 27, "milk": "none"}`)
	for left, want := range map[string]string{
		`{"dose": 30, "time": 27, "milk": "none"}`:            "left: dose is 30, outside 14 to 22",
		`{"dose": 20, "time": 40, "milk": "none"}`:            "left: dose + time <= 58 does not hold",
		`{"dose": 16, "time": 27, "milk": "rice"}`:            `left: milk is "rice"`,
		`{"dose": 16, "time": 27}`:                            "left: there is no value of milk",
		`{"dose": 16, "time": 27, "milk": "none", "gain": 1}`: `left: there is no parameter "gain"`,
		`[16, 27]`: "left: a point is an object",
		``:         "left: a point is an object",
		`{"dose": 16, "time": 27, "milk": "none"}`: "against itself",
	} {
		_, err := s.Tell(ctx, id, ann, Answer{Points: &[2]json.RawMessage{[]byte(left), here}, Key: "k", Outcome: palate.Left})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", left, err, want)
		}
	}
	if _, err := s.AddItems(ctx, id, "owner", lines(1)); !errors.Is(err, ErrInvalid) {
		t.Errorf("an item that is no point: %v", err)
	}
	if _, err := s.Best(ctx, list, View{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("the best point of a list: %v", err)
	}
	if err := s.Export(ctx, list, &bytes.Buffer{}, ExportOptions{Format: Duels}); !errors.Is(err, ErrInvalid) {
		t.Errorf("the duels of a list: %v", err)
	}
	if _, err := s.Tell(ctx, list, voterNamed(t, s, list, "ann"), Answer{Points: &[2]json.RawMessage{here, here}, Key: "k"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("points on a list: %v", err)
	}
	if err := s.SetAsking(ctx, id, "owner", store.Choice, 3, ""); !errors.Is(err, ErrInvalid) {
		t.Errorf("choices among points: %v", err)
	}
	if _, err := s.Create(ctx, NewBoard{Space: &store.Space{Text: espresso}, Settings: store.Settings{Ask: store.Choice, Size: 3}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a board of choices among points: %v", err)
	}
	if err := s.SetSettings(ctx, id, "owner", store.Settings{Goal: "best"}); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Board(ctx, id); err != nil || b.Settings.Goal != optimumGoal || b.Space == nil || b.Space.Text != espresso {
		t.Errorf("after other settings: %+v, %v", b, err)
	}
}

// words are n of them, as a line has them.
func words(n int) (text string) {
	for k := range n {
		text += fmt.Sprint("|w", k)
	}
	return text
}

// TestSpaceIsFull: a board takes so many answers and no more, and points that nobody answered
// about are asked again rather than that there are ever more of them.
func TestSpaceIsFull(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: espresso}}).Board.ID
	space, _ := tune.ParseSpace(t.Context(), "", espresso, nil)
	var file bytes.Buffer
	if err := space.WriteHeader(&file, 0); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	idle := make([]tune.Point, pointsWaiting)
	for k := range idle {
		idle[k] = space.Sample(rng)
	}
	for k := range MaxDuels {
		if err := space.WriteDuel(&file, tune.Duel{Left: idle[k], Right: idle[k+1], Answer: palate.Skip}); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := s.Board(ctx, id); err != nil || b.Space == nil {
		t.Fatal(err)
	}
	l, err := s.board(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.pointNumbers(ctx, l, idle); err != nil {
		t.Fatal(err)
	}
	ann := voterNamed(t, s, id, "ann")
	before := len(l.items)
	if q, err := s.Ask(ctx, id, ann); err != nil || len(l.items) != before || q.Left.Number == q.Right.Number {
		t.Errorf("%d points after %d, %v", len(l.items), before, err)
	}
	i, err := s.Import(ctx, id, "owner", "full.jsonl", &file, store.ImportSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if i = await(t, s, i); i.State != store.Finished {
		t.Fatalf("%+v", i)
	}
	if _, err := s.Ask(ctx, id, voterNamed(t, s, id, "bob")); !errors.Is(err, ErrFull) || !errors.Is(err, ErrDone) {
		t.Errorf("asked a board that is full: %v", err)
	}
	points := &[2]json.RawMessage{space.WritePoint(idle[0]), space.WritePoint(idle[1])}
	if _, err := s.Tell(ctx, id, ann, Answer{Points: points, Key: "k"}); !errors.Is(err, ErrFull) {
		t.Errorf("told a board that is full: %v", err)
	}
}

// TestSpaceStaysSmall: however answers come, by many questions that are open at once or by a file
// of votes, no more are taken than can be learnt from; a voter whom the owner excludes leaves
// room for others; and what is no answer makes no points.
func TestSpaceStaysSmall(t *testing.T) {
	s, _ := start(t, Options{VotesPerMinute: -1})
	ctx := t.Context()
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: "a=0..1\nb=0..1"}}).Board.ID
	l, err := s.board(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	first, second := l.items[0].ID, l.items[1].ID
	file := func(name string, votes int) store.Import {
		t.Helper()
		var text strings.Builder
		text.WriteString("left,right,winner,voter\n")
		for k := range votes {
			fmt.Fprintf(&text, "%q,%q,%q,%s %d\n", first, second, first, name, k)
		}
		i, err := s.Import(ctx, id, "owner", name+".csv", strings.NewReader(text.String()), store.ImportSettings{})
		if err != nil {
			t.Fatal(err)
		}
		return await(t, s, i)
	}
	if i := file("many", MaxDuels+1); i.State != store.Failed || !strings.Contains(i.Says, "the board takes 500 more") {
		t.Errorf("a file of too many answers: %+v", i)
	}
	if i := file("most", MaxDuels-2); i.State != store.Finished {
		t.Fatalf("%+v", i)
	}
	var asked []Question
	var voters []string
	for k := range 4 { // while there is room for two
		voters = append(voters, voterNamed(t, s, id, fmt.Sprint("voter ", k)))
		q, err := s.Ask(ctx, id, voters[k])
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, q)
	}
	for k, q := range asked {
		_, err := s.Tell(ctx, id, voters[k], Answer{Question: q.Token})
		if full := errors.Is(err, ErrFull); full != (k >= 2) || !full && err != nil {
			t.Errorf("answer %d: %v", k, err)
		}
	}
	if r, err := s.Tell(ctx, id, voters[0], Answer{Question: asked[0].Token}); err != nil || r.Fresh {
		t.Errorf("told again: %+v, %v", r, err)
	}
	if _, err := s.Ask(ctx, id, voters[3]); !errors.Is(err, ErrFull) {
		t.Errorf("a question that is open still: %v", err)
	}
	if err := s.ExcludeVoter(ctx, id, "owner", voters[1], "stuffs the board"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tell(ctx, id, voters[2], Answer{Question: asked[2].Token}); err != nil {
		t.Errorf("in place of one who was excluded: %v", err)
	}
	if err := s.ExcludeVoter(ctx, id, "owner", voters[1], ""); err != nil { // now there is one too many
		t.Fatal(err)
	}
	if n := len(l.moment().duels().Duels); n != MaxDuels {
		t.Errorf("%d duels are learnt from", n)
	}
	before := len(l.items)
	for _, a := range []Answer{
		{Points: &[2]json.RawMessage{[]byte(`{"a":0.1,"b":0.2}`), []byte(`{"a":0.3,"b":0.4}`)}},
		{Points: &[2]json.RawMessage{[]byte(`{"a":0.1,"b":0.2}`), []byte(`{"a":0.3,"b":0.4}`)}, Key: "k", Reason: strings.Repeat("x", 1000)},
		{Points: &[2]json.RawMessage{[]byte(`{"a":0.1,"b":0.2}`), []byte(`{"a":0.1,"b":0.2}`)}, Key: "k"},
	} {
		if _, err := s.Tell(ctx, id, voters[0], a); err == nil || len(l.items) != before {
			t.Errorf("%+v: %d points after %d, %v", a, len(l.items), before, err)
		}
	}
}

// TestHardSpaces: what is too large is refused before a point of it is looked for, and that
// nothing is left is found out in a moment.
func TestHardSpaces(t *testing.T) {
	s, _ := start(t, Options{})
	lines := func(format string, n int) string {
		var text strings.Builder
		for k := range n {
			fmt.Fprintf(&text, format+"\n", k)
		}
		return text.String()
	}
	for text, want := range map[string]string{
		lines("p%d=0..1", MaxParameters+1):                                "parameters, every word counted",
		"a=0..1\n" + lines("a >= 0.000%d", MaxConstraints+1):              "101 constraints",
		"a=0..1\nb=0..1:1e-30":                                            "leave the step out",
		"a=0..1\nb=0..1\n" + lines("1e300*1e300*a <= %d", 1):              "its numbers are too large",
		lines("p%d=0..1", 10) + lines("p%d + p9 <= 0.5", 9) + "p9 >= 0.6": "cannot hold",
	} {
		if _, err := s.Create(t.Context(), NewBoard{Space: &store.Space{Text: text}}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// TestTemplates: whatever the words of a parameter are, an address leads to the template's own
// machine and path, and its values are read from it as they were.
func TestTemplates(t *testing.T) {
	hostile := []string{"a&b=c", "x y+z", "../../etc", "//evil.example", "@evil.example", "?q#f", "javascript:alert(1)", "%2e%2e", "ü\u2028", `"><script>`, "{gain}"}
	space, err := tune.NewSpace(t.Context(), []tune.Parameter{{Name: "word", Kind: tune.Categorical, Words: hostile}, {Name: "gain", From: 1e-9, To: 10}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const address, text = "https://example.org/show/{word}/at?w={word}&g={gain}&x={word}", "{word}: {gain}"
	if err := checkAddresses(space, address); err != nil {
		t.Fatal(err)
	}
	for k, word := range hostile {
		n := pointItem(space, &store.Space{URL: address, Body: text}, tune.Point{float64(k), 1e-9})
		u, err := url.Parse(n.URL)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		if u.Scheme != "https" || u.Host != "example.org" || u.User != nil || u.Path != "/show/"+word+"/at" || q.Get("w") != word || q.Get("x") != word || q.Get("g") != "1e-09" || len(q) != 3 || u.Fragment != "" {
			t.Errorf("%q: %s", word, n.URL)
		}
		if n.Body != word+": 1e-09" || n.Kind != store.Link {
			t.Errorf("%q: %+v", word, n)
		}
	}
}

// TestPointsAlone: a question of a board of a space reads its points again and not its voters, and
// what it hears of an exclusion by that counts.
func TestPointsAlone(t *testing.T) {
	s, st := start(t, Options{Poll: time.Hour})
	ctx := t.Context()
	id := makeBoard(t, s, NewBoard{Space: &store.Space{Text: "a=0..1"}}).Board.ID
	ann := voterNamed(t, s, id, "ann")
	l, err := s.board(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.ExcludeItem(ctx, id, 1, "broken", store.Action{Actor: "owner", Verb: excludeItem, Time: now()}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.AddVoter(ctx, store.Voter{Board: id, ID: "elsewhere", Created: now()}); err != nil {
		t.Fatal(err)
	}
	changes := l.changes
	if _, err := s.pointNumbers(ctx, l, []tune.Point{{0.123}, {0.456}}); err != nil {
		t.Fatal(err)
	}
	if _, read := l.people["elsewhere"]; read || len(l.items) != 4 || l.items[1].Excluded == "" || l.changes != changes+1 {
		t.Errorf("voters read: %v, %d points, excluded %q, %d changes after %d", read, len(l.items), l.items[1].Excluded, l.changes, changes)
	}
	if _, err := s.Ask(ctx, id, ann); err != nil {
		t.Fatal(err)
	}
}
