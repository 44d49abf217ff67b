package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "palate"
	root   = "../.."
)

// imports returns, for every package of the module, the packages of the module
// that its files import, each with one of those files.
func imports(t *testing.T) map[string]map[string]string {
	t.Helper()
	found := map[string]map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file == root {
				return nil
			}
			name := d.Name()
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || err == nil {
				return filepath.SkipDir // not of this module
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		name := local(path.Join(module, filepath.ToSlash(dir)))
		if found[name] == nil {
			found[name] = map[string]string{}
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if p == module || strings.HasPrefix(p, module+"/") {
				found[name][local(p)] = filepath.Base(file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// local takes the module off an import path; the root keeps its name.
func local(importPath string) string {
	if importPath == module {
		return module
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func TestImports(t *testing.T) {
	allowed := map[string][]string{}
	for _, r := range table() {
		allowed[r.name] = r.imports
	}
	found := imports(t)
	if len(found) < 10 {
		t.Fatalf("found only %d packages: not at the root of the module?", len(found))
	}
	for name, imported := range found {
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s is not in the table", name)
			continue
		}
		for p, file := range imported {
			if !slices.Contains(may, p) {
				t.Errorf("%s imports %s (in %s); it may import %q", name, p, file, may)
			}
		}
	}
}

func TestOneDirection(t *testing.T) {
	above := map[string]bool{}
	for _, r := range table() {
		if above[r.name] {
			t.Errorf("%s is listed twice", r.name)
		}
		for _, p := range r.imports {
			if !above[p] {
				t.Errorf("%s may import %s, which is not listed above it", r.name, p)
			}
		}
		above[r.name] = true
	}
}

func TestNever(t *testing.T) {
	for _, r := range table() {
		for _, p := range strings.Fields(nevers()[r.name]) {
			if slices.Contains(r.imports, p) {
				t.Errorf("%s is never to import %s, but its row says so", r.name, p)
			}
		}
	}
}

// TestLabStandsApart: the lab looks at the product, which knows nothing of it.
func TestLabStandsApart(t *testing.T) {
	lab := func(name string) bool { return name == "lab" || strings.HasPrefix(name, "lab/") }
	for name, imported := range imports(t) {
		for p, file := range imported {
			if lab(p) && !lab(name) {
				t.Errorf("%s imports %s (in %s), which is the lab's", name, p, file)
			}
		}
	}
}
