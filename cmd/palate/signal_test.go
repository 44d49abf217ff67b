package main

import (
	"bufio"
	"fmt"
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

	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/cli/clitest"
	"palate/model"
)

// stoppables are the commands that can take long, on inputs of a folder.
func stoppables() []clitest.Stoppable {
	var all []clitest.Stoppable
	add := func(name, args string) *clitest.Stoppable {
		all = append(all, clitest.Stoppable{Name: name, Args: args})
		return &all[len(all)-1]
	}
	for _, m := range fittable() {
		e, _ := model.Find(m)
		votes, about := "votes", ""
		if e.Needs.Has(model.Times) {
			votes = "times"
		}
		if e.Needs.Has(model.Ratings) {
			votes = "ratings"
		}
		if e.Needs.Has(model.ItemLinks) {
			about += " --links IN/links.csv"
		}
		if e.Needs.Has(model.ItemFeatures) {
			about += " --items IN/items.csv"
		}
		add("fit "+m, "fit IN/"+votes+".csv --model "+m+about+" -o OUT/m.palate")
	}
	add("fit checkpoint", "fit IN/votes.csv --model population --checkpoint STATE/c --checkpoint-every 1ms --trace STATE/t -o OUT/m.palate")
	add("fit on disk", "fit IN/votes.csv --model population --on-disk OUT -o OUT/m.palate")
	add("fit pairs of ratings", "fit IN/ratings.csv --model single -o OUT/m.palate")
	add("rank", "rank IN/votes.csv -o OUT/board.txt")
	add("rank ratings", "rank IN/ratings.csv --model single --csv -o OUT/board.csv")
	add("rank html", "rank IN/votes.csv --model single --html OUT/report.html --folds 2 -o OUT/board.txt")
	add("predict", "predict IN/m.palate --pairs IN/pairs.csv -o OUT/chances.csv")
	add("factors", "factors IN/m.palate --items -o OUT/factors.csv")
	add("evaluate", "evaluate IN/votes.csv --models single --folds 3 -o OUT/figures.txt")
	add("agree", "agree IN/votes.csv --csv -o OUT/voters.csv")
	add("judging", "judging IN/votes.csv --csv -o OUT/judged.csv")
	add("plot", "plot learning IN/votes.csv --model bt -o OUT/curve.png")
	add("plot matrix", "plot matrix IN/m.palate -o OUT/matrix.svg")
	add("explain", "explain IN/votes.csv --items IN/items.csv --model single --held-out --folds 2 --csv -o OUT/explained.csv")
	add("segments", "segments IN/votes.csv --resamples 30 --csv -o OUT/segments.csv")
	add("compare", "compare IN/votes.csv --model single --csv -o OUT/compared.csv")
	add("shares", "shares IN/people.palate --each -o OUT/shares.csv")
	add("design", "design IN/items.csv -k 3 --tasks 8 --versions 300 -o OUT/tasks.csv")
	add("turf", "turf IN/people.palate -k 4 -o OUT/turf.csv")
	add("consistency", "consistency IN/people.palate -o OUT/consistency.csv")
	add("top", "top IN/m.palate -n 100 -o OUT/top.parquet")
	add("neighbours", "neighbours IN/people.palate --users all -o OUT/friends.parquet")
	add("export", "export IN/m.palate --tastes -o OUT/m.npz")
	add("next", "next IN/votes.csv --model single -k 5 --csv -o OUT/ask.csv")
	add("check", "check IN/ratings.csv -o OUT/found.txt")
	add("convert", "convert IN/ratings.csv -o OUT/votes.parquet")
	add("simulate", "simulate --items 300 --users 50 --model crowd --votes 20000 -o OUT/votes.csv --truth OUT/truth.csv")
	add("simulate policies", "simulate --items 30 --votes 60 --repeats 3 --policy soft-bald,random -o OUT/curves.csv")
	ask := add("ask", "ask --items IN/items.csv -o OUT/mine.csv")
	ask.Keys, ask.Endless, ask.Partial = "1 2 t s 1 2 1 1", true, true
	tune := add("tune", "tune --param a=0..1 --param b=0..1 --duels OUT/mine.jsonl")
	tune.Keys, tune.Endless, tune.Partial = "1 2 t s 1 2 1 1", true, true
	serve := add("serve", "serve --addr 127.0.0.1:0 --db STATE/palate.db --address-file OUT/address --quiet")
	serve.Endless, serve.Orderly, serve.Partial = true, true, true
	model := add("serve model", "serve --model IN/m.palate --addr 127.0.0.1:0 --address-file OUT/address --quiet")
	model.Endless, model.Orderly, model.Partial = true, true, true
	add("backup", "backup --db IN/p.db OUT/copy.db")
	add("restore", "restore --force IN/p.db --db OUT/back.db")
	add("load", "load --kill 2 --db STATE/load.db --boards 2 --items 20 --voters 5 --rate 50 --seconds 1")
	add("load model", "load --model IN/m.palate --seconds 1")
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
		cmd, _, err := root.Find(strings.Fields(s.Args))
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		for ; cmd != root; cmd = cmd.Parent() {
			tried[cmd.Name()] = true
		}
		if (cmd.Annotations[cli.InOrder] != "") && !s.Orderly {
			t.Errorf("%s: ends in order", s.Name)
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
		"simulate --items 15 --votes 300 --drift 1 --seed 3 -o times.csv",
		"fit votes.csv --model crowd -q -o m.palate",
		"fit votes.csv --model population -q -o people.palate",
		"load --kill 1 --db p.db --boards 1 --items 5 --voters 2 --rate 20 --seconds 1",
	}
	prepare(t, inputs, small, 12, 30)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range stoppables() {
		t.Run(s.Name, func(t *testing.T) {
			whole := s.Run(t, "palate", inputs, 0, 0)
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, -syscall.SIGINT} {
				after := time.Duration(rng.Float64() * float64(whole.Took))
				s.Run(t, "palate", inputs, sig, after).Check(t, s, whole)
			}
		})
	}
}

// lengthy are commands on inputs that take ten seconds of a processor and more, some of
// them of published data.
func lengthy() []clitest.Stoppable {
	var all []clitest.Stoppable
	for name, args := range map[string]string{
		// reading
		"check":         "check IN/many.csv -o OUT/found.txt",
		"check ratings": "check IN/movies.csv.gz IN/jester.csv IN/movies.csv.gz IN/jester.csv --max-pairs 20000 -o OUT/found.txt",
		// reading and writing
		"convert":         "convert IN/jester.csv --max-pairs 0 -o OUT/votes.csv.gz",
		"convert parquet": "convert IN/many.csv -o OUT/votes.parquet",
		// every engine
		"fit single":     "fit IN/near.csv --items IN/near-items.csv --model single --lengths learnt -o OUT/m.palate",
		"fit bt":         "fit IN/broad.csv --model bt -o OUT/m.palate",
		"fit population": "fit IN/people.csv --model population -o OUT/m.palate",
		"fit checkpoint": "fit IN/people.csv --model population --checkpoint STATE/c --checkpoint-every 1s -o OUT/m.palate",
		"fit crowd":      "fit IN/votes.csv --items IN/items.csv --model crowd --tastes wide --smoothness smooth -o OUT/m.palate",
		// choosing, drawing, holding out
		"rank":        "rank IN/votes.csv --csv -o OUT/board.csv",
		"rank people": "rank IN/people.csv --model population --csv -o OUT/board.csv",
		"rank movies": "rank IN/movies.csv.gz --model bt --csv -o OUT/board.csv",
		"rank html":   "rank IN/mid.csv --model single --html OUT/report.html -o OUT/board.txt",
		"predict":     "predict IN/m.palate --pairs IN/asked.csv -o OUT/chances.csv",
		"evaluate":    "evaluate IN/mid.csv --models single --folds 10 -o OUT/figures.txt",
		"agree":       "agree IN/folk.csv --csv -o OUT/voters.csv",
		"judging":     "judging IN/folk.csv --csv -o OUT/judged.csv",
		"plot":        "plot learning IN/mid.csv --model single -o OUT/curve.png",
		"next":        "next IN/wide.csv --model single -k 5 --csv -o OUT/ask.csv",
		// making up
		"simulate":          "simulate --items 4000 --features 5 --users 1000 --model population --votes 2000000 -o OUT/votes.csv --truth OUT/truth.csv",
		"simulate policies": "simulate --items 150 --votes 600 --repeats 40 --policy soft-bald,random -o OUT/curves.csv",
		// serving
		"serve": "serve --addr 127.0.0.1:0 --db STATE/palate.db --address-file OUT/address --quiet",
		"load":  "load --kill 5 --db STATE/load.db --boards 3 --items 50 --voters 10 --rate 20 --seconds 10",
	} {
		s := clitest.Stoppable{Name: name, Args: args}
		s.Partial = name == "serve"
		s.Endless, s.Orderly = name == "serve", name == "serve"
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b clitest.Stoppable) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// lengthyInputs makes the inputs of lengthy.
func lengthyInputs(t *testing.T, data, inputs string) {
	t.Helper()
	for from, to := range map[string]string{"field/jester.csv.gz": "jester.csv", "movielens-1m/ratings.csv.gz": "movies.csv.gz"} {
		if err := os.Symlink(filepath.Join(data, from), filepath.Join(inputs, to)); err != nil {
			t.Fatal(err)
		}
	}
	prepare(t, inputs, []string{
		"simulate --items 100 --users 500 --votes 11000000 --seed 4 -o many.csv",
		"simulate --items 420 --votes 4200 --seed 5 -o mid.csv",
		"simulate --items 1150 --votes 11500 --seed 5 -o wide.csv",
		"simulate --items 2300 --votes 23000 --seed 5 -o broad.csv",
		"simulate --model crowd --items 600 --users 50 --votes 30000 --features 3 --seed 3 -o near.csv --items-out near-items.csv",
		"simulate --model crowd --items 100 --users 600 --votes 360000 --seed 7 -o folk.csv",
		"simulate --model crowd --items 150 --users 50 --votes 2500 --seed 6 -o few.csv --items-out items.csv",
		"fit few.csv --model crowd -q -o m.palate",
		"fit few.csv --model population -q -o people.palate",
		"simulate --model crowd --items 150 --users 200 --votes 26000 --features 3 --seed 3 -o votes.csv --items-out items.csv",
	}, 10, 10)
	// Every pair of the model's items, to each of its voters.
	var asked strings.Builder
	asked.WriteString("user,left,right\n")
	for u := range 50 {
		for i := range 150 {
			for j := range 150 {
				if i != j {
					fmt.Fprintf(&asked, "voter%03d,item%03d,item%03d\n", u+1, i+1, j+1)
				}
			}
		}
	}
	if err := os.WriteFile(filepath.Join(inputs, "asked.csv"), []byte(asked.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	// The ratings of Jester's first 1500 people.
	in, err := ingest.Open(filepath.Join(inputs, "jester.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var people strings.Builder
	for lines := bufio.NewScanner(in); lines.Scan(); {
		user, _, _ := strings.Cut(lines.Text(), ",")
		if n, err := strconv.Atoi(strings.TrimPrefix(user, "u")); err != nil || n < 1500 { // the first line is the header
			people.WriteString(lines.Text() + "\n")
		}
	}
	if err := os.WriteFile(filepath.Join(inputs, "people.csv"), []byte(people.String()), 0o666); err != nil {
		t.Fatal(err)
	}
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
	lengthyInputs(t, data, inputs)
	all := lengthy()
	var mu sync.Mutex
	var stops []float64
	ended := 0
	lines := make([]string, len(all))
	t.Run("trials", func(t *testing.T) {
		for k, s := range all {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(k), 7))
				whole := s.Run(t, "palate", inputs, 0, 0)
				if s.Endless {
					whole.Took = 10 * time.Second
				}
				var mine []float64
				faster := 0
				for j := k; j < trials; j += len(all) {
					sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[(j/len(all))%2]
					r := s.Run(t, "palate", inputs, sig, time.Duration(rng.Float64()*float64(whole.Took)))
					r.Check(t, s, whole)
					if !r.Told() {
						faster++
						continue
					}
					if r.Took > 5*time.Second {
						t.Errorf("%s, %v: %v to stop", s.Name, sig, r.Took)
					}
					mine = append(mine, r.Took.Seconds())
				}
				mu.Lock()
				defer mu.Unlock()
				stops = append(stops, mine...)
				ended += faster
				lines[k] = fmt.Sprintf("%-18s %7.1f %7.1f %5d %5d  %s", s.Name, whole.Took.Seconds(), whole.CPU.Seconds(), len(mine), faster, spread(mine))
				t.Log(lines[k])
			})
		}
	})
	t.Logf("a whole run in seconds and in seconds of a processor; trials, and others whose command had ended or not begun to listen; seconds to stop: median, 90%%, most\n%s\n%-34s %5d %5d  %s",
		strings.Join(lines, "\n"), "all", len(stops), ended, spread(stops))
}

// spread shows the median, the ninth decile and the largest of some numbers.
func spread(x []float64) string {
	if len(x) == 0 {
		return ""
	}
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
