package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"palate/model"
)

// console is standard error: progress when it is a terminal, and notes.
type console struct {
	quiet bool
	bar   *progressbar.ProgressBar
}

// note says something that is not an error.
func (c *console) note(format string, args ...any) {
	if c.quiet {
		return
	}
	c.clear()
	fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...)
}

// start shows a new bar; total −1 shows a spinner.
func (c *console) start(what string, total int64) bool {
	if c.quiet || !term.IsTerminal(int(os.Stderr.Fd())) {
		return false
	}
	c.clear()
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

// clear takes the bar away.
func (c *console) clear() {
	if c.bar != nil {
		c.bar.Finish()
		c.bar = nil
	}
}

// reading shows how much of a file was read.
func (c *console) reading(name string, r io.Reader, size int64) io.Reader {
	if size == 0 || !c.start("reading "+name, size) {
		return r
	}
	p := progressbar.NewReader(r, c.bar)
	return &p
}

// fitting returns a listener for a fit; nil when nobody watches.
func (c *console) fitting() func(model.Progress) {
	if !c.start("fitting", -1) {
		return nil
	}
	return func(p model.Progress) {
		what := fmt.Sprintf("fitting: %s, round %d", p.Stage, p.Round)
		if !math.IsNaN(p.Objective) {
			what += fmt.Sprintf(", objective %.2f", p.Objective)
		}
		if p.Evidence != 0 {
			what += fmt.Sprintf(", evidence %.2f", p.Evidence)
		}
		if p.HeldOut > 0 {
			what += fmt.Sprintf(", held-out loss %.4f nats", p.HeldOut)
		}
		c.bar.Describe(what)
		c.bar.Add(1)
	}
}

// say shows what is being done.
func (c *console) say(format string, args ...any) {
	if c.bar == nil && !c.start("", -1) {
		return
	}
	c.bar.Describe(fmt.Sprintf(format, args...))
	c.bar.Add(1)
}

// evaluating returns a listener for an evaluation; nil when nobody watches.
func (c *console) evaluating(folds int) func(method string, fold int) {
	if !c.start("evaluating", -1) {
		return nil
	}
	return func(method string, fold int) {
		c.bar.Describe(fmt.Sprintf("fold %d of %d: %s", fold+1, folds, method))
		c.bar.Add(1)
	}
}
