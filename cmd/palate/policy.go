package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/active"
	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/metric"
	"palate/model"
)

// curves are the flags of simulate that try policies out.
type curves struct {
	policies []string
	goal     string
	ranking  string
	repeats  int
	top      int
	wrong    float64
}

func (c *curves) flags(cmd *cobra.Command) {
	f, names := cmd.Flags(), policies()
	f.StringSliceVar(&c.policies, "policy", nil, "print learning curves of these `POLICIES` instead: "+strings.Join(names, ", "))
	completes(cmd, "policy", names...)
	f.StringVar(&c.goal, "goal", "", "with --policy: `GOAL` of asking, as of palate next (default: the policies' own)")
	goalFlag(cmd)
	f.StringVar(&c.ranking, "ranking", "", "with --policy: a `FILE` of the true order, id and optionally utility, best first without")
	f.IntVar(&c.repeats, "repeats", 10, "with --policy: `NUMBER` of repeats")
	f.IntVar(&c.top, "top", 5, "with --policy: how many are the top `K`")
	f.Float64Var(&c.wrong, "wrong", 0, "with --policy: `SHARE` of wrong answers in place of noise")
}

// asked reports whether curves are wanted.
func (c *curves) asked() bool { return c.policies != nil }

func (c *curves) check(cmd *cobra.Command) error {
	if !c.asked() {
		return without(cmd, []string{"goal", "ranking", "repeats", "top", "wrong"}, "it is about learning curves, which --policy draws")
	}
	for _, name := range c.policies {
		if _, err := c.find(name); err != nil {
			return err
		}
	}
	if c.repeats < 1 || c.top < 1 || !(c.wrong >= 0 && c.wrong < 0.5) {
		return cli.Usage("--repeats and --top are at least 1, --wrong is less than half")
	}
	idle := []string{"users", "ties", "truth", "items-out"}
	e, err := model.Find(cmd.Flag("model").Value.String())
	switch {
	case err != nil: // which is told elsewhere
	case !e.Joint:
		return cli.Usage("--model %s: learning curves are of models that know how utilities vary together: %s", e.Name,
			strings.Join(namesWhere(func(e model.Entry) bool { return e.Joint && e.CanSimulate() }), ", "))
	case e.Personal():
		idle = append(idle[1:], "ranking") // curves are of a new voter among others
	}
	return without(cmd, idle, "learning curves are of one voter without ties")
}

// find returns the policy of a name, for the goal that was asked for.
func (c *curves) find(name string) (active.Policy, error) {
	p, err := policy(name)
	if err != nil {
		return p, err
	}
	if c.goal == "" {
		return p, nil
	}
	goal, err := active.ParseGoal(c.goal)
	if err != nil {
		return p, err
	}
	if p.Strategy != (active.Random{}) { // which is there to compare with
		p.Goal = goal
	}
	return p, nil
}

// write tries every policy on the same worlds and writes how good the ranking
// was after so many votes: policy,votes,tau,top,best and the standard errors of
// the first two. tau is Kendall's, top the share of the true top K among those
// ranked so, best whether the best item is ranked first.
func (c *curves) write(ctx context.Context, w io.Writer, o model.SimulateOptions) error {
	var ids []string
	var given []float64
	if c.ranking != "" {
		var err error
		if ids, given, err = readRanking(ctx, c.ranking); err != nil {
			return err
		}
		o.Items = len(ids)
	}
	if c.top >= o.Items {
		return cli.Usage("--top %d of %d items", c.top, o.Items)
	}
	marks := curveMarks(o.Votes)
	figures := make([][][3][]float64, len(c.policies)) // by policy and mark: tau, top and best of every repeat
	for k := range figures {
		figures[k] = make([][3][]float64, len(marks))
	}
	for _, seed := range worldSeeds(o.Seed, c.repeats) {
		world := o
		world.Seed = seed
		start, utility, err := newWorld(ctx, world)
		if err != nil {
			return err
		}
		if given != nil {
			utility = given
		}
		for k, name := range c.policies {
			policy, err := c.find(name)
			if err != nil {
				return err
			}
			if err := c.session(ctx, policy, start, utility, marks, figures[k], world.Seed); err != nil {
				return err
			}
		}
	}
	rows := [][]string{{"policy", "votes", "tau", "tau_se", "top", "top_se", "best"}}
	for p, name := range c.policies {
		for k, m := range marks {
			row := []string{name, strconv.Itoa(m)}
			for f, x := range figures[p][k] {
				mean, sd := stat.MeanStdDev(x, nil)
				row = append(row, fmt.Sprintf("%.4f", mean))
				if f < 2 {
					row = append(row, fmt.Sprintf("%.4f", stat.StdErr(sd, float64(len(x)))))
				}
			}
			rows = append(rows, row)
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// worldSeeds returns the seeds of n worlds, of which other seeds have none.
func worldSeeds(seed uint64, n int) []uint64 {
	rng := rand.NewPCG(seed, 0x3ed5)
	seeds := make([]uint64, n)
	for r := range seeds {
		seeds[r] = rng.Uint64()
	}
	return seeds
}

// draw writes the learning curves.
func (s *simulate) draw(ctx context.Context) error {
	out, err := cli.Create(s.votes, s.ranking)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := s.curves.write(ctx, out, s.SimulateOptions); err != nil {
		return err
	}
	return out.Commit(ctx)
}

// session lets one policy ask in one world.
func (c *curves) session(ctx context.Context, policy active.Policy, start func() (pupil, error), utility []float64, marks []int, figures [][3][]float64, seed uint64) error {
	m, err := start()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0xc0))
	asked := active.Pairs{}
	for votes, at := 1, 0; at < len(marks); votes++ {
		pairs, err := active.Next(ctx, m, -1, 1, &active.Options{Policy: policy, Exclude: asked}, rng)
		if err != nil {
			return err
		}
		if len(pairs) > 0 {
			p := pairs[0]
			if c.wrong == 0 && c.ranking != "" { // the answer would be the same
				asked.Add(p.Left, p.Right)
			}
			gap := utility[p.Left] - utility[p.Right]
			if c.wrong == 0 && c.ranking == "" {
				gap += rng.NormFloat64()
			} else if rng.Float64() < c.wrong {
				gap = -gap
			}
			v := palate.Vote{User: -1, Left: p.Left, Right: p.Right, Weight: 1}
			if gap < 0 {
				v.Outcome = palate.Right
			}
			if err := m.Observe(v); err != nil {
				return err
			}
		}
		if votes == marks[at] {
			c.measure(m, utility, &figures[at])
			at++
		}
	}
	return nil
}

func (c *curves) measure(m model.Predictor, utility []float64, to *[3][]float64) {
	n := len(utility)
	mean := make([]float64, n)
	for i := range n {
		mean[i], _ = m.Utility(-1, i)
	}
	a, b := first(mean, c.top), first(utility, c.top)
	var share float64
	for i := range a {
		if b[i] {
			share += 1 / float64(c.top)
		}
	}
	var best float64
	for i := range first(mean, 1) {
		if first(utility, 1)[i] {
			best = 1
		}
	}
	for f, x := range []float64{metric.KendallTauB(mean, utility), share, best} {
		to[f] = append(to[f], x)
	}
}

// first returns the k largest.
func first(x []float64, k int) map[int]bool {
	set := map[int]bool{}
	for len(set) < k {
		best := -1
		for i := range x {
			if !set[i] && (best < 0 || x[i] > x[best]) {
				best = i
			}
		}
		set[best] = true
	}
	return set
}

// curveMarks are the numbers of votes at which curves are read, each about half
// as much again as the one before.
func curveMarks(votes int) []int {
	var marks []int
	for m := 10; m < votes; m = m*3/2 + m%2 {
		marks = append(marks, m)
	}
	return append(marks, votes)
}

// readRanking reads the true order of items.
func readRanking(ctx context.Context, path string) (ids []string, utility []float64, err error) {
	t, err := readTable(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	column := -1
	for j, name := range t.Columns {
		if strings.EqualFold(name, "utility") {
			column = j
		}
	}
	for i := range t.IDs {
		u := -float64(i)
		if column >= 0 {
			if u, err = strconv.ParseFloat(t.Cell(i, column), 64); err != nil {
				return nil, nil, &ingest.Error{File: t.File, Line: t.Lines[i], Column: t.Columns[column], Reason: fmt.Sprintf("%q is not a number", t.Cell(i, column))}
			}
		}
		utility = append(utility, u)
	}
	if len(t.IDs) < 2 {
		return nil, nil, fmt.Errorf("%s: one item: it takes two to compare", wording.File(t.File))
	}
	return t.IDs, utility, nil
}
