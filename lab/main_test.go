package main

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli/clitest"
)

// TestMain makes this test binary the command lab, for scripts and for exec.Command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lab": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": clitest.Exits},
	})
}

// all are the commands of a tree, without what cobra adds.
func all(root *cobra.Command) (found []*cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" && cmd.Name() != "completion" {
			found = append(append(found, cmd), all(cmd)...)
		}
	}
	return found
}

// TestEveryCommandHasHelpAndScript holds every command to a help text with an example of
// itself, a word for what its flags take, and a script that runs it.
func TestEveryCommandHasHelpAndScript(t *testing.T) {
	var scripts strings.Builder
	files, err := os.ReadDir("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile("testdata/script/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for _, cmd := range all(newRoot()) {
		path := cmd.CommandPath()
		if cmd.Short == "" || cmd.Long == "" || !strings.Contains(cmd.Example, "go run ./"+path) {
			t.Errorf("%s: no description, or no example", path)
		}
		if !strings.Contains(scripts.String(), "exec "+path) && !strings.Contains(scripts.String(), "exits 1 "+path) {
			t.Errorf("no script runs %s", path)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 110 {
				t.Errorf("%s: a line of help is too long: %s", path, line)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
				t.Errorf("%s: --%s takes a %q: name it in its description, `LIKE THIS`", path, f.Name, name)
			}
		})
	}
}

// stoppables are the commands that can take long.
func stoppables() []clitest.Stoppable {
	return []clitest.Stoppable{
		{Name: "reproduce", Args: "reproduce simulations --sets single --repeats 1 --figures OUT -o OUT/table.txt", Partial: true},
		{Name: "pictures", Args: "pictures OUT --items 3", Partial: true},
		{Name: "bench", Args: "bench --only potrf100 -o OUT/bench.txt", Partial: true},
	}
}

// TestSignals stops every command at times drawn at random: once by each signal, and once
// by two signals.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	tried := []string{"count"} // takes no time
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range stoppables() {
		tried = append(tried, strings.Fields(s.Args)[0])
		t.Run(s.Name, func(t *testing.T) {
			whole := s.Run(t, "lab", "", 0, 0)
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, -syscall.SIGINT} {
				after := time.Duration(rng.Float64() * float64(whole.Took))
				s.Run(t, "lab", "", sig, after).Check(t, s, whole)
			}
		})
	}
	for _, cmd := range newRoot().Commands() {
		if !slices.Contains(tried, cmd.Name()) {
			t.Errorf("%s: give it a row in stoppables", cmd.Name())
		}
	}
}
