package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain is the program itself where a test starts it so.
func TestMain(m *testing.M) {
	if os.Getenv("PALATE_CLUSTER") == "run" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is the program with a command line, in a folder.
func program(folder string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "PALATE_CLUSTER=run")
	return cmd
}

func must(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
	return string(out)
}

func votes(t *testing.T, folder string) {
	var b strings.Builder
	b.WriteString("user,left,right,winner\n")
	for k := range 1200 {
		i, j := k%7, (k+1+k/7%6)%7
		w := "left"
		if (k*k+i*j)%5 < 2 {
			w = "right"
		}
		fmt.Fprintf(&b, "v%d,i%d,i%d,%s\n", k%60, i, j, w)
	}
	if err := os.WriteFile(filepath.Join(folder, "votes.csv"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A driver that is killed again and again, between evaluations and within them, ends with the same bytes as one that
// was left alone; and there is no model before it is whole.
func TestKilledDriver(t *testing.T) {
	folder := t.TempDir()
	votes(t, folder)
	fit := func(work, out string) *exec.Cmd {
		return program(folder, "fit", "votes.csv", "--work", work, "--shards", "4", "--factors", "2", "-o", out)
	}
	must(t, fit("calm", "calm.palate"))
	kills := 0
	for _, at := range []string{"deal.json", "fit/query-00001", "fit/told-00002", "fit/sites-00005-*", "fit/told-00007", "fit/query-00009"} {
		cmd := fit("wild", "wild.palate")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for alive := true; alive; {
			if found, _ := filepath.Glob(filepath.Join(folder, "wild", at)); len(found) > 0 {
				cmd.Process.Kill()
				<-ended
				kills++
				break
			}
			select {
			case err := <-ended:
				t.Fatalf("it ended before %s: %v", at, err)
			case <-time.After(time.Millisecond):
			}
		}
		if _, err := os.Stat(filepath.Join(folder, "wild.palate")); err == nil {
			t.Fatalf("there is a model after %d kills", kills)
		}
	}
	said := must(t, fit("wild", "wild.palate"))
	if !strings.Contains(said, "(as before)") {
		t.Errorf("nothing was taken from before: %s", said)
	}
	for _, name := range []string{".palate", "/deal.json", "/fit/fit.json", "/fit/told-00009"} {
		calm, err := os.ReadFile(filepath.Join(folder, "calm"+name))
		if err != nil {
			t.Fatal(err)
		}
		wild, err := os.ReadFile(filepath.Join(folder, "wild"+name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(calm, wild) {
			t.Errorf("%s is another after %d kills", name, kills)
		}
	}
}

// All commands one after the other.
func TestCommands(t *testing.T) {
	folder := t.TempDir()
	votes(t, folder)
	if err := os.WriteFile(filepath.Join(folder, "pairs.csv"), []byte("user,left,right\nv1,i1,i2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"deal votes.csv --shards 3 --hold-out 0.1 -o crowd",
		"fit crowd --factors 1 -o people.palate",
		"top crowd -n 2 -o lists",
		"predict crowd pairs.csv -o said --format jsonl",
		"evaluate crowd",
		"deal votes.csv --like crowd -o new",
		"fold new --into crowd",
		"top new --unseen --format csv -o lists",
		"tally votes.csv -o counts.csv",
	} {
		must(t, program(folder, strings.Fields(line)...))
	}
	for _, name := range []string{"people.palate", "lists/top-00002-of-00003.parquet", "lists/top-00000-of-00003.csv", "counts.csv"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	for line, want := range map[string]string{
		"deal votes.csv":                 "-o FOLDER",
		"deal votes.csv --runner x -o y": "there is no runner",
		"fit nowhere":                    "no votes were dealt",
		"top crowd":                      "-o FOLDER",
		"top crowd --format x -o y":      "it is one of",
		"tally votes.csv -o counts.txt":  "the name ends in",
		"fold new":                       "--into",
		"fit crowd --runner flink":       "--endpoint",
		"evaluate new":                   "--hold-out",

		"fit crowd --model crowd":         "mean and the factors of the population",
		"fit crowd --model bt":            "palate-cluster tally",
		"fit crowd --model joint":         "by palate fit",
		"fit crowd --items items.csv":     "features of items: not in a fit in shards; fit on one machine, with palate fit --items",
		"fit crowd --users users.csv":     "features of voters",
		"fit crowd --rankings whole":      "answers about several items",
		"deal votes.csv --links x -o y":   "links between items",
		"deal votes.csv --nonesuch -o y":  "unknown flag",
		"fit crowd --steps 1 --factors x": "--factors",
	} {
		out, err := program(folder, strings.Fields(line)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", line, err, out)
		}
	}
}

// Answers about several items are taken as their pairs, and that is said.
func TestAnswersAreSaidToBePairs(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "orders.csv"), []byte("user,ranking\nann,a>b>c\nbob,c>b>a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said := must(t, program(folder, "deal", "orders.csv", "--shards", "1", "-o", "crowd"))
	if !strings.Contains(said, "taken as their pairs; palate fit takes them whole") {
		t.Error(said)
	}
}

// Every command tells what it is for, and by an example how.
func TestHelp(t *testing.T) {
	for _, c := range newRoot().Commands() {
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s has no description or no example", c.Name())
		}
	}
}
