// Package declared reads from a package's own source what it declares, so that
// a test can insist that its table lists every implementation.
package declared

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Methods returns the names of the types in the current folder, test files
// apart, that declare a method of that name.
func Methods(t testing.TB, method string) (types []string) {
	t.Helper()
	each(t, func(f *ast.FuncDecl) {
		if f.Recv == nil || f.Name.Name != method {
			return
		}
		types = append(types, receiver(f))
	})
	return types
}

// Functions returns the names of the exported functions in the current folder,
// methods and test files apart.
func Functions(t testing.TB) (names []string) {
	t.Helper()
	each(t, func(f *ast.FuncDecl) {
		if f.Recv == nil && f.Name.IsExported() {
			names = append(names, f.Name.Name)
		}
	})
	return names
}

// Contexts returns the names of the exported functions in the current folder, and of
// exported methods of exported types as Type.Method, whose first argument is a context.
func Contexts(t testing.TB) (names []string) {
	t.Helper()
	each(t, func(f *ast.FuncDecl) {
		name := f.Name.Name
		if f.Recv != nil {
			recv := receiver(f)
			if !ast.IsExported(recv) {
				return
			}
			name = recv + "." + name
		}
		if first := f.Type.Params.List; f.Name.IsExported() && len(first) > 0 {
			if of, ok := first[0].Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Context" {
				names = append(names, name)
			}
		}
	})
	return names
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	recv := f.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	if generic, ok := recv.(*ast.IndexExpr); ok {
		recv = generic.X
	}
	return recv.(*ast.Ident).Name
}

// Returning returns the names of the exported functions in the current folder
// whose only result, an error apart, is a pointer to a type.
func Returning(t testing.TB, typ string) (names []string) {
	t.Helper()
	each(t, func(f *ast.FuncDecl) {
		if f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) > 2 {
			return
		}
		if star, ok := f.Type.Results.List[0].Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && id.Name == typ {
				names = append(names, f.Name.Name)
			}
		}
	})
	return names
}

// Arguments returns the strings that the current folder, test files apart, passes to
// functions or methods of some names. Of one that is put together only the last part
// is known: name + "_end" is "*_end".
func Arguments(t testing.TB, callees ...string) (args []string) {
	t.Helper()
	each(t, func(f *ast.FuncDecl) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains(callees, callee(call.Fun)) {
				return true
			}
			for _, a := range call.Args {
				prefix := ""
				if sum, ok := a.(*ast.BinaryExpr); ok {
					a, prefix = sum.Y, "*"
				}
				if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					args = append(args, prefix+s)
				}
			}
			return true
		})
	})
	return args
}

// callee returns the name of what a call calls, whatever it belongs to.
func callee(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return callee(f.X)
	}
	return ""
}

func each(t testing.TB, visit func(*ast.FuncDecl)) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				visit(fn)
			}
		}
	}
}
