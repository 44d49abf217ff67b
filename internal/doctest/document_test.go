package doctest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// document is a text with its blocks of code.
type document struct {
	name   string // path from the root
	text   string // what is outside of blocks
	blocks []block
}

type block struct {
	language string
	line     int // of its first line
	lines    []string
}

// documents reads all of them.
func documents(t *testing.T) []document {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	paths = append([]string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}, paths...)
	var docs []document
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, parse(filepath.ToSlash(name), string(text)))
	}
	return docs
}

func parse(name, text string) document {
	d := document{name: name}
	var prose strings.Builder
	var open *block
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{language: fence, line: n + 1}
		case isFence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		default:
			prose.WriteString(line + "\n")
		}
	}
	d.text = prose.String()
	return d
}

// rewrite puts the lines of the blocks in place of those in the file.
func (d *document) rewrite(t *testing.T) {
	t.Helper()
	path := filepath.Join(root, d.name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := parse(d.name, string(text))
	lines := strings.Split(string(text), "\n")
	for i, b := range slices.Backward(old.blocks) {
		lines = slices.Replace(lines, b.line-1, b.line-1+len(b.lines), d.blocks[i].lines...)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}
