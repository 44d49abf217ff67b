package check

import (
	"context"
	"io"
	"sync"
	"time"

	"palate"
	"palate/feature"
	"palate/ingest"
)

// Checker reads files of votes to the end, bad rows or not, and finds what may be wrong with the votes.
type Checker struct {
	opt     ingest.Options
	b       *palate.Builder
	reports []ingest.Report
	ends    []int         // number of votes after each file
	lines   []int32       // of each vote
	items   *ingest.Table // nil: none was read
	users   *ingest.Table
}

// NewChecker returns a Checker that has read nothing. Bad rows are always passed over.
func NewChecker(opt ingest.Options) *Checker {
	opt.SkipBad, opt.Profiles = true, &ingest.Table{}
	return &Checker{opt: opt, b: palate.NewBuilder()}
}

// Read reads one more file of votes.
func (c *Checker) Read(ctx context.Context, name string, r io.Reader) (ingest.Report, error) {
	opt := c.opt
	opt.Each = func(line int, _ palate.Vote) { c.lines = append(c.lines, int32(line)) }
	report, err := ingest.Votes(ctx, name, r, c.b, opt)
	c.reports = append(c.reports, report)
	c.ends = append(c.ends, len(c.lines))
	return report, err
}

// Items reads a table of items, and sees that its columns can be features. How it fits the votes is for Survey to
// say.
func (c *Checker) Items(ctx context.Context, name string, r io.Reader) (err error) {
	c.items, err = checkedTable(ctx, name, r)
	return err
}

// Users does the same for a table of users.
func (c *Checker) Users(ctx context.Context, name string, r io.Reader) (err error) {
	c.users, err = checkedTable(ctx, name, r)
	return err
}

func checkedTable(ctx context.Context, name string, r io.Reader) (*ingest.Table, error) {
	t, err := ingest.ReadTable(ctx, name, r)
	if err != nil {
		return nil, err
	}
	e, err := feature.NewEncoder(ctx, t, feature.Options{})
	if err == nil {
		_, err = e.Encode(ctx, t)
	}
	return t, err
}

// Survey describes votes.
type Survey struct {
	Items      int        `json:"items"`
	Features   []string   `json:"features,omitempty"` // by which votes describe their items; nil: they name them
	Voters     int        `json:"voters"`
	Votes      int        `json:"votes"`
	Ties       int        `json:"ties"`
	Skips      int        `json:"skips"`
	Nameless   int        `json:"nameless"`           // votes without a voter
	Answers    int        `json:"answers"`            // votes on their own, and rankings and the like as one each
	Components []int      `json:"components"`         // sizes of the groups of items that votes connect
	First      *time.Time `json:"first,omitempty"`    // vote, nil when no vote has a time
	Last       *time.Time `json:"last,omitempty"`     // vote
	Findings   []Finding  `json:"findings,omitempty"` // what may be wrong
}

// Finding is something that may be wrong with votes, and where.
type Finding struct {
	Kind  string          `json:"kind"`
	Stops bool            `json:"stops"` // a fit would not go on
	Count int             `json:"count"`
	Where []*ingest.Error `json:"where,omitempty"` // the first of them
	// Of an assumption that does not hold (see Assumptions), in place of Where: how far it
	// does not, and what to do about it. Count is the number of votes that were tested.
	P    *float64 `json:"p,omitempty"`
	Says string   `json:"says,omitempty"`
	Do   string   `json:"do,omitempty"`
}

// BadRows is the kind of a finding about rows that cannot be read.
const BadRows = "bad rows"

func (f *Finding) add(most int, e *ingest.Error) {
	if f.Count++; len(f.Where) < most {
		f.Where = append(f.Where, e)
	}
}

// Survey describes what was read, with at most so many examples of each finding.
func (c *Checker) Survey(ctx context.Context, most int) (*Survey, error) {
	d, err := c.b.Build()
	if err != nil {
		return nil, err
	}
	s := &Survey{Items: d.NumItems(), Features: c.opt.Profiles.Columns, Voters: d.NumUsers()}
	e := &election{Checker: c, ctx: ctx, d: d, parts: d.Components()}
	if s.Features != nil { // they connect all items, which may well meet only once
		e.parts = [][]int{make([]int, d.NumItems())}
		if c.items == nil {
			c.items = c.opt.Profiles
		}
	}
	var wait sync.WaitGroup // looks at all votes, independent of each other
	var odd []Finding
	var oddErr error
	if s.Features == nil {
		wait.Go(func() { odd, oddErr = Assumptions(ctx, d, e.sided) })
	}
	wait.Go(func() { e.countTo(s) })
	wait.Go(e.findDuplicates)
	e.look()
	wait.Wait()
	if oddErr != nil {
		return nil, oddErr
	}
	named := func(find func(*Finding, int)) func(*Finding, int) {
		if s.Features != nil {
			return func(*Finding, int) {}
		}
		return find
	}
	for _, find := range []func(*Finding, int){
		e.bad, e.features, e.columns, e.duplicates, e.contradictions, named(e.similarItems), e.similarVoters, e.nameless, e.oneSided,
		named(e.neverWon), named(e.neverLost), named(e.neverCompared), named(e.apart),
		e.itemsWithoutRow, e.rowsWithoutItem, e.votersWithoutRow, e.rowsWithoutVoter,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var f Finding
		if find(&f, most); f.Count > 0 {
			s.Findings = append(s.Findings, f)
		}
	}
	s.Findings = append(s.Findings, odd...)
	for _, part := range e.parts {
		s.Components = append(s.Components, len(part))
	}
	return s, ctx.Err()
}
