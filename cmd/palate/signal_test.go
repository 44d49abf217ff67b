package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stoppable is a command line that takes a while. Paths of args are within the
// folder of inputs (IN/), of what it writes (OUT/) and of what may stay (STATE/).
type stoppable struct {
	name    string
	args    string
	keys    string // typed into standard input, which then stays open
	endless bool   // it ends only when it is told to
	partial bool   // what it has finished stays; other files must be whole
	orderly bool   // it ends with 0
}

// stoppables are the commands that can take long, on inputs of a folder.
func stoppables() []stoppable {
	var all []stoppable
	add := func(name, args string) *stoppable {
		all = append(all, stoppable{name: name, args: args})
		return &all[len(all)-1]
	}
	for _, m := range fittable() {
		about := map[string]string{"linked": " --links IN/links.csv", "duels": " --items IN/items.csv"}[m]
		add("fit "+m, "fit IN/votes.csv --model "+m+about+" -o OUT/m.palate")
	}
	add("fit checkpoint", "fit IN/votes.csv --model population --checkpoint STATE/c --checkpoint-every 1ms --trace STATE/t -o OUT/m.palate")
	add("fit on disk", "fit IN/votes.csv --model population --on-disk OUT -o OUT/m.palate")
	add("fit ratings", "fit IN/ratings.csv --model single -o OUT/m.palate")
	add("rank", "rank IN/votes.csv -o OUT/board.txt")
	add("rank ratings", "rank IN/ratings.csv --model single --csv -o OUT/board.csv")
	add("rank html", "rank IN/votes.csv --model single --html OUT/report.html -o OUT/board.txt")
	add("predict", "predict IN/m.palate --pairs IN/pairs.csv -o OUT/chances.csv")
	add("factors", "factors IN/m.palate --items -o OUT/factors.csv")
	add("evaluate", "evaluate IN/votes.csv --models single --folds 3 -o OUT/figures.txt")
	add("agree", "agree IN/votes.csv --csv -o OUT/voters.csv")
	add("plot", "plot learning IN/votes.csv --model bt -o OUT/curve.png")
	add("plot matrix", "plot matrix IN/m.palate -o OUT/matrix.svg")
	add("next", "next IN/votes.csv --model single -k 5 --csv -o OUT/ask.csv")
	add("check", "check IN/ratings.csv -o OUT/found.txt")
	add("convert", "convert IN/ratings.csv -o OUT/votes.parquet")
	add("simulate", "simulate --items 300 --users 50 --model crowd --votes 20000 -o OUT/votes.csv --truth OUT/truth.csv")
	add("simulate policies", "simulate --items 30 --votes 60 --repeats 3 --policy soft-bald,random -o OUT/curves.csv")
	add("reproduce", "reproduce simulations --sets single --repeats 1 --figures OUT -o OUT/table.txt").partial = true
	add("bench", "bench --only potrf100 -o OUT/bench.txt").partial = true
	ask := add("ask", "ask --items IN/items.csv -o OUT/mine.csv")
	ask.keys, ask.endless, ask.partial = "1 2 t s 1 2 1 1", true, true
	serve := add("serve", "serve --addr 127.0.0.1:0 --db STATE/palate.db --address-file OUT/address --quiet")
	serve.endless, serve.orderly, serve.partial = true, true, true
	add("load", "load --kill 2 --db STATE/load.db --boards 2 --items 20 --voters 5 --rate 50 --seconds 1")
	return all
}

// brief are the commands that do nothing long.
func brief() []string {
	return []string{"client", "completion", "demo", "help", "man", "version"}
}

// TestSignalsTableIsComplete finds the commands that nobody has tried to stop.
func TestSignalsTableIsComplete(t *testing.T) {
	root := newRoot()
	tried := map[string]bool{}
	for _, s := range stoppables() {
		cmd, _, err := root.Find(strings.Fields(s.args))
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		for ; cmd != root; cmd = cmd.Parent() {
			tried[cmd.Name()] = true
		}
		if (cmd.Annotations[inOrder] != "") && !s.orderly {
			t.Errorf("%s: ends in order", s.name)
		}
	}
	for _, cmd := range root.Commands() {
		if !cmd.Hidden && !cmd.IsAdditionalHelpTopicCommand() && tried[cmd.Name()] == slices.Contains(brief(), cmd.Name()) {
			t.Errorf("%s: give it a row in stoppables, or a place in brief", cmd.Name())
		}
	}
}

// TestSignals stops every command at times drawn at random: once by each signal,
// and once by two signals.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	inputs := t.TempDir()
	small := []string{
		"simulate --model crowd --items 15 --users 6 --votes 300 --features 2 --seed 3 -o votes.csv --items-out items.csv",
		"fit votes.csv --model crowd -q -o m.palate",
	}
	prepare(t, inputs, small, 12, 30)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range stoppables() {
		t.Run(s.name, func(t *testing.T) {
			whole := s.run(t, inputs, 0, 0)
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, -syscall.SIGINT} {
				after := time.Duration(rng.Float64() * float64(whole.took))
				s.run(t, inputs, sig, after).check(t, s, whole)
			}
		})
	}
}

// lengthy are commands on inputs that take a while, some of them of published data.
func lengthy() []stoppable {
	var all []stoppable
	for name, args := range map[string]string{
		"fit population":    "fit IN/jester.csv --model population -o OUT/m.palate",
		"fit checkpoint":    "fit IN/jester.csv --model population --checkpoint STATE/c --checkpoint-every 1s -o OUT/m.palate",
		"fit crowd":         "fit IN/votes.csv --items IN/items.csv --model crowd --tastes wide --smoothness smooth -o OUT/m.palate",
		"fit GPVU-EP":       "fit IN/votes.csv --model GPVU-EP -o OUT/m.palate",
		"fit NPCA-EP":       "fit IN/votes.csv --model NPCA-EP -o OUT/m.palate",
		"fit single":        "fit IN/votes.csv --items IN/items.csv --model single --lengths learnt -o OUT/m.palate",
		"fit bt":            "fit IN/wide.csv --model bt -o OUT/m.palate",
		"rank auto":         "rank IN/llmfao.csv --csv -o OUT/board.csv",
		"check MovieLens":   "check IN/movies.csv.gz -o OUT/found.txt",
		"rank html":         "rank IN/llmfao.csv --model single --html OUT/report.html -o OUT/board.txt",
		"evaluate":          "evaluate IN/llmfao.csv --models single --folds 3 -o OUT/figures.txt",
		"agree":             "agree IN/votes.csv --csv -o OUT/voters.csv",
		"plot":              "plot learning IN/votes.csv --model bt -o OUT/curve.png",
		"next":              "next IN/wide.csv --model single -k 5 --csv -o OUT/ask.csv",
		"check":             "check IN/many.csv -o OUT/found.txt",
		"convert":           "convert IN/many.csv -o OUT/votes.parquet",
		"predict":           "predict IN/m.palate --pairs IN/pairs.csv -o OUT/chances.csv",
		"simulate":          "simulate --items 1000 --users 300 --model crowd --votes 3000000 -o OUT/votes.csv --truth OUT/truth.csv",
		"simulate policies": "simulate --items 100 --votes 300 --repeats 3 --policy soft-bald,random -o OUT/curves.csv",
		"reproduce":         "reproduce simulations --sets single --repeats 25 --figures OUT -o OUT/table.txt",
		"bench":             "bench --only gemm1000,potrf1000,matern300,ep400 -o OUT/bench.txt",
		"serve":             "serve --addr 127.0.0.1:0 --db STATE/palate.db --address-file OUT/address --quiet",
		"load":              "load --kill 5 --db STATE/load.db --boards 3 --items 50 --voters 10 --rate 20 --seconds 10",
	} {
		s := stoppable{name: name, args: args}
		s.partial = name == "reproduce" || name == "bench" || name == "serve"
		s.endless, s.orderly = name == "serve", name == "serve"
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b stoppable) int { return strings.Compare(a.name, b.name) })
	return all
}

// TestSignalsAtLength stops commands that take long, PALATE_SIGNALS times
// altogether, at times drawn uniformly over their whole run, and prints how long
// they took to stop. It fails where that takes more than five seconds; commands that
// are stopped side by side, -parallel at a time, keep the machine busy.
func TestSignalsAtLength(t *testing.T) {
	trials, _ := strconv.Atoi(os.Getenv("PALATE_SIGNALS"))
	data := os.Getenv("PALATE_DATA")
	if trials == 0 || data == "" {
		t.Skip("set PALATE_SIGNALS to a number of trials, and PALATE_DATA to the folder of data")
	}
	inputs := t.TempDir()
	for from, to := range map[string]string{"field/jester.csv.gz": "jester.csv", "field/llmfao.csv": "llmfao.csv", "movielens-1m/ratings.csv.gz": "movies.csv.gz"} {
		if err := os.Symlink(filepath.Join(data, from), filepath.Join(inputs, to)); err != nil {
			t.Fatal(err)
		}
	}
	prepare(t, inputs, []string{
		"simulate --model crowd --items 150 --users 200 --votes 20000 --features 3 --seed 3 -o votes.csv --items-out items.csv",
		"simulate --items 100 --users 500 --votes 1500000 --seed 4 -o many.csv",
		"simulate --items 500 --votes 5000 --seed 5 -o wide.csv",
		"simulate --model crowd --items 150 --users 20 --votes 1000 --seed 6 -o few.csv --items-out items.csv",
		"fit few.csv --model crowd -q -o m.palate",
		"simulate --model crowd --items 150 --users 200 --votes 20000 --features 3 --seed 3 -o votes.csv --items-out items.csv",
	}, 10, 10)
	all := lengthy()
	var mu sync.Mutex
	var stops []float64
	lines := make([]string, len(all))
	t.Run("trials", func(t *testing.T) {
		for k, s := range all {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(k), 7))
				whole := s.run(t, inputs, 0, 0)
				if s.endless {
					whole.took = 10 * time.Second
				}
				var mine []float64
				for j := k; j < trials; j += len(all) {
					sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[(j/len(all))%2]
					r := s.run(t, inputs, sig, time.Duration(rng.Float64()*float64(whole.took)))
					r.check(t, s, whole)
					if r.took > 5*time.Second {
						t.Errorf("%s, %v: %v to stop", s.name, sig, r.took)
					}
					mine = append(mine, r.took.Seconds())
				}
				mu.Lock()
				defer mu.Unlock()
				stops = append(stops, mine...)
				lines[k] = fmt.Sprintf("%-18s %6.1f %6d  %s", s.name, whole.took.Seconds(), len(mine), spread(mine))
				t.Log(lines[k])
			})
		}
	})
	t.Logf("seconds of a run, trials, seconds to stop: median, 90%%, most\n%s\n%-18s %6s %6d  %s", strings.Join(lines, "\n"), "all", "", len(stops), spread(stops))
}

// spread shows the median, the ninth decile and the largest of some numbers.
func spread(x []float64) string {
	slices.Sort(x)
	at := func(p float64) float64 { return x[int(p*float64(len(x)-1))] }
	return fmt.Sprintf("%5.2f %5.2f %5.2f", at(0.5), at(0.9), at(1))
}

// prepare makes inputs by command lines, and then those that need no model: a
// table of ratings, links and pairs.
func prepare(t *testing.T, dir string, lines []string, raters, rated int) {
	t.Helper()
	for _, line := range lines {
		cmd := exec.Command("palate", strings.Fields(line)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("palate %s: %v\n%s", line, err, out)
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var ratings, links, pairs strings.Builder
	ratings.WriteString("user,item,rating\n")
	for u := range raters {
		for i := range rated {
			if rng.Float64() < 0.5 {
				fmt.Fprintf(&ratings, "u%d,i%d,%d\n", u, i, 1+rng.IntN(5))
			}
		}
	}
	links.WriteString("from,to\n")
	pairs.WriteString("left,right\n")
	text, err := os.ReadFile(filepath.Join(dir, "items.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for k, line := range slices.Collect(strings.Lines(string(text))) {
		if k > 0 {
			id, _, _ := strings.Cut(strings.TrimSpace(line), ",")
			ids = append(ids, id)
		}
	}
	for k := range ids {
		fmt.Fprintf(&links, "%s,%s\n", ids[k], ids[(k+1)%len(ids)])
		for j := range ids {
			if j != k {
				fmt.Fprintf(&pairs, "%s,%s\n", ids[k], ids[j])
			}
		}
	}
	for name, text := range map[string]string{"ratings.csv": ratings.String(), "links.csv": links.String(), "pairs.csv": pairs.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// stopped is what came of a command.
type stopped struct {
	signal  syscall.Signal // 0: it was left alone
	started bool           // it listened to signals when it came
	code    int
	said    string            // on standard error
	files   map[string]string // that it wrote, and what is in them
	took    time.Duration     // until it ended, from its start or from the signal
}

const asItWas = "as it was"

// run runs a command, and sends it a signal after a while; a negative one twice.
func (s stoppable) run(t *testing.T, inputs string, sig syscall.Signal, after time.Duration) *stopped {
	t.Helper()
	out, state := t.TempDir(), t.TempDir()
	line := strings.NewReplacer("IN/", inputs+"/", "OUT", out, "STATE", state).Replace(s.args)
	if sig != 0 && !s.partial { // there is something to lose
		for _, word := range strings.Fields(s.args) {
			if name, ok := strings.CutPrefix(word, "OUT/"); ok {
				if err := os.WriteFile(filepath.Join(out, name), []byte(asItWas), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	twice := sig < 0
	if twice {
		sig = -sig
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "palate", strings.Fields(line)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(stdin, s.keys)
	r := &stopped{signal: sig}
	if sig != 0 || s.endless {
		if s.endless && sig == 0 {
			sig, after = syscall.SIGINT, 500*time.Millisecond
		}
		time.Sleep(after)
		began = time.Now()
		cmd.Process.Signal(sig) // it may have ended
		if twice {
			time.Sleep(20 * time.Millisecond)
			cmd.Process.Signal(sig)
		}
	}
	cmd.Wait()
	r.took = time.Since(began)
	if s.endless && r.signal == 0 {
		r.took = time.Second
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.code, r.started, r.said = status.ExitStatus(), true, stderr.String()
	if status.Signaled() {
		r.code, r.started = 128+int(status.Signal()), false
	}
	r.files = map[string]string{}
	for _, name := range files(t, out) {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		r.files[name] = string(text)
	}
	if r.signal == 0 && !s.endless && r.code != 0 {
		t.Fatalf("palate %s: exit code %d\n%s", line, r.code, r.said)
	}
	return r
}

// check holds a command that was told to stop to its word. It may have ended before
// the signal came, or not yet have begun to listen.
func (r *stopped) check(t *testing.T, s stoppable, whole *stopped) {
	t.Helper()
	if err := r.wrong(s, whole); err != nil {
		t.Errorf("%s, %v: %v\nit said:\n%s", s.name, r.signal, err, r.said)
	}
}

func (r *stopped) wrong(s stoppable, whole *stopped) error {
	want := 128 + int(r.signal)
	told := strings.Count(r.said, "stopping…\n")
	if s.name == "load" && told > 0 { // its server says so, too
		told = 1
	}
	switch {
	case !r.started && r.code == want && r.said == "": // by the system, as of any process
	case r.code == 0 && told == 0 && !s.endless: // it was faster
	case told != 1:
		return fmt.Errorf("it says that it is stopping %d times", told)
	case s.orderly && r.code == 0:
	case r.code != want:
		return fmt.Errorf("exit code %d, want %d", r.code, want)
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		full, known := whole.files[name]
		switch {
		case strings.HasSuffix(name, ".tmp"), strings.HasPrefix(name, "palate-"), !known && !s.partial:
			return fmt.Errorf("%s is left behind", name)
		case s.partial:
			if r.files[name] == "" && full != "" {
				return fmt.Errorf("%s is empty", name)
			}
		case r.files[name] != full && r.files[name] != asItWas:
			return fmt.Errorf("%s is neither as it was nor whole", name)
		}
	}
	return nil
}
