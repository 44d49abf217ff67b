package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/internal/atomicfile"
)

// ErrInterrupted ends a command that was told to stop.
var ErrInterrupted = errors.New("interrupted")

// Work that does not end by itself is given so long after a signal, and a server
// so long, which lets requests under way finish. Then the process ends without it.
const (
	patience       = 1500 * time.Millisecond
	serverPatience = 15 * time.Second
)

// InOrder is the annotation of commands that a signal does not interrupt but ends,
// all being well.
const InOrder = "ends in order"

// signals hears those that tell the process to stop. The first ends the context of
// the command; a second one ends the process at once, and so does patience.
type signals struct {
	program string // what the process is called
	mu      sync.Mutex
	first   os.Signal // nil: none so far
	done    bool      // the command has ended by itself
}

// hear returns a context that ends with the first signal.
func (s *signals) hear(ctx context.Context, patience time.Duration) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(heard, syscall.SIGHUP)
	}
	go func() {
		if !s.stop(<-heard) {
			return
		}
		cancel()
		select {
		case <-heard:
		case <-time.After(patience):
		}
		tell("%s: %v", s.program, ErrInterrupted)
		atomicfile.Exit(s.code())
	}()
	return ctx
}

// stop takes note of the first signal, and says so; false when the command has
// ended by itself meanwhile.
func (s *signals) stop(first os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return false
	}
	s.first = first
	tell("stopping…")
	return true
}

// end takes note that the command has ended, and reports whether it was told to.
func (s *signals) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	return s.first != nil
}

// code is the exit code that shells give a process that a signal ended: 130 after
// an interrupt, 143 after SIGTERM.
func (s *signals) code() int {
	if n, ok := s.first.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// patienceOf returns how long the command of a command line may take to end.
func patienceOf(root *cobra.Command, args []string) time.Duration {
	if cmd, _, err := root.Find(args); err == nil && cmd.Annotations[InOrder] != "" {
		return serverPatience
	}
	return patience
}

// tell writes a line to standard error; on a terminal in place of what is under way
// there, however the terminal ends lines.
func tell(format string, args ...any) {
	start, end := "", "\n"
	if term.IsTerminal(int(os.Stderr.Fd())) {
		start, end = "\r\x1b[K", "\r\n"
	}
	fmt.Fprintf(os.Stderr, start+format+end, args...)
}
