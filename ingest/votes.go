package ingest

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"

	"palate"
	"palate/internal/wording"
)

// Votes reads a file of votes and adds them to b. The name is the one errors give; "-" stands for standard
// input. A file without votes is an error. After an error b may hold some of the votes and should be thrown
// away; so it is when ctx ends before the file does.
func Votes(ctx context.Context, name string, r io.Reader, b *palate.Builder, opt Options) (Report, error) {
	report := Report{File: name}
	src, err := newSource(ctx, name, r, opt.block)
	if err != nil {
		return report, err
	}
	if opt.TimeFormat != "" {
		if err := CheckTimeFormat(opt.TimeFormat); err != nil {
			return report, fmt.Errorf("ingest: %w", err)
		}
	}
	form, err := src.form(opt.Columns)
	if err != nil {
		return report, err
	}
	if form.designed && opt.Design == nil {
		return report, &Error{File: name, Line: src.headerLine, Reason: "which items a task showed is not in this file: name the design, with columns version,task,item1,item2,…, by --design FILE"}
	}
	report.Form, report.Sided, report.HeaderLine = form.form, form.sided, src.headerLine
	report.Columns, report.Extra = split(src.header, form.columns())
	for k, name := range []*string{&report.LeftColumn, &report.RightColumn, &report.WinnerColumn} {
		if k < len(form.pair) {
			*name = src.header[form.pair[k]]
		}
	}
	if form.duel != nil && opt.Profiles != nil {
		if err := opt.Profiles.begin(name, src.headerLine, form.duel.names); err != nil {
			return report, err
		}
	}
	if form.user >= 0 {
		report.UserColumn = src.header[form.user]
	}
	if src.format == objects || src.format == array { // later objects may have what the first lacks
		for _, c := range []struct {
			at   *int
			name string
		}{{&form.user, "user"}, {&form.weight, "weight"}, {&form.time, "time"}, {&form.ballot, "ballot"}} {
			if *c.at < 0 {
				*c.at = len(src.header)
				src.header = append(src.header, c.name)
			}
		}
	}

	if len(opt.Keep) > 0 && form.rates != nil {
		return report, &Error{File: name, Reason: fmt.Sprintf("votes that follow from ratings have no column %s", opt.Keep[0])}
	}
	if err := src.locateAll(opt.Keep); err != nil {
		return report, err
	}
	report.Kept = make([][]string, len(opt.Keep))
	for _, c := range opt.Where {
		if _, err := c.test(ParseTime); err != nil {
			return report, fmt.Errorf("ingest: %w", err)
		}
		if src.locate(c.Column) < 0 {
			return report, src.noColumn(c.Column, ", as in "+c.String())
		}
	}

	all := tally{b: b, report: &report, opt: opt, groups: map[string]int{}, sheets: &sheets{}}
	if err := all.read(src, form); err != nil {
		return report, err
	}
	if form.rates != nil {
		if err := all.sheets.cast(ctx, &all, src.header[form.use[0]], src.header[form.use[1]], name); err != nil {
			return report, err
		}
	}
	if form.gather != nil {
		if err := all.gather(ctx, newBallots(src, form, opt)); err != nil {
			return report, err
		}
	}
	for k, c := range opt.Where { // later objects might have had it
		if wording.Find(src.header, c.Column) >= src.titles && !all.seen[k].found {
			return report, src.noColumn(c.Column, ", as in "+c.String())
		}
	}
	if err := src.missed(opt.Keep, report.Kept); err != nil {
		return report, err
	}
	unseen, hints := all.unseen()
	report.Unseen = unseen
	if why := report.empty(opt.Where, hints); why != "" {
		return report, &Error{File: name, Reason: "no votes: " + why}
	}
	if e := all.usage.ambiguous(); e != nil {
		return report, e
	}
	if form.time >= 0 {
		if e := all.zones.ambiguous(name, src.header[form.time]); e != nil {
			return report, e
		}
	}
	return report, nil
}

// read goes through the file. This goroutine reads blocks and merges ballots; the others parse, one
// block each. The queue keeps the order of the file.
func (t *tally) read(src *source, form *layout) error {
	var queue []chan *ballots
	var spare []*ballots
	first := true
	merge := func() error {
		done := <-queue[0]
		queue = queue[1:]
		if err := t.merge(done); err != nil {
			return err
		}
		if first && t.opt.Sink == nil {
			t.b.Grow(toCome(t.report.Votes, len(done.block.text), t.opt.Size))
		}
		first = false
		spare = append(spare, done)
		return nil
	}
	defer func() {
		for _, c := range queue {
			<-c
		}
	}()
	for {
		if len(queue) == 2*runtime.GOMAXPROCS(0) {
			if err := merge(); err != nil {
				return err
			}
			continue
		}
		var work *ballots
		if n := len(spare); n > 0 {
			work, spare = spare[n-1], spare[:n-1]
		} else {
			work = newBallots(src, form, t.opt)
		}
		blk, err := src.next(work.block, false)
		if err != nil {
			for len(queue) > 0 { // a bad row before it comes first
				if err := merge(); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
		work.block = blk
		c := make(chan *ballots, 1)
		queue = append(queue, c)
		go func() {
			work.parse()
			c <- work
		}()
	}
}

// toCome is about how many more votes there are in a file of so many bytes, of which some had so many votes: a little
// more than in proportion, lest room for the last of them be made anew.
func toCome(votes, bytes int, size int64) int {
	if rest := float64(size - int64(bytes)); bytes > 0 && rest > 0 {
		return int(min(1.02*rest*float64(votes)/float64(bytes), math.MaxInt32))
	}
	return 0
}
