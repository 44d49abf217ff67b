package doctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Programs of the documents are whole: in a module of their own, which points at this
// one, they pass go vet, run, and print what the document says.
func TestProgramsOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range documents(t) {
		for k, b := range d.blocks {
			if !isProgram(b) {
				continue
			}
			found++
			if len(b.lines) > 30 {
				t.Errorf("%s:%d: %d lines; a program to begin with has 30 at most", d.name, b.line, len(b.lines))
			}
			dir := t.TempDir()
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			mod, err := os.ReadFile(filepath.Join(here, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			sum, err := os.ReadFile(filepath.Join(here, "go.sum"))
			if err != nil {
				t.Fatal(err)
			}
			// What go mod tidy would find out from the network is in ours.
			_, requires, _ := strings.Cut(string(mod), "\n")
			write("go.mod", "module example\n"+requires+"\nrequire palate v0.0.0\n\nreplace palate => "+here+"\n")
			write("go.sum", string(sum))
			write("main.go", strings.Join(b.lines, "\n")+"\n")
			run := func(args ...string) string {
				cmd := exec.Command("go", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s:%d: go %s: %v\n%s", d.name, b.line, strings.Join(args, " "), err, out)
				}
				return string(out)
			}
			run("vet", "./...")
			out := run("run", ".")
			if k+1 == len(d.blocks) || d.blocks[k+1].language != "text" {
				t.Fatalf("%s:%d: no block of text after the program says what it prints", d.name, b.line)
			}
			if want := strings.Join(d.blocks[k+1].lines, "\n") + "\n"; out != want {
				t.Errorf("%s:%d: the program prints\n%s, the document has\n%s", d.name, b.line, out, want)
			}
		}
	}
	if found == 0 {
		t.Error("no document has a program")
	}
}

// isProgram reports whether a block is a whole program.
func isProgram(b block) bool {
	for _, line := range b.lines {
		if line == "package main" {
			return b.language == "go"
		}
	}
	return false
}
