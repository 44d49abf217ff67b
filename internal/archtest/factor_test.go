package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// Matrices are factored and inverted by internal/num alone, so that there is one place
// that adds jitter, and says how much.
func TestFactorsAreMadeInOnePlace(t *testing.T) {
	rooms := []string{"internal/num", "internal/simd", "lab/internal/bench"} // the second holds the routines underneath, the third measures them
	makers := []string{"Cholesky", "BandCholesky", "PivotedCholesky", "Potrf", "Dpotrf", "Potri", "Dpotri", "InverseTo"}
	sources(t, func(set *token.FileSet, folder string, f *ast.File) {
		if slices.Contains(rooms, folder) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				from, ok := n.X.(*ast.Ident)
				if slices.Contains(makers, n.Sel.Name) && !(ok && from.Name == "num") {
					t.Errorf("%s: %s outside internal/num", set.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.CallExpr: // num.Exact has an Inverse of its own, without arguments
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Inverse" && len(n.Args) > 0 {
					t.Errorf("%s: an inverse outside internal/num", set.Position(n.Pos()))
				}
			}
			return true
		})
	})
}
