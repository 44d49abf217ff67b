package clitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Stoppable is a command line that takes a while. Paths of args are within the
// folder of inputs (IN/), of what it writes (OUT/) and of what may stay (STATE/).
type Stoppable struct {
	Name    string
	Args    string // those of the program
	Keys    string // typed into standard input, which then stays open
	Endless bool   // it ends only when it is told to
	Partial bool   // what it has finished stays; other files must be whole
	Orderly bool   // it ends with 0
}

// Stopped is what came of a command.
type Stopped struct {
	signal  syscall.Signal // 0: it was left alone
	started bool           // it listened to signals when it came
	code    int
	said    string            // on standard error
	files   map[string]string // that it wrote, and what is in them
	Took    time.Duration     // until it ended, from its start or from the signal
	CPU     time.Duration     // of processors, from its start
}

const asItWas = "as it was"

// Run runs a command of a program, and sends it a signal after a while; a negative one twice.
func (s Stoppable) Run(t *testing.T, program, inputs string, sig syscall.Signal, after time.Duration) *Stopped {
	t.Helper()
	out, state := t.TempDir(), t.TempDir()
	line := strings.NewReplacer("IN/", inputs+"/", "OUT", out, "STATE", state).Replace(s.Args)
	if sig != 0 && !s.Partial { // there is something to lose
		for _, word := range strings.Fields(s.Args) {
			if name, ok := strings.CutPrefix(word, "OUT/"); ok {
				if err := os.WriteFile(filepath.Join(out, name), []byte(asItWas), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	twice := sig < 0
	if twice {
		sig = -sig
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, strings.Fields(line)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+out)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(stdin, s.Keys)
	r := &Stopped{signal: sig}
	if sig != 0 || s.Endless {
		if s.Endless && sig == 0 {
			sig, after = syscall.SIGINT, 500*time.Millisecond
		}
		time.Sleep(after)
		began = time.Now()
		cmd.Process.Signal(sig) // it may have ended
		if twice {
			time.Sleep(20 * time.Millisecond)
			cmd.Process.Signal(sig)
		}
	}
	cmd.Wait()
	r.Took = time.Since(began)
	r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if s.Endless && r.signal == 0 {
		r.Took = time.Second
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.code, r.started, r.said = status.ExitStatus(), true, stderr.String()
	if status.Signaled() {
		r.code, r.started = 128+int(status.Signal()), false
	}
	r.files = map[string]string{}
	for _, name := range Files(t, out) {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		r.files[name] = string(text)
	}
	if r.signal == 0 && !s.Endless && r.code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s", program, line, r.code, r.said)
	}
	return r
}

// Told reports whether a command was told to stop while it was at work.
func (r *Stopped) Told() bool { return strings.Contains(r.said, "stopping…\n") }

// Check holds a command that was told to stop to its word. It may have ended before
// the signal came, or not yet have begun to listen.
func (r *Stopped) Check(t *testing.T, s Stoppable, whole *Stopped) {
	t.Helper()
	if err := r.wrong(s, whole); err != nil {
		t.Errorf("%s, %v: %v\nit said:\n%s", s.Name, r.signal, err, r.said)
	}
}

func (r *Stopped) wrong(s Stoppable, whole *Stopped) error {
	want := 128 + int(r.signal)
	told := strings.Count(r.said, "stopping…\n")
	switch {
	case !r.started && r.code == want && r.said == "": // by the system, as of any process
	case r.code == 0 && told == 0 && !s.Endless: // it was faster
	case told != 1:
		return fmt.Errorf("it says that it is stopping %d times", told)
	case s.Orderly && r.code == 0:
	case r.code != want:
		return fmt.Errorf("exit code %d, want %d", r.code, want)
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		full, known := whole.files[name]
		switch {
		case strings.HasSuffix(name, ".tmp"), strings.HasPrefix(name, "palate-"), !known && !s.Partial:
			return fmt.Errorf("%s is left behind", name)
		case s.Partial:
			if r.files[name] == "" && full != "" {
				return fmt.Errorf("%s is empty", name)
			}
		case r.files[name] != full && r.files[name] != asItWas:
			return fmt.Errorf("%s is neither as it was nor whole", name)
		}
	}
	return nil
}

// Files lists what is in a folder.
func Files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
