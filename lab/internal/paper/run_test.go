package paper

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"palate/evaluate"
	"palate/model"
)

// small is an experiment like sushi's, of a size for tests.
func small() Experiment {
	e := sushi()
	e.Sets = []Set{sushiSet("A-small", 'A', 20, 5, 25, 3), sushiSet("B", 'B', 30, 10, 1, 2)}
	return e
}

func runAll(t *testing.T, e Experiment, o Options) []*Table {
	t.Helper()
	var tables []*Table
	for table, err := range e.Run(context.Background(), o) {
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	return tables
}

// lasting are the figures of a trial that do not depend on the machine.
func (t Trial) lasting() [6]float64 { return [6]float64(t.Figures[:CPU]) }

func TestRun(t *testing.T) {
	folder := sushiFolder(t, 30)
	var steps []Progress
	o := Options{Folder: folder, Seed: 1, Models: []string{"coin", "majority", "single"}, Progress: func(p Progress) { steps = append(steps, p) }}
	tables := runAll(t, small(), o)
	if len(tables) != 2 || len(tables[0].Rows) != 3 || len(tables[0].Rows[0].Trials) != 3 || len(tables[1].Rows[0].Trials) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	if n := len(steps); n != 3*3+3*2 || steps[n-1].Done != n-1 || steps[n-1].Total != n || steps[0] != (Progress{"sushi/A-small", "coin", 0, 3, 0, n}) {
		t.Errorf("%d steps, from %+v to %+v", n, steps[0], steps[n-1])
	}
	single := tables[0].Rows[2]
	if single.Trials[0].lasting() == single.Trials[1].lasting() {
		t.Error("two splits give the same figures")
	}
	if single.Model != "single" || single.Published.Method != "pooled GPPL" {
		t.Errorf("row %q, published %q", single.Model, single.Published.Method)
	}

	// A row does not depend on the rows beside it, on how many splits follow, or on the number of processors.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone := runAll(t, small(), Options{Folder: folder, Seed: 1, Sets: []string{"a-small"}, Models: []string{"pooled-GPPL"}, Repeats: 2})
	for k, trial := range alone[0].Rows[0].Trials {
		if want := single.Trials[k].lasting(); trial.lasting() != want {
			t.Errorf("split %d: %v, want %v", k, trial.lasting(), want)
		}
	}
	other := runAll(t, small(), Options{Folder: folder, Seed: 2, Sets: []string{"sushi/A-small"}, Models: []string{"single"}, Repeats: 1})
	if other[0].Rows[0].Trials[0].lasting() == single.Trials[0].lasting() {
		t.Error("two seeds give the same figures")
	}
}

// TestMethods holds every method to: chances of the two sides sum to 1, the seed decides, and all but the coin learn.
func TestMethods(t *testing.T) {
	a, _, err := LoadSushi(sushiFolder(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Split(30, 15, 25, stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range Methods() {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if names[strings.ToLower(name)] {
				t.Errorf("two methods are called %s", name)
			}
			names[strings.ToLower(name)] = true
		}
		if m.About == "" {
			t.Errorf("%s: what is it about?", m.Name)
		}
		p, err := m.Fit(context.Background(), Task{Data: "sushi", Train: s.Train, Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		again := p
		if !strings.HasSuffix(m.Name, "-opt") { // many fits of a method that is held to this without
			if again, err = m.Fit(context.Background(), Task{Data: "sushi", Train: s.Train, Seed: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if m.See != nil {
			p, again = m.See(p), m.See(again)
		}
		for _, v := range s.Test {
			x, y := p.Prefer(v.User, v.Left, v.Right), p.Prefer(v.User, v.Right, v.Left)
			if math.Abs(x+y-1) > 1e-9 {
				t.Errorf("%s: %v and %v", m.Name, x, y)
			}
			if z := again.Prefer(v.User, v.Left, v.Right); z != x {
				t.Errorf("%s: %v, and with the same seed %v", m.Name, x, z)
			}
		}
		trial, err := measure(p, s)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != "coin" && !(trial.Figures[CE] < math.Ln2-0.01 && trial.Figures[Acc] > 0.55 && trial.Figures[TauUser] > 0.1) {
			t.Errorf("%s learns nothing: %v", m.Name, trial.Figures)
		}
		if _, err := fit(cancelled(), m, Task{Data: "sushi", Train: s.Train, Seed: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", m.Name, err)
		}
	}
	for _, e := range Experiments() {
		if err := e.Check(Options{}); err != nil {
			t.Errorf("%s as it stands: %v", e.Name, err)
		}
	}
}

// TestSharedFit: what looks at another method's fit gets the same figures beside that method and alone.
func TestSharedFit(t *testing.T) {
	o := Options{Folder: sushiFolder(t, 30), Sets: []string{"A-small"}, Repeats: 1, Models: []string{"population", "population-mean"}}
	both := runAll(t, small(), o)[0]
	if both.Rows[0].Mean[CPU] != both.Rows[1].Mean[CPU] {
		t.Error("fitted twice")
	}
	o.Models = o.Models[1:]
	alone := runAll(t, small(), o)[0]
	if a, b := alone.Rows[0].Trials[0].lasting(), both.Rows[1].Trials[0].lasting(); a != b {
		t.Errorf("%v alone, %v beside the other", a, b)
	}
	if both.Rows[0].Trials[0].lasting() == both.Rows[1].Trials[0].lasting() {
		t.Error("new voters are as well known as people who voted")
	}
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Folder: sushiFolder(t, 30), Models: []string{"coin", "majority"}, Repeats: 5}
	o.Progress = func(p Progress) {
		if p.Split == 2 && p.Model == "majority" { // the coin has done three splits, the majority two
			cancel()
		}
	}
	n := 0
	for table, err := range small().Run(ctx, o) {
		n++
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if table == nil || len(table.Rows[0].Trials) != 2 || len(table.Rows[1].Trials) != 2 || math.IsNaN(table.Rows[1].Mean[CE]) {
			t.Fatalf("table %+v", table)
		}
		var text bytes.Buffer
		if err := table.WriteText(&text); err != nil || !strings.Contains(text.String(), "2 of 5 splits") {
			t.Errorf("%v, %s", err, &text)
		}
	}
	if n != 1 {
		t.Errorf("%d tables after the end", n)
	}
	// A fit that returns what it has when it is told to stop is not measured.
	ctx, cancel = context.WithCancel(context.Background())
	unfinished := Method{Fit: func(context.Context, Task) (Predictor, error) { cancel(); return evaluate.Coin{}, nil }}
	if _, err := fit(ctx, unfinished, Task{}); !errors.Is(err, context.Canceled) {
		t.Errorf("unfinished fit: %v", err)
	}
	for table, err := range small().Run(cancelled(), o) {
		if table != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before the start: %v, %v", table, err)
		}
	}
}

func TestRunFails(t *testing.T) {
	folder := sushiFolder(t, 30)
	for want, o := range map[string]Options{
		`no model "x"; there are coin, majority`:       {Folder: folder, Models: []string{"x"}},
		`no set "C"; there are sushi/A-small, sushi/B`: {Folder: folder, Sets: []string{"A-small", "C"}},
		`model pooled-GPPL is asked for twice`:         {Folder: folder, Models: []string{"single", "pooled-gppl"}},
		`-1 repeats`:                                   {Folder: folder, Repeats: -1},
	} {
		if err := small().Check(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		for _, err := range small().Run(context.Background(), o) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	for _, err := range small().Run(context.Background(), Options{Folder: Folder(t.TempDir())}) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no data: %v", err)
		}
	}
	broken := Method{Name: "broken", Fit: func(context.Context, Task) (Predictor, error) { return nil, errors.New("it broke") }}
	if _, err := fit(context.Background(), broken, Task{}); err == nil || err.Error() != "it broke" {
		t.Errorf("broken method: %v", err)
	}
	if _, err := Find("x"); err == nil || !strings.Contains(err.Error(), "sushi, convarg, collab") {
		t.Errorf("no such experiment: %v", err)
	}
}

// TestSets checks the papers' settings against their texts.
func TestSets(t *testing.T) {
	var names []string
	for _, e := range Experiments() {
		for _, s := range e.Sets {
			names = append(names, e.Name+": "+s.Name())
		}
	}
	want := []string{"sushi: sushi/A-small", "sushi: sushi/A", "sushi: sushi/B", "sushi: sushi/A-1000", "convarg: convarg/consensus", "convarg: convarg/personal",
		"collab: sushi/A-200", "collab: sushi/A-200-2", "collab: sushi/A-200-4", "collab: sushi/A-200-5", "collab: sushi/B", "collab: movielens-100k/paper", "collab: movielens-100k/honest", "collab: movielens-1m/paper", "collab: movielens-1m/honest",
		"collab: simulated/10m-size", "collab: simulated/200k-people"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("sets %v", names)
	}
	folder := sushiFolder(t, 1000)
	for _, c := range []struct {
		e                  Experiment
		set                string
		users, train, test int
	}{{sushi(), "A-small", 100, 5, 25}, {sushi(), "A", 100, 20, 25}, {sushi(), "A-1000", 1000, 15, 5}, {collaborative(), "A-200", 200, 3, 1}} {
		sets, err := c.e.sets([]string{c.set})
		if err != nil {
			t.Fatal(err)
		}
		draw, err := sets[0].splits(folder)
		if err != nil {
			t.Fatal(err)
		}
		s, err := draw(0, stream(1, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		if s.Train.NumUsers() != c.users || s.Train.NumVotes() != c.users*c.train || len(s.Test) != c.users*c.test {
			t.Errorf("%s: %d users, %d and %d votes", c.set, s.Train.NumUsers(), s.Train.NumVotes(), len(s.Test))
		}
	}
}

func TestDraw(t *testing.T) {
	tables := runAll(t, small(), Options{Folder: sushiFolder(t, 30), Sets: []string{"A-small"}, Models: []string{"coin", "majority"}, Repeats: 1})
	dir := filepath.Join(t.TempDir(), "new")
	if err := tables[0].Draw(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sushi-A-small-reliability.png", "sushi-A-small-loss.png"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMeter(t *testing.T) {
	var f Figures
	startMeter().stop(&f)
	if f[CPU] < 0 || runtime.GOOS == "linux" && !(f[CPU] >= 0 && f[Peak] > 1) {
		t.Errorf("cost of nothing: %v", f)
	}
}

// TestPerVoter compares each voter's model, which knows only the items of the votes and extends to the others, with
// one that has known all items from the start.
func TestPerVoter(t *testing.T) {
	_, b, err := LoadSushi(sushiFolder(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Split(5, 10, 1, stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	p, err := fitPerVoter(context.Background(), Task{Data: "sushi", Train: s.Train, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for u := range 5 {
		var own []int
		for k, v := range s.Train.Votes() {
			if v.User == u {
				own = append(own, k)
			}
		}
		m, err := model.FitSingle(context.Background(), s.Train.Select(own), &model.Options{Seed: 1, Kernel: halfKernel(s.Train.ItemFeatures())})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 99 {
			got, want := p.Prefer(u, i, i+1), m.Prefer(u, i, i+1)
			if math.Abs(got-want) > 1e-3 { // both learn their scale, to that tolerance
				t.Errorf("voter %d, items %d and %d: %v, want %v", u, i, i+1, got, want)
			}
		}
	}
}
