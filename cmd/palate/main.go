package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "palate: %s\n", strings.Join(strings.Fields(err.Error()), " "))
	if failed := new(failure); errors.As(err, &failed) {
		return 1
	}
	return 2
}

// failure marks an error that is not one of usage.
type failure struct{ error }

func (f *failure) Unwrap() error { return f.error }

// misuse is an error of usage that a command found itself.
type misuse struct{ error }

func usage(format string, args ...any) error { return &misuse{fmt.Errorf(format, args...)} }

// errInterrupted ends a command that was told to stop.
var errInterrupted = errors.New("interrupted")
