package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palate/lab/internal/paper"
)

// TestExperimentsAreComplete finds the experiments of package paper that no row has: a
// function that returns an Experiment is one of paper.Experiments, and one that returns a Study,
// or is called Run…, has a command among studies.
func TestExperimentsAreComplete(t *testing.T) {
	files, err := filepath.Glob("internal/paper/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	homes := map[string]string{} // files of experiments
	var shared, own []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			name := fn.Name.Name
			switch results := fn.Type.Results; {
			case strings.HasPrefix(name, "Run"), fn.Name.IsExported() && returnsStudy(fn):
				own = append(own, name)
			case results != nil && len(results.List) == 1 && isExperiment(results.List[0].Type) && fn.Type.Params.NumFields() == 0:
				shared = append(shared, name)
			default:
				continue
			}
			if homes[file] != "" {
				t.Errorf("%s holds two experiments, %s and %s", file, homes[file], name)
			}
			homes[file] = name
		}
	}
	if len(shared) != len(paper.Experiments()) {
		t.Errorf("%v, but paper.Experiments has %d rows", shared, len(paper.Experiments()))
	}
	if len(own) != len(studies()) {
		t.Errorf("%v, but there are %d studies", own, len(studies()))
	}
	var names []string
	for _, e := range paper.Experiments() {
		names = append(names, e.Name)
		if e.About == "" || len(e.Sets) == 0 || len(e.Models) == 0 {
			t.Errorf("%s lacks a description, sets or models", e.Name)
		}
	}
	for _, cmd := range append(studies(), newReproduce()) {
		if slices.Contains(names, cmd.Name()) {
			t.Errorf("two experiments are called %s", cmd.Name())
		}
		names = append(names, cmd.Name())
		for _, flag := range []string{"sets", "seed", "json", "output", "figures", "results", "quiet"} {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s: no --%s", cmd.Name(), flag)
			}
		}
	}
}

// returnsStudy reports whether a function returns a Study of some tables.
func returnsStudy(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil {
		return false
	}
	of, ok := fn.Type.Results.List[0].Type.(*ast.IndexExpr)
	if !ok {
		return false
	}
	id, ok := of.X.(*ast.Ident)
	return ok && id.Name == "Study"
}

func isExperiment(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "Experiment"
}
