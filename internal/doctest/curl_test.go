package doctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurlSendsJSON wants what curl sends to a server to be called JSON: else it is taken for a form, and refused.
func TestCurlSendsJSON(t *testing.T) {
	found := 0
	for _, d := range documents(t) {
		text, err := os.ReadFile(filepath.Join(root, d.name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", "")) {
			if !strings.HasPrefix(strings.TrimSpace(line), "curl ") || !strings.Contains(line, " -d ") {
				continue
			}
			found++
			if !strings.Contains(line, "Content-Type: application/json") {
				t.Errorf("%s: %s does not say that it sends JSON", d.name, strings.TrimSpace(line))
			}
		}
	}
	if found == 0 {
		t.Error("no document has curl -d")
	}
}
