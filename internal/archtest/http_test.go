package archtest

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestServiceWithoutHTTP: what is done with votes knows nothing of HTTP; that is
// server/web and server/ui.
func TestServiceWithoutHTTP(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "server", "*.go"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if strings.HasPrefix(spec.Path.Value, `"net/http`) {
				t.Errorf("%s imports %s", file, spec.Path.Value)
			}
		}
	}
}
