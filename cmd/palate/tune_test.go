package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTuneInTerminal: six answers in a terminal, one of them taken back, in one go and in two
// with Ctrl-C between, are those that a pipe gives; the screen shows both points, and the best
// one at the end.
func TestTuneInTerminal(t *testing.T) {
	dir := t.TempDir()
	const space = `{"parameters": [{"name": "dose", "from": 14, "to": 22}, {"name": "milk", "choices": ["none", "oat"]}], "start": {"dose": 16, "milk": "oat"}}`
	if err := os.WriteFile(filepath.Join(dir, "espresso.json"), []byte(space), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	args := func(duels string) []string { return []string{"tune", "espresso.json", "--duels", duels} }
	left, right := "\x1b[D", "\x1b[C"
	_, whole := typist(t, dir, []string{"1", right, "t", left, "2", "q"}, args("whole.jsonl")...)
	if n := strings.Count(read("whole.jsonl"), "\n"); n != 6 || !strings.Contains(whole, "Best point after 5 answers:") || !strings.Contains(whole, "Better than the start with chance") {
		t.Errorf("%d lines; at the end:\n%s", n, whole)
	}
	_, undone := typist(t, dir, []string{"1", "2", "1", "u", "t", "1", "\x03"}, args("parts.jsonl")...)
	_, resumed := typist(t, dir, []string{"2", "q"}, args("parts.jsonl")...)
	if read("parts.jsonl") != read("whole.jsonl") || resumed != whole {
		t.Errorf("in parts:\n%s%s%s\nwhole:\n%s%s", read("parts.jsonl"), undone, resumed, read("whole.jsonl"), whole)
	}
}
