package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// exampleOf is a value of a setting that is not its default.
func exampleOf(kind string) string {
	switch kind {
	case "bool":
		return "true"
	case "int":
		return "7"
	case "float64":
		return "0.5"
	}
	return "something"
}

// TestSettings: every setting of the server is reachable by flag, by variable and by file,
// a flag counts before a variable and that before the file.
func TestSettings(t *testing.T) {
	if len(serveSettings(newServe())) < 15 {
		t.Fatal("where are the settings?")
	}
	for _, f := range serveSettings(newServe()) {
		value := exampleOf(f.Value.Type())
		file := filepath.Join(t.TempDir(), "palate.conf")
		if err := os.WriteFile(file, []byte("# of a test\n\n"+f.Name+" = "+value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		read := func(args ...string) string {
			cmd := newServe()
			if err := cmd.ParseFlags(args); err != nil {
				t.Fatal(err)
			}
			if err := settleServe(cmd); err != nil {
				t.Fatal(err)
			}
			return strings.Trim(cmd.Flags().Lookup(f.Name).Value.String(), "[]")
		}
		if got := read("--" + f.Name + "=" + value); got != value {
			t.Errorf("--%s %s is %s", f.Name, value, got)
		}
		if got := read("--config", file); got != value {
			t.Errorf("%s = %s is %s", f.Name, value, got)
		}
		t.Setenv("PALATE_CONFIG", file)
		if got := read(); got != value {
			t.Errorf("%s = %s, of PALATE_CONFIG, is %s", f.Name, value, got)
		}
		os.Unsetenv("PALATE_CONFIG")
		t.Setenv(variableOf(f.Name), value)
		if got := read(); got != value {
			t.Errorf("%s=%s is %s", variableOf(f.Name), value, got)
		}
		if f.Value.Type() == "string" {
			t.Setenv(variableOf(f.Name), "variable")
			if got := read("--config", file); got != "variable" {
				t.Errorf("%s: the file counts before the variable: %s", f.Name, got)
			}
			if got := read("--config", file, "--"+f.Name+"=flag"); got != "flag" {
				t.Errorf("%s: the flag does not count first: %s", f.Name, got)
			}
		}
		os.Unsetenv(variableOf(f.Name))
	}
}

// TestBadSettings: what is wrong with a configuration file is said with its place.
func TestBadSettings(t *testing.T) {
	for text, want := range map[string]string{
		"quite = true":       `palate.conf:1: there is no setting "quite"; did you mean "quiet"?`,
		"addr :80":           "palate.conf:1: a setting is name = value",
		"\nduty = a lot":     `palate.conf:2: duty: "a lot" is not a number`,
		"duty=1\nduty = 0.5": "palate.conf:2: duty is set in",
		"admin = secret":     "others may read this file, and admin is a secret",
		"config = other":     "there is no setting",
	} {
		file := filepath.Join(t.TempDir(), "palate.conf")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := newServe()
		if err := cmd.ParseFlags([]string{"--config", file}); err != nil {
			t.Fatal(err)
		}
		if err := settleServe(cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSettingsAreDocumented: the table of docs/server.md is that of the code; -update
// writes it.
func TestSettingsAreDocumented(t *testing.T) {
	const path, begin, end = "../../docs/server.md", "<!-- settings -->\n", "<!-- end of settings -->\n"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), begin)
	table, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no %s", path, begin)
	}
	if table == settingsTable() {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+settingsTable()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the settings of %s are not those of palate serve: go test ./cmd/palate -run SettingsAreDocumented -update", path)
}

// settingsTable documents the settings of the server.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| setting | what | unless it is given |\n|---|---|---|\n")
	for _, f := range serveSettings(newServe()) {
		value, usage := pflag.UnquoteUsage(f)
		unless := f.DefValue
		switch {
		case unless == "" || unless == "[]" || unless == "false":
			unless = ""
		default:
			unless = strings.ReplaceAll(unless, "|", "\\|")
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", f.Name, strings.TrimRight(" "+value, " "), usage, unless)
	}
	return b.String()
}
