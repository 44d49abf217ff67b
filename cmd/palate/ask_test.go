//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// pty is a pseudo-terminal.
func pty(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	control := func(request uintptr, value *int32) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Skipf("no pseudo-terminals: %v", e)
		}
	}
	var locked, number int32
	control(syscall.TIOCSPTLCK, &locked)
	control(syscall.TIOCGPTN, &number)
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}

// watched keeps what a terminal shows.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// typist answers a command in a terminal: a key for every question. It returns
// the questions, without the keys' names, and what was on the screen at the end.
func typist(t *testing.T, dir string, keys []string, args ...string) (questions []string, last string) {
	t.Helper()
	ours, theirs := pty(t)
	cmd := exec.Command("palate", args...)
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	screen := &watched{}
	done := make(chan struct{})
	go func() {
		io.Copy(screen, ours)
		close(done)
	}()
	const prompt = "q quit) "
	deadline := time.Now().Add(10 * time.Minute)
	for k, key := range keys {
		for strings.Count(screen.String(), prompt) < k+1 {
			if time.Now().After(deadline) {
				cmd.Process.Kill()
				t.Fatalf("no question %d; the screen:\n%s", k+1, screen)
			}
			time.Sleep(2 * time.Millisecond)
		}
		if _, err := io.WriteString(ours, key); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v; the screen:\n%s", err, screen)
	}
	<-done
	text := strings.ReplaceAll(screen.String(), "\r", "")
	for line := range strings.Lines(text) {
		if q, ok := strings.CutPrefix(line, "Which do you prefer?  "); ok {
			questions = append(questions, strings.TrimSpace(q))
		}
	}
	screens := strings.Split(text, clearScreen)
	last, _, _ = strings.Cut(screens[len(screens)-1], "note:")
	return questions, last
}

// Thirty answers in a terminal, with an answer taken back, in one go and in two:
// the same questions, the same answers, the same posterior.
func TestAskInTerminal(t *testing.T) {
	dir := t.TempDir()
	var items strings.Builder
	items.WriteString("id,size\n")
	for i := range 12 {
		fmt.Fprintf(&items, "item%02d,%d\n", i, i*i%7)
	}
	if err := os.WriteFile(filepath.Join(dir, "items.csv"), []byte(items.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	left, right := "\x1b[D", "\x1b[C"
	var keys []string
	for k := range 30 {
		keys = append(keys, []string{"1", "2", left, right, "t", "s", "1"}[k*k%7])
	}
	args := func(out string) []string { return []string{"ask", "--items", "items.csv", "-o", out, "--seed", "5"} }

	whole, board := typist(t, dir, append(append([]string{}, keys...), "q"), args("whole.csv")...)
	if n := strings.Count(read("whole.csv"), "\n"); n != 31 {
		t.Fatalf("%d lines, want a header and 30 answers:\n%s", n, read("whole.csv"))
	}

	// An answer that is taken back was never given: the question comes again.
	undone := append(append(append([]string{}, keys[:17]...), "2", "u"), keys[17:]...)
	questions, again := typist(t, dir, append(undone, "q"), args("undone.csv")...)
	if questions[17] != questions[19] {
		t.Errorf("after undo %q is asked, not %q", questions[19], questions[17])
	}
	if read("undone.csv") != read("whole.csv") || again != board {
		t.Errorf("after undo the answers or the board are not the same:\n%s\n%s", board, again)
	}

	// Quit, and go on: first by q, then by Ctrl-C.
	first, _ := typist(t, dir, append(append([]string{}, keys[:12]...), "q"), args("parts.csv")...)
	second, _ := typist(t, dir, append(append([]string{}, keys[12:20]...), "\x03"), args("parts.csv")...)
	third, resumed := typist(t, dir, append(append([]string{}, keys[20:]...), "q"), args("parts.csv")...)
	asked := append(append(first[:12], second[:8]...), third...)
	if strings.Join(asked, "\n") != strings.Join(whole, "\n") {
		t.Errorf("in parts other questions are asked:\n%q\n%q", asked, whole)
	}
	if read("parts.csv") != read("whole.csv") || resumed != board {
		t.Errorf("in parts the answers or the board are not the same:\n%s\n%s", board, resumed)
	}
	if !strings.Contains(board, "30 answers") || !strings.Contains(board, "item") {
		t.Errorf("the board:\n%s", board)
	}
}
