package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Run runs a command line and returns the exit code: 0 when all is well, 1 for what
// went wrong at work, 2 for wrong usage, 3 where something that was asked about is not so,
// and what shells give a process that a signal ended.
func Run(root *cobra.Command, args []string) int {
	root.SetArgs(args)
	s := signals{program: root.Name()}
	cmd, err := root.ExecuteContextC(s.hear(context.Background(), patienceOf(root, args)))
	complain := func(err error) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", root.Name(), strings.Join(strings.Fields(err.Error()), " "))
	}
	switch told := s.end(); {
	case told && err == nil && cmd.Annotations[InOrder] != "":
		return 0
	case told:
		if !errors.Is(err, ErrInterrupted) { // what the end of the context led to
			err = ErrInterrupted
		}
		complain(err)
		return s.code()
	case err == nil:
		return 0
	}
	complain(err)
	if denied := new(denial); errors.As(err, &denied) {
		return 3
	}
	if failed := new(failure); errors.As(err, &failed) {
		return 1
	}
	return 2
}

// failure marks an error that is not one of usage.
type failure struct{ error }

func (f *failure) Unwrap() error { return f.error }

// denial is the answer no.
type denial struct{ error }

// NotSo returns an error that is the answer no to what a command was asked about.
func NotSo(format string, args ...any) error { return &denial{fmt.Errorf(format, args...)} }

// misuse is an error of usage that a command found itself.
type misuse struct{ error }

// Usage returns an error of usage that a command finds itself.
func Usage(format string, args ...any) error { return &misuse{fmt.Errorf(format, args...)} }
