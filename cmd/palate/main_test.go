package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli/clitest"
)

var update = flag.Bool("update", false, "rewrite goldens and the demo's votes")

// TestMain makes this test binary the command palate, for scripts and for
// exec.Command.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"palate": main})
}

func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			return nil
		},
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": clitest.Exits, "bytes": writeBytes, "latin1": latin1, "pack": pack, "truncate": truncate, "patch": patch, "await": await, "field": field, "mode": mode, "holds": holds,
		},
	})
}

// writeBytes writes what a txtar cannot hold: bytes FILE 'a\xff'
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// latin1 writes a file in that encoding, in place of UTF-8: latin1 FILE
func latin1(ts *testscript.TestScript, _ bool, args []string) {
	var out []byte
	for _, r := range ts.ReadFile(args[0]) {
		out = append(out, byte(r))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o666))
}

// pack gzips a file: pack FROM TO
func pack(ts *testscript.TestScript, _ bool, args []string) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}

// truncate cuts a file to some bytes: truncate FILE SIZE
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// patch exchanges text in one file of a zip: patch ZIP FILE OLD NEW
func patch(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	in, err := zip.OpenReader(path)
	ts.Check(err)
	defer in.Close()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range in.File {
		r, err := f.Open()
		ts.Check(err)
		text, err := io.ReadAll(r)
		ts.Check(err)
		if f.Name == args[1] {
			changed := bytes.Replace(text, []byte(args[2]), []byte(args[3]), 1)
			if bytes.Equal(changed, text) {
				ts.Fatalf("%s has no %q", args[1], args[2])
			}
			text = changed
		}
		w, err := z.Create(f.Name)
		ts.Check(err)
		_, err = w.Write(text)
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(path, out.Bytes(), 0o666))
}

// holds looks for text in a JSON file of a zip, written without blanks: holds ZIP FILE TEXT
func holds(ts *testscript.TestScript, neg bool, args []string) {
	z, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer z.Close()
	f, err := z.Open(args[1])
	ts.Check(err)
	text, err := io.ReadAll(f)
	ts.Check(err)
	var dense bytes.Buffer
	ts.Check(json.Compact(&dense, text))
	if strings.Contains(dense.String(), args[2]) == neg {
		ts.Fatalf("%s of %s: %.2000s", args[1], args[0], &dense)
	}
}

// await waits for a file that another command writes: await FILE
func await(ts *testscript.TestScript, _ bool, args []string) {
	for range 1000 {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && len(b) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s is not there after ten seconds", args[0])
}

// mode looks at who may read a file: mode 600 FILE
func mode(ts *testscript.TestScript, _ bool, args []string) {
	s, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", s.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, not %s", args[1], got, args[0])
	}
}

// field sets a variable to a file's text, or to a field of the JSON in it:
// field VARIABLE FILE [NAME...]
func field(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[1])
	if len(args) == 2 {
		ts.Setenv(args[0], text)
		return
	}
	var value any
	ts.Check(json.Unmarshal([]byte(text), &value))
	for _, name := range args[2:] {
		value = value.(map[string]any)[name]
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

// TestHelp holds every command to a help text with an example of itself.
func TestHelp(t *testing.T) {
	for _, cmd := range append([]*cobra.Command{newRoot()}, newRoot().Commands()...) {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		switch {
		case cmd.IsAdditionalHelpTopicCommand() && cmd.Short != "" && len(cmd.Long) > 500:
		case cmd.Short == "" || cmd.Long == "":
			t.Errorf("%s: no description", cmd.Name())
		case !strings.Contains(cmd.Example, "palate "):
			t.Errorf("%s: no example", cmd.Name())
		case cmd.Name() != "palate" && !strings.Contains(cmd.Example, "palate "+cmd.Name()):
			t.Errorf("%s: the example is not of this command", cmd.Name())
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 90 {
				t.Errorf("%s: a line of help is too long: %s", cmd.Name(), line)
			}
		}
		checkFlags(t, cmd)
	}
}

// checkFlags wants short lines, and a word for what a flag takes that is none of
// Go's types.
func checkFlags(t *testing.T, cmd *cobra.Command) {
	for line := range strings.Lines(cmd.UsageString()) {
		if len([]rune(line)) > 106 {
			t.Errorf("%s: a line of the flags is too long: %s", cmd.CommandPath(), line)
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
			t.Errorf("%s: --%s takes a %q: name it in its description, `LIKE THIS`", cmd.CommandPath(), f.Name, name)
		}
	})
	for _, sub := range cmd.Commands() {
		if cmd.HasParent() {
			checkFlags(t, sub)
		}
	}
}

// TestEveryCommandHasScript finds the commands that no script runs.
func TestEveryCommandHasScript(t *testing.T) {
	files, err := os.ReadDir("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile("testdata/script/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, cmd := range newRoot().Commands() {
		name := cmd.Name()
		if cmd.IsAdditionalHelpTopicCommand() {
			name = "help " + name
		}
		if !cmd.Hidden && !strings.Contains(all.String(), "palate "+name+"\n") && !strings.Contains(all.String(), "palate "+name+" ") {
			t.Errorf("no script runs palate %s", cmd.Name())
		}
	}
}

// TestTopics finds every command and flag that a topic of help names.
func TestTopics(t *testing.T) {
	root := newRoot()
	call := regexp.MustCompile(`\bpalate( help)? ([a-z]+)((?: [^ \n]+)*)`)
	flag := regexp.MustCompile(`--[a-z-]+`)
	flags := map[string]bool{}
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
	}
	for _, topic := range topics() {
		for _, f := range flag.FindAllString(topic.Long, -1) {
			if !flags[f] {
				t.Errorf("%s: no command has %s", topic.Name(), f)
			}
		}
		for line := range strings.Lines(topic.Long) {
			if !strings.HasPrefix(line, "  palate ") { // within a sentence any word may follow
				continue
			}
			for _, m := range call.FindAllStringSubmatch(line, -1) {
				cmd, _, err := root.Find([]string{m[2]})
				if err != nil || cmd == root && m[2] != "completion" {
					t.Errorf("%s: there is no palate %s", topic.Name(), m[2])
				}
			}
		}
	}
}
