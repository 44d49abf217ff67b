package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Dense algebra is called from internal/simd, not from what happens to be registered
// with gonum in the process: importing the library changes nothing there, and nothing
// there changes what it computes.
func TestDenseAlgebraIsCalledDirectly(t *testing.T) {
	registered := []string{"gonum.org/v1/gonum/blas/blas64", "gonum.org/v1/gonum/lapack/lapack64"}
	products := []string{"Mul", "MulVec", "SymOuterK", "SymRankOne", "SymRankK", "RankOne"}
	sources(t, func(set *token.FileSet, folder string, f *ast.File) {
		if folder == "internal/simd" || strings.HasPrefix(folder, "lab/") { // which measures gonum beside
			return
		}
		matrices := false
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			matrices = matrices || path == "gonum.org/v1/gonum/mat"
			if slices.Contains(registered, path) {
				t.Errorf("%s: imports %s; internal/simd has its names", set.Position(spec.Pos()), path)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !matrices {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(products, s.Sel.Name) {
				return true
			}
			if from, ok := s.X.(*ast.Ident); !ok || from.Name != "simd" {
				t.Errorf("%s: %s of gonum's mat; internal/simd has one", set.Position(n.Pos()), s.Sel.Name)
			}
			return true
		})
	})
}
