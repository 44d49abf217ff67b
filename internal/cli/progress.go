package cli

import (
	"fmt"
	"strings"
	"time"
)

// progress is how far a command is: steps of several kinds, some under way or done and
// some still to come.
type progress struct {
	kinds []kind
	now   int       // the kind under way; −1: none
	since time.Time // when the step under way began
	share float64   // of the step under way that is done, where it is known
	what  string    // is being done
	shown float64   // the largest share of the whole that was shown
}

// kind is one of work that is done again and again, each time in about the same time.
type kind struct {
	name        string
	done, total int
	took        time.Duration
}

// find returns the place of a kind, which is added when it is not there.
func (p *progress) find(name string) int {
	for k := range p.kinds {
		if p.kinds[k].name == name {
			return k
		}
	}
	p.kinds = append(p.kinds, kind{name: name})
	return len(p.kinds) - 1
}

// plan says that there are n steps of a kind in all.
func (p *progress) plan(name string, n int) {
	k := p.find(name)
	p.kinds[k].total = max(n, p.kinds[k].done)
}

// end ends the step under way.
func (p *progress) end(at time.Time) {
	if p.now >= 0 {
		k := &p.kinds[p.now]
		k.done++
		k.took += at.Sub(p.since)
		k.total = max(k.total, k.done)
	}
	p.now, p.share = -1, 0
}

// begin begins a step, which ends the one before.
func (p *progress) begin(name string, at time.Time) {
	p.end(at)
	p.now, p.since = p.find(name), at
	k := &p.kinds[p.now]
	k.total = max(k.total, k.done+1)
}

// steps returns how many are done, and how many there are.
func (p *progress) steps() (done, total int) {
	for _, k := range p.kinds {
		done += k.done
		total += k.total
	}
	return done, total
}

// left returns how long the rest will take, if each kind of work that is left has been
// done before, or says how far it is.
func (p *progress) left(at time.Time) (time.Duration, bool) {
	var left time.Duration
	for i, k := range p.kinds {
		n := k.total - k.done
		if n == 0 {
			continue
		}
		var each time.Duration
		spent := at.Sub(p.since)
		switch {
		case i == p.now && p.share > 0.02:
			each = time.Duration(float64(spent) / p.share)
		case k.done > 0:
			each = k.took / time.Duration(k.done)
		default:
			return 0, false
		}
		if i == p.now {
			left += max(each-spent, 0)
			n--
		}
		left += time.Duration(n) * each
	}
	return left, true
}

// state is progress at one time.
type state struct {
	Done  int     `json:"done"`  // steps
	Steps int     `json:"steps"` // in all
	Share float64 `json:"share"` // of the whole that is done, about
	What  string  `json:"what"`
	Left  float64 `json:"left,omitempty"` // seconds; 0: not known
}

// state returns how far it is. The share of the whole never falls, also when there is more
// to do than it seemed.
func (p *progress) state(at, start time.Time) state {
	done, total := p.steps()
	s := state{Done: done, Steps: total, What: p.what}
	share := (float64(done) + p.share) / float64(max(total, 1))
	if left, ok := p.left(at); ok && left > 0 {
		s.Left = left.Seconds()
		share = at.Sub(start).Seconds() / (at.Sub(start).Seconds() + s.Left)
	}
	p.shown = max(p.shown, min(share, 1))
	s.Share = p.shown
	return s
}

// barWidth is that of the bar itself, in columns.
const barWidth = 20

// line shows a state in so many columns.
func (s state) line(columns int) string {
	full := min(int(s.Share*barWidth), barWidth)
	text := fmt.Sprintf("[%s%s] ", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full))
	if s.Steps > 1 {
		text += fmt.Sprintf("%d of %d: ", min(s.Done+1, s.Steps), s.Steps)
	}
	rest := ""
	if s.Left >= 1 {
		rest = ", about " + about(time.Duration(s.Left*float64(time.Second))) + " left"
	}
	what := []rune(s.What)
	if room := columns - 1 - len(text) - len(rest); len(what) > room {
		what = append(what[:max(room-1, 0)], '…')
	}
	return text + string(what) + rest
}

// about says how long something takes, in round figures.
func about(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Round(5*time.Second).Seconds())
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
