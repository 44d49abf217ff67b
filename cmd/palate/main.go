package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"palate/internal/aside"
)

func main() { aside.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	var s signals
	cmd, err := root.ExecuteContextC(s.hear(context.Background(), patienceOf(root, args)))
	switch told := s.end(); {
	case told && err == nil && cmd.Annotations[inOrder] != "":
		return 0
	case told:
		if !errors.Is(err, errInterrupted) { // what the end of the context led to
			err = errInterrupted
		}
		complain(err)
		return s.code()
	case err == nil:
		return 0
	}
	complain(err)
	if failed := new(failure); errors.As(err, &failed) {
		return 1
	}
	return 2
}

// complain says on one line what is wrong.
func complain(err error) {
	fmt.Fprintf(os.Stderr, "palate: %s\n", strings.Join(strings.Fields(err.Error()), " "))
}

// failure marks an error that is not one of usage.
type failure struct{ error }

func (f *failure) Unwrap() error { return f.error }

// misuse is an error of usage that a command found itself.
type misuse struct{ error }

func usage(format string, args ...any) error { return &misuse{fmt.Errorf(format, args...)} }
