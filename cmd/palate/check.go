package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palate/check"
	"palate/ingest"
	"palate/internal/cli"
)

// checking is the command that looks for what is wrong with files of votes.
type checking struct {
	items, users string
	out          string
	json, quiet  bool
	most         int
	votesFlags
}

// votesFlags say which votes to read, and how rankings and ratings become votes.
type votesFlags struct {
	reading
	pairing
	seed uint64
}

// pairing is which pairs rankings and ratings become, and how many.
type pairing struct {
	maxPairs    int
	lowerBetter bool
	scale       span
}

func (p *pairing) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.maxPairs, "max-pairs", 1000, "at most this `NUMBER` of votes from one ranking or one voter's ratings, which are about eight a rating (0: all pairs)")
	cmd.Flags().BoolVar(&p.lowerBetter, "lower-is-better", false, "low ratings are for what is good, such as ranks and school marks")
	cmd.Flags().Var(&p.scale, "scale", "the `LEAST:MOST` that a rating can be, as in 1:5: others are bad rows")
}

// set tells ingest.
func (p *pairing) set(o *ingest.Options) error {
	if p.maxPairs < 0 {
		return cli.Usage("--max-pairs %d is negative", p.maxPairs)
	}
	if o.MaxPairs = p.maxPairs; p.maxPairs == 0 {
		o.MaxPairs = -1
	}
	o.LowerBetter, o.Scale = p.lowerBetter, p.scale.scale
	return nil
}

func (v *votesFlags) flags(cmd *cobra.Command) {
	v.reading.flags(cmd)
	v.pairing.flags(cmd)
	cmd.Flags().Uint64Var(&v.seed, "seed", 0, "`SEED` of which pairs those are")
}

func (v *votesFlags) options(ctx context.Context) (ingest.Options, error) {
	o, err := v.reading.options(ctx)
	if err != nil {
		return o, err
	}
	o.Seed = v.seed
	return o, v.pairing.set(&o)
}

func newCheck() *cobra.Command {
	c := &checking{}
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Describe files of votes, and find what is wrong with them",
		Long: `Read files of votes to the end, describe what is in them, and list what is wrong,
with file, line and column: rows that cannot be read, columns that may be misspelt,
votes that are there twice or without a voter, voters who contradict themselves or
always pick one side, names that differ only in spelling, items that never won or
never lost, and groups of items that no vote connects. Tables of items and users are
checked against the votes: whom they lack, and whom no vote names.

What a ranking takes for granted is tested, and said where it does not hold: that
voters do not differ, that answers given again are answers of their own, that sides
do not matter, that utilities stay while votes come (where they have times), and
that items do not beat each other in circles. Each comes with its size, what to do,
and a p-value that counts all tests: of files of which nothing is wrong, one in
twenty has such a finding.

The exit code is 1 when a row cannot be read, or a table does not fit, otherwise 0:
the rest may be as it should.`,
		Example: `  palate check votes.csv
  palate check votes.csv.gz --items items.csv --json`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.items, "items", "", "`FILE` of items to check, too")
	f.StringVar(&c.users, "users", "", "`FILE` of users to check, too")
	f.IntVar(&c.most, "show", 20, "at most this `NUMBER` of each kind of finding (0: all)")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.StringVarP(&c.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "no progress")
	c.votesFlags.flags(cmd)
	return cmd
}

func (c *checking) run(cmd *cobra.Command, args []string) error {
	opt, err := c.options(cmd.Context())
	if err != nil {
		return err
	}
	if c.most < 0 {
		return cli.Usage("--show %d is negative", c.most)
	}
	c.most = cmp.Or(c.most, math.MaxInt)
	opt.Examples = c.most
	out, err := create(c.out, append(args, c.items, c.users)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	text, err := c.work(cmd.Context(), args, opt)
	if cmd.Context().Err() != nil {
		return cli.ErrInterrupted
	}
	if _, werr := out.Write(text); werr != nil {
		return werr
	}
	if werr := out.Commit(cmd.Context()); werr != nil {
		return werr
	}
	return err
}

// finding is what check tells of the files.
type finding struct {
	Files []file `json:"files"`
	*check.Survey
}

type file struct {
	File    string   `json:"file"`
	Form    string   `json:"form"`
	Columns []string `json:"columns"`
	Extra   []string `json:"extra,omitempty"`
	Rows    int      `json:"rows"`
	Bad     int      `json:"bad"`
	Unmet   int      `json:"unmet,omitempty"` // rows that --where leaves out
	Votes   int      `json:"votes"`
	Sampled int      `json:"sampled,omitempty"`
}

// work returns what is to be printed, and an error when something is wrong beyond doubt.
func (c *checking) work(ctx context.Context, paths []string, opt ingest.Options) ([]byte, error) {
	bar := &cli.Console{Quiet: c.quiet}
	checker := check.NewChecker(opt)
	var found finding
	var bad []string
	var first error
	bar.Plan("reading", len(paths))
	for _, path := range paths {
		in, err := open(ctx, path)
		if err != nil {
			return nil, err
		}
		r, err := checker.Read(ctx, in.path, bar.Reading(in.name(), in, in.size))
		in.close()
		bar.Clear()
		if err != nil && r.Bad == 0 {
			return nil, formless(err, r)
		}
		if err != nil && first == nil {
			first = err
		}
		found.Files = append(found.Files, file{in.name(), r.Form, r.Columns, r.Extra, r.Rows, r.Bad, r.Unmet, r.Votes, r.Sampled})
		if r.Bad > 0 {
			bad = append(bad, fmt.Sprintf("%s: %d of %d rows are bad", in.name(), r.Bad, r.Rows))
		}
	}
	tables := c.tables(ctx, checker)
	var err error
	if found.Survey, err = checker.Survey(ctx, c.most); err != nil {
		return nil, err
	}
	for _, f := range found.Findings {
		if f.Stops && f.Kind != check.BadRows {
			bad = append(bad, fmt.Sprintf("%s: %d", f.Kind, f.Count))
		}
	}
	var text strings.Builder
	if c.json {
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(found)
	} else {
		found.print(&text)
	}
	switch {
	case err != nil:
		return nil, err
	case first != nil:
		return []byte(text.String()), first
	case tables != nil:
		return []byte(text.String()), tables
	case len(bad) > 0:
		return []byte(text.String()), fmt.Errorf("%s", strings.Join(bad, "; "))
	}
	return []byte(text.String()), nil
}

// tables reads the tables of items and users.
func (c *checking) tables(ctx context.Context, checker *check.Checker) error {
	for _, t := range []struct {
		path string
		read func(ctx context.Context, name string, r io.Reader) error
	}{{c.items, checker.Items}, {c.users, checker.Users}} {
		if t.path == "" {
			continue
		}
		in, err := open(ctx, t.path)
		if err != nil {
			return err
		}
		err = t.read(ctx, in.path, in)
		in.close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *finding) print(w io.Writer) {
	for _, r := range f.Files {
		fmt.Fprintf(w, "%s: %s", r.File, count(r.Rows, "row"))
		if r.Unmet > 0 {
			fmt.Fprintf(w, ", of which --where takes %d", r.Rows-r.Unmet)
		}
		if r.Votes != r.Rows-r.Bad-r.Unmet {
			fmt.Fprintf(w, " that became %s", count(r.Votes, "vote"))
		}
		fmt.Fprintf(w, ", in the form %s", r.Form)
		if len(r.Extra) > 0 {
			fmt.Fprintf(w, "; not used: %s", strings.Join(r.Extra, ", "))
		}
		fmt.Fprintln(w)
		if r.Sampled > 0 {
			fmt.Fprintf(w, "  of %s only some pairs were taken (--max-pairs)\n", count(r.Sampled, "long answer"))
		}
	}
	fmt.Fprintf(w, "\n%s on %s", count(f.Votes-f.Skips, "vote"), count(f.Items, "item"))
	if f.Voters > 0 {
		fmt.Fprintf(w, " by %s", count(f.Voters, "voter"))
	}
	fmt.Fprintf(w, "; %s, %s", count(f.Ties, "tie"), count(f.Skips, "skip"))
	if f.Voters > 0 && f.Nameless > 0 {
		fmt.Fprintf(w, "; %s without a voter", count(f.Nameless, "vote"))
	}
	if f.Answers < f.Votes {
		fmt.Fprintf(w, "; they follow from %s", count(f.Answers, "answer"))
	}
	fmt.Fprintln(w)
	if f.First != nil {
		fmt.Fprintf(w, "cast from %s to %s\n", f.First.Format(time.DateTime), f.Last.Format(time.DateTime))
	}
	switch n := len(f.Components); {
	case f.Votes == 0:
	case f.Features != nil:
		fmt.Fprintf(w, "the votes describe their items: %s\n", strings.Join(f.Features, ", "))
	case n == 1:
		fmt.Fprintln(w, "the votes connect all items")
	default:
		var sizes []string
		for _, size := range f.Components[:min(n, 10)] {
			sizes = append(sizes, fmt.Sprint(size))
		}
		if n > 10 {
			sizes = append(sizes, "…")
		}
		fmt.Fprintf(w, "the items fall into %d groups that no vote connects, of sizes %s: they cannot be ranked together\n", n, strings.Join(sizes, ", "))
	}
	if len(f.Findings) == 0 {
		fmt.Fprintln(w, "nothing seems wrong")
	}
	for _, x := range f.Findings {
		if x.P != nil {
			fmt.Fprintf(w, "\n%s (p = %.2g)\n  %s\n  %s\n", x.Kind, *x.P, x.Says, x.Do)
			continue
		}
		fmt.Fprintf(w, "\n%s: %d\n", x.Kind, x.Count)
		for _, e := range x.Where {
			fmt.Fprintf(w, "  %v\n", e)
		}
		if more := x.Count - len(x.Where); more > 0 {
			fmt.Fprintf(w, "  and %d more; --show 0 lists all\n", more)
		}
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
