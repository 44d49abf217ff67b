package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// names is what the module declares.
type names struct {
	packages  map[string]map[string]bool // package name, then Name, Type.Method and Type.Field
	functions map[string]*ast.FuncDecl   // by package and name, such as infer.Run
	tests     map[string]bool            // Test, Fuzz, Benchmark and Example functions
	examples  []string                   // the text of example files, spaces at line starts left out
}

func declared(t *testing.T) *names {
	t.Helper()
	n := &names{packages: map[string]map[string]bool{}, functions: map[string]*ast.FuncDecl{}, tests: map[string]bool{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(path, "_test.go")
		pkg := n.packages[f.Name.Name]
		if pkg == nil && !test {
			pkg = map[string]bool{}
			n.packages[f.Name.Name] = pkg
		}
		if filepath.Base(path) == "example_test.go" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n.examples = append(n.examples, flush(strings.Split(string(text), "\n")))
		}
		for _, decl := range f.Decls {
			for _, name := range declares(decl) {
				if test {
					n.tests[name] = true
				} else {
					pkg[name] = true
					if fn, ok := decl.(*ast.FuncDecl); ok && n.functions[f.Name.Name+"."+name] == nil {
						n.functions[f.Name.Name+"."+name] = fn
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// declares lists the names of a declaration, methods and fields after their type.
func declares(decl ast.Decl) (all []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if generic, ok := of.(*ast.IndexExpr); ok {
				of = generic.X
			}
			if id, ok := of.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		all = append(all, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					all = append(all, id.Name)
				}
			case *ast.TypeSpec:
				all = append(all, s.Name.Name)
				var fields *ast.FieldList
				switch u := s.Type.(type) {
				case *ast.StructType:
					fields = u.Fields
				case *ast.InterfaceType:
					fields = u.Methods
				}
				if fields != nil {
					for _, f := range fields.List {
						for _, id := range f.Names {
							all = append(all, s.Name.Name+"."+id.Name)
						}
					}
				}
			}
		}
	}
	return all
}

// flush puts all lines to the left margin.
func flush(lines []string) string {
	var s strings.Builder
	for _, line := range lines {
		s.WriteString(strings.TrimSpace(line) + "\n")
	}
	return s.String()
}

var (
	quoted = regexp.MustCompile("`([^`\n]+)`")
	dotted = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*(?:\.\w+)?|[a-z]\w*(?:\.\w+)?)(?:\(\))?$`)
	tested = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z_]\w*$`)
	file   = regexp.MustCompile(`^[\w./-]+/$|^[\w./-]+\.(go|md|csv|txtar|json|npy|db)$`)
	linked = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
)

// inPython reports whether a document is about the Python package: its names are Python's.
func (d *document) inPython() bool {
	return slices.ContainsFunc(d.blocks, func(b block) bool { return b.language == "python" })
}

// exportedByPython returns the names in __all__ of the Python package.
func exportedByPython(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "python", "src", "palate", "__init__.py"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "__all__ = [")
	list, _, _ = strings.Cut(list, "]")
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1) {
		names[m[1]] = true
	}
	return names
}

// Identifiers, tests and files that documents name in quotes exist. What is
// not of this module, or no name at all, is passed over.
func TestNamesExist(t *testing.T) {
	n, python := declared(t), exportedByPython(t)
	checked := 0
	for _, d := range documents(t) {
		for _, m := range quoted.FindAllStringSubmatch(d.text, -1) {
			q := m[1]
			if tested.MatchString(q) {
				checked++
				if !n.tests[q] {
					t.Errorf("%s: there is no test %s", d.name, q)
				}
				continue
			}
			if file.MatchString(q) && strings.Index(q, "/") > 0 { // what begins with one is an address
				checked++
				if _, err := os.Stat(filepath.Join(root, q)); err != nil {
					t.Errorf("%s: there is no file %s", d.name, q)
				}
				continue
			}
			if d.inPython() {
				if name, ok := strings.CutPrefix(q, "palate."); ok && !file.MatchString(q) {
					checked++
					name, _, _ = strings.Cut(name, "(")
					if !python[name] {
						t.Errorf("%s: the Python package has no %s", d.name, name)
					}
				}
				continue
			}
			if p := dotted.FindStringSubmatch(q); p != nil && n.packages[p[1]] != nil && !file.MatchString(q) {
				checked++
				if !n.packages[p[1]][p[2]] {
					t.Errorf("%s: package %s has no %s", d.name, p[1], p[2])
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d names in all documents", checked)
	}
}

func TestLinksLead(t *testing.T) {
	for _, d := range documents(t) {
		for _, m := range linked.FindAllStringSubmatch(d.text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(d.name), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", d.name, m[1])
			}
		}
	}
}

func TestGoBlocksAreExamples(t *testing.T) {
	n := declared(t)
	for _, d := range documents(t) {
	blocks:
		for _, b := range d.blocks {
			if b.language != "go" || isProgram(b) { // TestProgramsOutside runs programs
				continue
			}
			for _, text := range n.examples {
				if strings.Contains(text, flush(b.lines)) {
					continue blocks
				}
			}
			t.Errorf("%s:%d: this code is in no example_test.go", d.name, b.line)
		}
	}
}
