package clitest

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Exits is a command of scripts: it runs a command line that must end with the given exit code:
// exits CODE COMMAND ARGS…
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}
