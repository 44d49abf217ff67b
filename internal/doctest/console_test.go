package doctest

import (
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what console blocks show")

// buildCommand builds palate into a folder and returns the folder.
func buildCommand(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/palate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building palate: %v\n%s", err, out)
	}
	return dir
}

func TestConsoleBlocks(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to run console blocks with")
	}
	bin := buildCommand(t)
	path := "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	commands := 0
	for _, d := range documents(t) {
		t.Run(d.name, func(t *testing.T) {
			dir := t.TempDir()
			for i, b := range d.blocks {
				if b.language != "console" {
					continue
				}
				var lines []string
				for _, s := range steps(t, d.name, b) {
					commands++
					cmd := exec.Command(shell, "-c", s.command)
					cmd.Dir, cmd.Env = dir, append(os.Environ(), path)
					out, _ := cmd.CombinedOutput() // what goes wrong is part of what is shown
					got := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
					if len(out) == 0 {
						got = nil
					}
					if shows(s.output, got) {
						got = s.output
					}
					lines = append(append(lines, "$ "+s.command), got...)
					if !*update && !shows(s.output, got) {
						t.Errorf("%s:%d: $ %s\nprints\n%s\nnot\n%s", d.name, s.line, s.command, strings.Join(got, "\n"), strings.Join(s.output, "\n"))
					}
				}
				d.blocks[i].lines = lines
			}
			if *update {
				d.rewrite(t)
			}
		})
	}
	if commands < 5 {
		t.Errorf("only %d commands in all documents", commands)
	}
}

type step struct {
	command string
	line    int
	output  []string
}

func steps(t *testing.T, name string, b block) (all []step) {
	t.Helper()
	for i, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, step{command: command, line: b.line + i})
			continue
		}
		if len(all) == 0 {
			t.Fatalf("%s:%d: a console block begins with a command", name, b.line)
		}
		last := &all[len(all)-1]
		last.output = append(last.output, line)
	}
	for i := range all { // a blank line before the next command is for the eye
		o := all[i].output
		for len(o) > 0 && o[len(o)-1] == "" {
			o = o[:len(o)-1]
		}
		all[i].output = o
	}
	return all
}

// shows reports whether the lines shown are those printed, "…" standing for any.
func shows(shown, printed []string) bool {
	if len(shown) == 0 {
		return len(printed) == 0
	}
	if shown[0] == "…" {
		for k := range len(printed) + 1 {
			if shows(shown[1:], printed[k:]) {
				return true
			}
		}
		return false
	}
	return len(printed) > 0 && same(shown[0], printed[0]) && shows(shown[1:], printed[1:])
}

// long are numbers whose last digits processors may disagree on.
var long = regexp.MustCompile(`-?\d+\.\d{4,}`)

// same reports whether two lines are equal, long numbers to three decimals or so.
func same(a, b string) bool {
	if strings.TrimRight(long.ReplaceAllString(a, "#"), " ") != strings.TrimRight(long.ReplaceAllString(b, "#"), " ") {
		return false
	}
	y := long.FindAllString(b, -1)
	for i, x := range long.FindAllString(a, -1) {
		p, err := strconv.ParseFloat(x, 64)
		q, err2 := strconv.ParseFloat(y[i], 64)
		if err != nil || err2 != nil || math.Abs(p-q) > 5e-4 {
			return false
		}
	}
	return true
}

func TestShows(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a", "a b", false}, {"", "a", false}, {"a b", "a", false},
		{"p=0.12345", "p=0.12344", true}, {"p=0.1234", "p=0.1254", false}, {"0.12", "0.13", false}, {"0.1234", "x", false},
		{"… b", "a x b", true}, {"a …", "a", true}, {"a … c", "a b d", false}, {"a … c … e", "a b c d e", true},
	} {
		if got := shows(strings.Fields(c.shown), strings.Fields(c.printed)); got != c.want {
			t.Errorf("shows(%q, %q) = %v", c.shown, c.printed, got)
		}
	}
}
