package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func newCount() *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:   "count [CHECKOUT]",
		Short: "Count the lines and exported names of the product, by package",
		Long: `Count the Go source of a checkout (by default the one here) by package: all *.go but
tests, testdata and the lab itself. Generated files are counted apart, in the last row.

  files     source files
  lines     all lines, with blank ones
  code      lines that hold something besides a comment
  comments  lines that hold nothing but a comment
  share     comments in all lines that are not blank
  length    mean number of characters of these, indentation left out
  exported  exported names that another package can reach: constants, variables, functions
            and types, methods of exported types and interfaces, fields of exported
            structs, embedded ones included; none in a command

"public" is the total over what other modules can import.`,
		Example: `  go run ./lab count
  go run ./lab count --only crowd,population,infer ~/palate-before`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			counts, err := countTree(os.DirFS(root))
			if err != nil {
				return err
			}
			for _, name := range only {
				if counts[name] == nil {
					return fmt.Errorf("count: no package %s in %s", name, root)
				}
			}
			return writeCounts(cmd.OutOrStdout(), counts, only)
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "only these `PACKAGES`, named by their folders")
	return cmd
}

// generated is the row of files that are generated, whatever their packages.
const generated = "(generated)"

// count is what one package comes to.
type count struct {
	files, lines, code, comments, characters, exported int
	command                                            bool
}

func (c *count) add(d *count) {
	c.files += d.files
	c.lines += d.lines
	c.code += d.code
	c.comments += d.comments
	c.characters += d.characters
	c.exported += d.exported
}

// countTree counts the packages of a checkout, each under the name of its folder.
func countTree(tree fs.FS) (map[string]*count, error) {
	if _, err := fs.Stat(tree, "go.mod"); err != nil {
		return nil, fmt.Errorf("count: not a checkout: %w", err)
	}
	counts := map[string]*count{}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != "." && (name[0] == '.' || name[0] == '_' || name == "testdata" || file == "lab") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		name, c, err := countFile(file, source)
		if err != nil {
			return err
		}
		if counts[name] == nil {
			counts[name] = &count{command: c.command}
		}
		counts[name].add(c)
		return nil
	})
	return counts, err
}

// countFile counts one file, and says whose row it belongs to.
func countFile(file string, source []byte) (string, *count, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	c := &count{files: 1, command: parsed.Name.Name == "main"}
	if !c.command {
		c.exported = exportedNames(parsed)
	}
	code := codeLines(source)
	for line := range bytes.Lines(source) {
		c.lines++
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
			continue
		case code[c.lines]:
			c.code++
			c.characters += utf8.RuneCount(text)
		default:
			c.comments++
			c.characters += utf8.RuneCount(text)
		}
	}
	name := path.Dir(file)
	if ast.IsGenerated(parsed) {
		name = generated
	}
	return name, c, nil
}

// codeLines returns the numbers of the lines that hold something besides comments.
func codeLines(source []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(text, "\n") {
			lines[first+i] = true
		}
	}
}

// exportedNames counts the names of a file that other packages can reach.
func exportedNames(f *ast.File) (n int) {
	names := func(ids []*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				n++
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(typeName(d.Recv.List[0].Type)) {
				names([]*ast.Ident{d.Name})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					names(spec.Names)
				case *ast.TypeSpec:
					names([]*ast.Ident{spec.Name})
					if !spec.Name.IsExported() {
						continue
					}
					var members *ast.FieldList
					switch t := spec.Type.(type) {
					case *ast.StructType:
						members = t.Fields
					case *ast.InterfaceType:
						members = t.Methods
					default:
						continue
					}
					for _, m := range members.List {
						names(m.Names)
						if len(m.Names) == 0 && ast.IsExported(typeName(m.Type)) {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// typeName is the name of a type as it is written at a receiver or an embedded field,
// without pointer, package and parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// writeCounts writes a row for each package, or for those named only, and the totals.
func writeCounts(w io.Writer, counts map[string]*count, only []string) error {
	var names []string
	for name := range counts {
		if name != generated && (len(only) == 0 || slices.Contains(only, name)) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "files\tlines\tcode\tcomments\tshare\tlength\texported\t  package")
	row := func(name string, c *count) {
		full := float64(max(1, c.code+c.comments))
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%.1f%%\t%.1f\t%d\t  %s\n", c.files, c.lines, c.code, c.comments,
			100*float64(c.comments)/full, float64(c.characters)/full, c.exported, name)
	}
	total, public := &count{}, &count{}
	for _, name := range names {
		c := counts[name]
		row(name, c)
		total.add(c)
		if !c.command && !slices.Contains(strings.Split(name, "/"), "internal") {
			public.add(c)
		}
	}
	row("total", total)
	row("public", public)
	if c := counts[generated]; c != nil && len(only) == 0 {
		row(generated, c)
	}
	return table.Flush()
}
