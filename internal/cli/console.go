package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Console is standard error: notes, and one bar of progress for the whole command where it
// is a terminal. A program that runs the command and shows the progress itself sets
// PALATE_PROGRESS=json: then each change is a JSON object on a line.
type Console struct {
	Quiet bool

	mu      sync.Mutex
	form    form
	started time.Time
	drawn   time.Time // when the bar was drawn last
	visible bool      // there is a bar to take away
	progress
}

// form is that of progress.
type form int

const (
	unknown form = iota
	silent
	drawing
	lines
)

// How often progress is shown, on a terminal and to a program.
const (
	drawEvery = 100 * time.Millisecond
	lineEvery = 250 * time.Millisecond
)

// Note says something that is not an error.
func (c *Console) Note(format string, args ...any) {
	if c.Quiet {
		return
	}
	c.Clear()
	fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...)
}

// Watched reports whether anybody sees progress.
func (c *Console) Watched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched()
}

func (c *Console) watched() bool {
	if c.form == unknown {
		c.started, c.now, c.form = time.Now(), -1, silent
		switch {
		case c.Quiet:
		case os.Getenv("PALATE_PROGRESS") == "json":
			c.form = lines
		case term.IsTerminal(int(os.Stderr.Fd())):
			c.form = drawing
		}
	}
	return c.form != silent
}

// Plan says that the command takes n steps of a kind, in all.
func (c *Console) Plan(kind string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched() {
		c.plan(kind, n)
	}
}

// Step begins a step of a kind, which ends the one before, and shows what it is about.
func (c *Console) Step(kind, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched() {
		c.begin(kind, time.Now())
		c.what = what
		c.show(true)
	}
}

// Say shows what the step under way is at.
func (c *Console) Say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched() {
		c.what = fmt.Sprintf(format, args...)
		c.show(false)
	}
}

// Clear ends the step under way and takes the bar away, until there is more to show.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.form != unknown {
		c.end(time.Now())
	}
	if c.visible {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
		c.visible = false
	}
}

// show draws the bar, unless that was just done.
func (c *Console) show(now bool) {
	at := time.Now()
	if wait := at.Sub(c.drawn); !now && (wait < drawEvery || c.form == lines && wait < lineEvery) {
		return
	}
	c.drawn = at
	s := c.state(at, c.started)
	if c.form == lines {
		if line, err := json.Marshal(s); err == nil {
			fmt.Fprintf(os.Stderr, "%s\n", line)
		}
		return
	}
	columns, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || columns < 20 {
		columns = 80
	}
	fmt.Fprintf(os.Stderr, "\r%s\x1b[K", s.line(columns))
	c.visible = true
}

// Reading is the step of reading a file, and knows how much of it was read; size 0 is one
// that is not known.
func (c *Console) Reading(name string, r io.Reader, size int64) io.Reader {
	if !c.Watched() {
		return r
	}
	c.Step("reading", "reading "+name)
	if size == 0 {
		return r
	}
	return &counted{Reader: r, of: size, console: c}
}

// counted counts what is read.
type counted struct {
	io.Reader
	console  *Console
	read, of int64
}

func (r *counted) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.read += int64(n)
	r.console.mu.Lock()
	defer r.console.mu.Unlock()
	r.console.share = min(float64(r.read)/float64(r.of), 1)
	r.console.show(false)
	return n, err
}
