package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"palate/internal/cli"
	"palate/internal/cli/clitest"
	"palate/model"
)

// TestInterruptWhileReading stops a fit in the middle of its votes.
func TestInterruptWhileReading(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	out := t.TempDir()
	target := filepath.Join(out, "m.palate")
	if err := os.WriteFile(target, []byte("as it was"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("palate", "fit", "-", "-o", target)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := io.WriteString(stdin, "winner,loser\na,b\n"); err != nil {
		t.Fatal(err)
	}
	for len(clitest.Files(t, out)) < 2 { // until the command has begun to write aside
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if want := "stopping…\npalate: interrupted: " + target + " was not written\n"; stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
	if got := clitest.Files(t, out); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "as it was" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestAwaitedLeavesWhatComesLate: what is read after the context has ended is nobody's.
func TestAwaitedLeavesWhatComesLate(t *testing.T) {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	into := make([]byte, 4)
	if n, err := (awaited{ctx, r}).Read(into); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := w.Write([]byte("late")); err != nil || !bytes.Equal(into, make([]byte, 4)) {
		t.Errorf("%q, %v", into, err)
	}
}

// TestInterruptWhileFitting ends the context in the middle of a fit.
func TestInterruptWhileFitting(t *testing.T) {
	in, err := open(t.Context(), "demo.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	v, err := readVotes(t.Context(), []*input{in}, &settings{}, &cli.Console{Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := &model.Settings{Progress: func(p model.Progress) {
			if p.Round == round {
				cancel()
			}
		}}
		s := settings{model: "single"}
		if m, err := s.fit(ctx, v, o, &cli.Console{Quiet: true}); m != nil || !errors.Is(err, cli.ErrInterrupted) {
			t.Errorf("round %d: %v, %v", round, m, err)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"fit", "demo.csv", "-o"}, {"rank", "demo.csv", "-o"}} {
		target := filepath.Join(t.TempDir(), "out")
		root := newRoot()
		root.SetArgs(append(args, target))
		err := root.ExecuteContext(done)
		if !errors.Is(err, cli.ErrInterrupted) {
			t.Errorf("%v: %v", args, err)
		}
		if got := clitest.Files(t, filepath.Dir(target)); len(got) > 0 {
			t.Errorf("%v: left behind: %v", args, got)
		}
	}
}
