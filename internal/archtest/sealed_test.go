package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// An exported interface of a public package can be implemented by others, or its
// comment says that it is sealed: it has unexported methods on purpose.
func TestSealedInterfacesSaySo(t *testing.T) {
	sealed := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "internal" || d.Name() == "lab" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					continue
				}
				of, ok := s.Type.(*ast.InterfaceType)
				if !ok {
					continue
				}
				closed := false
				for _, m := range of.Methods.List {
					for _, name := range m.Names {
						closed = closed || !name.IsExported()
					}
				}
				says := strings.Contains(g.Doc.Text()+s.Doc.Text(), "sealed")
				if closed != says {
					t.Errorf("%s: %s.%s has unexported methods: %v; its comment says that it is sealed: %v", path, f.Name.Name, s.Name.Name, closed, says)
				}
				if closed {
					sealed++
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sealed == 0 {
		t.Error("no interface is sealed, so the test sees nothing")
	}
}
