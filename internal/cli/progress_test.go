package cli

import (
	"strings"
	"testing"
	"time"
)

// A whole command: two files, a fit, and six parts that are held out in turn. The share
// that is done never falls, the number of the step never returns to one, and what is left
// is said as soon as each kind of work that is left was done once.
func TestProgressOfACommand(t *testing.T) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	at := start
	p := &progress{now: -1}
	p.plan("reading", 2)
	p.plan("fitting", 1)
	p.plan("holding out", 6)
	var before state
	step := func(kind string, took time.Duration) state {
		t.Helper()
		p.begin(kind, at)
		p.what = kind
		at = at.Add(took)
		s := p.state(at, start)
		if s.Share < before.Share || s.Done < before.Done || s.Share > 1 || s.Steps != 9 {
			t.Errorf("%s: %+v after %+v", kind, s, before)
		}
		before = s
		return s
	}
	for range 2 {
		step("reading", time.Second)
	}
	if s := step("fitting", 10*time.Second); s.Left != 0 {
		t.Errorf("nobody knows how long the rest takes, and it says %+v", s)
	}
	step("holding out", 0)
	at = at.Add(8 * time.Second)
	s := step("holding out", 0) // one of six took 8 s
	if s.Left != 40 {
		t.Errorf("%g s left, not 40", s.Left)
	}
	if line := s.line(80); !strings.Contains(line, "5 of 9: holding out, about 40 s left") || len(line) > 79 {
		t.Errorf("%q", line)
	}
	if line := s.line(40); len([]rune(line)) > 60 { // the bar and what is left stay
		t.Errorf("%q", line)
	}
	p.end(at)
	p.plan("holding out", 2)
	if s := p.state(at, start); s.Left != 0 || s.Done != s.Steps {
		t.Errorf("at the end: %+v", s)
	}
}

// What was read of a file tells how long the rest of it takes.
func TestProgressWithinAStep(t *testing.T) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &progress{now: -1}
	p.begin("reading", start)
	p.what = "reading"
	p.share = 0.25
	s := p.state(start.Add(10*time.Second), start)
	if s.Left != 30 || s.Share != 0.25 {
		t.Errorf("%+v", s)
	}
	if line := s.line(80); line != "[=====               ] reading, about 30 s left" {
		t.Errorf("%q", line)
	}
}
