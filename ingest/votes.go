package ingest

import (
	"fmt"
	"io"
	"runtime"

	"palate"
)

// Votes reads a file of votes and adds them to b. The name is the one errors give; "-" stands for standard
// input. A file without votes is an error. After an error b may hold some of the votes and should be thrown
// away.
func Votes(name string, r io.Reader, b *palate.Builder, opt Options) (Report, error) {
	report := Report{File: name}
	src, err := newSource(name, r, opt.block)
	if err != nil {
		return report, err
	}
	form, bad := match(src.header)
	if bad != nil {
		return report, bad.at(name, src.headerLine)
	}
	report.Columns, report.Extra = split(src.header, form.columns())
	if src.json { // later objects may have what the first lacks
		for _, c := range []struct {
			at   *int
			name string
		}{{&form.user, "user"}, {&form.weight, "weight"}, {&form.time, "time"}} {
			if *c.at < 0 {
				*c.at = len(src.header)
				src.header = append(src.header, c.name)
			}
		}
	}

	// This goroutine reads blocks and merges ballots; the others parse, one block each. The queue keeps
	// the order of the file.
	var queue []chan *ballots
	var spare []*ballots
	merge := func() error {
		done := <-queue[0]
		queue = queue[1:]
		if err := done.mergeTo(b, &report, opt); err != nil {
			return err
		}
		spare = append(spare, done)
		return nil
	}
	drain := func() {
		for _, c := range queue {
			<-c
		}
	}
	defer drain()
	for end := false; !end || len(queue) > 0; {
		if end || len(queue) == 2*runtime.GOMAXPROCS(0) {
			if err := merge(); err != nil {
				return report, err
			}
			continue
		}
		var work *ballots
		if n := len(spare); n > 0 {
			work, spare = spare[n-1], spare[:n-1]
		} else {
			work = newBallots(src, form, opt)
		}
		blk, err := src.next(work.block.text, false)
		if err == io.EOF {
			end = true
			continue
		}
		if err != nil {
			for len(queue) > 0 { // a bad row before it comes first
				if err := merge(); err != nil {
					return report, err
				}
			}
			return report, err
		}
		work.block = blk
		c := make(chan *ballots, 1)
		queue = append(queue, c)
		go func() {
			work.parse()
			c <- work
		}()
	}
	switch {
	case report.Rows == 0:
		return report, &Error{File: name, Reason: "no votes: there is nothing after the header"}
	case report.Good() == 0:
		return report, &Error{File: name, Reason: fmt.Sprintf("no votes: all %s are bad; the first: %v", plural(report.Rows, "row"), report.Examples[0])}
	}
	return report, nil
}
