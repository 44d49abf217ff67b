package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Console is standard error: progress when it is a terminal, and notes.
type Console struct {
	Quiet bool
	bar   *progressbar.ProgressBar
}

// Note says something that is not an error.
func (c *Console) Note(format string, args ...any) {
	if c.Quiet {
		return
	}
	c.Clear()
	fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...)
}

// Start shows a new bar; total −1 shows a spinner.
func (c *Console) Start(what string, total int64) bool {
	if c.Quiet || !term.IsTerminal(int(os.Stderr.Fd())) {
		return false
	}
	c.Clear()
	c.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(total > 0),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // no drawing of its own accord, which outlives the bar
		progressbar.OptionClearOnFinish())
	return true
}

// Clear takes the bar away.
func (c *Console) Clear() {
	if c.bar != nil {
		c.bar.Finish()
		c.bar = nil
	}
}

// Reading shows how much of a file was read.
func (c *Console) Reading(name string, r io.Reader, size int64) io.Reader {
	if size == 0 || !c.Start("reading "+name, size) {
		return r
	}
	p := progressbar.NewReader(r, c.bar)
	return &p
}

// Say shows what is being done.
func (c *Console) Say(format string, args ...any) {
	if c.bar == nil && !c.Start("", -1) {
		return
	}
	c.bar.Describe(fmt.Sprintf(format, args...))
	c.bar.Add(1)
}
