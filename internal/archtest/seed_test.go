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

// A seed is never made from another by adding to it: runs with neighbouring seeds would share most of what they draw.
// Further seeds are drawn from a generator with the first.
func TestSeedsAreDrawnNotCounted(t *testing.T) {
	sources(t, func(set *token.FileSet, _ string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if counts(n.Op) && (seed(n.X) || seed(n.Y)) {
					t.Errorf("%s: a seed is made by %v", set.Position(n.Pos()), n.Op)
				}
			case *ast.AssignStmt:
				if (n.Tok == token.ADD_ASSIGN || n.Tok == token.XOR_ASSIGN) && seed(n.Lhs[0]) {
					t.Errorf("%s: a seed is made by %v", set.Position(n.Pos()), n.Tok)
				}
			case *ast.IncDecStmt:
				if seed(n.X) {
					t.Errorf("%s: a seed is made by %v", set.Position(n.Pos()), n.Tok)
				}
			}
			return true
		})
	})
}

// sources parses every file that is not a test, and tells the folder of each.
func sources(t *testing.T, look func(set *token.FileSet, folder string, f *ast.File)) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || file != root && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		look(set, filepath.ToSlash(folder), f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func counts(op token.Token) bool { return op == token.ADD || op == token.SUB || op == token.XOR }

// seed reports whether an expression is called a seed.
func seed(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(e.Name, "seed")
	case *ast.SelectorExpr:
		return strings.EqualFold(e.Sel.Name, "seed")
	}
	return false
}
