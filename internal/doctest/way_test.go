package doctest

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var numbered = regexp.MustCompile(`^\d+\. `)

// The way of a vote is as docs/architecture.md has it: every function is called by one
// before it, by its name or another that is quoted beside it, or answers a request, and
// none only hands on what it is given.
func TestWayOfVote(t *testing.T) {
	n := declared(t)
	docs := documents(t)
	at := slices.IndexFunc(docs, func(d document) bool { return d.name == "docs/architecture.md" })
	_, section, _ := strings.Cut(docs[at].text, "## The way of a vote\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var called map[string]bool // names in the functions so far
	lists, steps := 0, 0
	for line := range strings.Lines(section) {
		if !numbered.MatchString(line) {
			continue
		}
		if strings.HasPrefix(line, "1. ") {
			called = nil
			lists++
		}
		steps++
		var others []string
		for k, m := range quoted.FindAllStringSubmatch(line, -1) {
			fn := n.functions[m[1]]
			switch {
			case fn == nil && k == 0:
				t.Errorf("there is no function %s", m[1])
			case fn == nil:
				others = append(others, m[1])
			case handsOn(fn):
				t.Errorf("%s only hands on", m[1])
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			fn := n.functions[m[1]]
			if fn == nil {
				continue
			}
			reached := called == nil || strings.Contains(line, "request")
			for _, name := range append(others, fn.Name.Name) {
				reached = reached || called[name]
			}
			if !reached {
				t.Errorf("nothing before %s calls it", m[1])
			}
			if called == nil {
				called = map[string]bool{}
			}
			ast.Inspect(fn.Body, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok {
					called[id.Name] = true
				}
				return true
			})
		}
	}
	if lists != 2 || steps < 50 {
		t.Errorf("%d lists of %d steps", lists, steps)
	}
}

// handsOn reports whether all that a function does is to call another with its own
// arguments.
func handsOn(fn *ast.FuncDecl) bool {
	if len(fn.Body.List) != 1 {
		return false
	}
	var does ast.Expr
	switch s := fn.Body.List[0].(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			does = s.Results[0]
		}
	case *ast.ExprStmt:
		does = s.X
	}
	call, ok := does.(*ast.CallExpr)
	if !ok {
		return false
	}
	var given []string
	for _, p := range fn.Type.Params.List {
		for _, id := range p.Names {
			given = append(given, id.Name)
		}
	}
	return !slices.ContainsFunc(call.Args, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return !ok || !slices.Contains(given, id.Name)
	})
}
