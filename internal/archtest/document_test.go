package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toCome marks the row of a package that is planned.
const toCome = "to come:"

// documented reads the rows of the table in docs/architecture.md, and what
// they say the packages hold.
func documented(t *testing.T) (rows []row, holds map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([^`]+)`")
	holds = map[string]string{}
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if slices.Equal(cells, []string{"package", "holds", "may import"}) {
			inside = true
			continue
		}
		if !inside || strings.HasPrefix(cells[0], "-") {
			continue
		}
		if len(cells) != 3 || !name.MatchString(cells[0]) {
			t.Fatalf("cannot read the row %q", line)
		}
		r := row{name: name.FindStringSubmatch(cells[0])[1]}
		for _, m := range name.FindAllStringSubmatch(cells[2], -1) {
			r.imports = append(r.imports, m[1])
		}
		rows = append(rows, r)
		holds[r.name] = cells[1]
	}
	return rows, holds
}

func TestDocumentIsTheTable(t *testing.T) {
	got, _ := documented(t)
	want := table()
	if len(got) != len(want) {
		t.Errorf("the document has %d rows, the test %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i].name != want[i].name {
			t.Fatalf("row %d is %s in the document, %s in the test", i+1, got[i].name, want[i].name)
		}
		if !slices.Equal(got[i].imports, want[i].imports) {
			t.Errorf("%s may import %q in the document, %q in the test", want[i].name, got[i].imports, want[i].imports)
		}
	}
}

func TestWhatIsToComeIsNotThere(t *testing.T) {
	_, holds := documented(t)
	found := imports(t)
	for name, text := range holds {
		if _, there := found[name]; there && strings.HasPrefix(text, toCome) {
			t.Errorf("%s is there, but the document says %q", name, text)
		}
	}
}
