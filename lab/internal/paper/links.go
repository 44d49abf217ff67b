package paper

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"palate/active"
	"palate/internal/num"
	"palate/model"
)

// LinkOptions say how much of the experiments of LINK to do. Zeros and nil stand for the defaults of each set.
type LinkOptions struct {
	Folder   Folder
	Sets     []string  // of LinkSets
	Models   []string  // of LinkModels
	Policies []string  // names of active policies
	Noise    []float64 // shares of wrong answers
	Queries  int
	Repeats  int
	Pairs    int // asked in each session
	Seed     uint64
	Results  *Results // keeps what is finished; nil: nothing is kept
	// Progress, if set, is told before every model and policy on a set.
	Progress func(Progress)
}

// LinkSets lists the sets: OHSUMED a query at a time and pooled, a made-up hyperlink graph of the size of TREC's,
// made-up citations, and of these the papers that are new: known by their links, and never asked about.
func LinkSets() []string {
	return []string{"ohsumed", "ohsumed-pooled", "trec-sim", "citations", "citations-new"}
}

// LinkModels lists the models: with features and links (AXPGP) and some revisits a vote, the same in one pass as LINK
// has it and at the fixed point of EP after every vote; with features only; the two forms of Glicko; and, where
// there are new items, those that place them by their links after the fact.
func LinkModels() []string {
	return []string{"linked", "linked-adf", "linked-full", "features", "glicko", "diagonal", "matching", "nystrom"}
}

// revisits is how many earlier votes "linked" looks at again with each.
const revisits = 10

// linkMarks are the numbers of pairs that are reported; tests are made at every hundred.
func linkMarks() []int { return []int{10, 25, 50, 100, 200, 300, 400} }

// reported leaves out 300, at which there are only tests.
func reported(mark int) bool { return mark != 300 }

// Check says what is wrong with the options, without looking at the data.
func (o *LinkOptions) Check() error {
	for _, s := range o.Sets {
		if !slices.Contains(LinkSets(), s) {
			return fmt.Errorf("paper: links has no set %q; there are %s", s, strings.Join(LinkSets(), ", "))
		}
	}
	for _, m := range o.Models {
		if !slices.Contains(LinkModels(), m) {
			return fmt.Errorf("paper: links has no model %q; there are %s", m, strings.Join(LinkModels(), ", "))
		}
	}
	for _, p := range o.Policies {
		if _, err := active.Find(p); err != nil {
			return err
		}
	}
	for _, x := range o.Noise {
		if !(x >= 0 && x < 0.5) {
			return fmt.Errorf("paper: links: %v of the answers wrong; want less than half", x)
		}
	}
	if o.Queries < 0 || o.Repeats < 0 || o.Pairs < 0 || o.Pairs > 0 && o.Pairs < linkMarks()[0] {
		return fmt.Errorf("paper: links: %d queries, %d repeats, %d pairs; at least %d pairs", o.Queries, o.Repeats, o.Pairs, linkMarks()[0])
	}
	return nil
}

// RunLinks does the experiments of LINK, a table for every set and share of wrong answers. All models and policies
// work on the same tasks, so that they are compared task by task.
func RunLinks(ctx context.Context, o LinkOptions) iter.Seq2[*LinkTable, error] {
	return func(yield func(*LinkTable, error) bool) {
		if err := o.Check(); err != nil {
			yield(nil, err)
			return
		}
		names := o.Sets
		if len(names) == 0 {
			names = LinkSets()
		}
		for _, name := range names {
			s, err := o.open(name)
			if err != nil {
				yield(nil, err)
				return
			}
			noises := o.Noise
			if noises == nil {
				noises = s.noise
			}
			for _, noise := range noises {
				t, err := o.table(ctx, s, noise)
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
}

// runs are those of the set, or every model under every policy that was asked for.
func (o *LinkOptions) runs(s *linkSet, noise float64) (runs []linkRun) {
	if o.Models == nil && o.Policies == nil {
		for _, r := range s.runs {
			if !r.costly || noise == 0 {
				runs = append(runs, r)
			}
		}
		return runs
	}
	models, policies := o.Models, o.Policies
	if models == nil {
		models = []string{"linked"}
	}
	if policies == nil {
		policies = []string{active.For(active.TopFirst()).Name}
	}
	for _, m := range models {
		for _, p := range policies {
			runs = append(runs, linkRun{m, p, m == "linked-full"})
		}
	}
	return runs
}

func (o *LinkOptions) table(ctx context.Context, s *linkSet, noise float64) (*LinkTable, error) {
	var marks []int
	for _, m := range linkMarks() {
		if o.Pairs == 0 || m <= o.Pairs {
			marks = append(marks, m)
		}
	}
	t := &LinkTable{Data: s.name, Noise: noise, Marks: marks, Queries: o.queries(s)}
	runs := o.runs(s, noise)
	for k, r := range runs {
		if o.Progress != nil {
			o.Progress(Progress{Set: s.name, Model: r.model + ", " + r.policy, Splits: len(runs), Split: k, Done: k, Total: len(runs)})
		}
		key := trialKey{Set: fmt.Sprintf("links/%s, %g wrong, %d × %d, %v", s.name, noise, o.queries(s), o.repeats(s), marks), Model: r.model + ", " + r.policy, Seed: o.Seed}
		c, err := remembered(o.Results, key, func() (*Curve, error) { return o.curve(ctx, s, r, noise, marks) })
		if err != nil {
			return nil, fmt.Errorf("paper: links: %s, %s, %s: %w", s.name, r.model, r.policy, err)
		}
		t.Curves = append(t.Curves, c)
	}
	return t, nil
}

// curve lets a model ask by a policy on every task.
func (o *LinkOptions) curve(ctx context.Context, s *linkSet, r linkRun, noise float64, marks []int) (*Curve, error) {
	queries, repeats := o.queries(s), o.repeats(s)
	c := &Curve{Model: r.model, Policy: r.policy, Repeats: repeats, AP: make([][]float64, queries)}
	got := make([][]float64, queries*repeats)
	again := make([]int, len(got))
	took := make([][]float64, len(got))
	errs := make([]error, len(got))
	cpu := cpuSeconds()
	num.Parallel(len(got), 1, func(k, _ int) {
		if errs[k] = ctx.Err(); errs[k] == nil {
			var e *session
			if e, errs[k] = o.session(s, r, noise, k/repeats, k%repeats); errs[k] == nil {
				got[k], errs[k] = e.run(ctx, marks)
				again[k], took[k] = e.repeats, e.seconds
			}
		}
	})
	c.CPU = 1000 * (cpuSeconds() - cpu) / float64(len(got)*marks[len(marks)-1])
	for k, maps := range got {
		if errs[k] != nil {
			return nil, errs[k]
		}
		c.Again += again[k]
		if c.Seconds == nil {
			c.Seconds = make([]float64, len(marks))
		}
		for m, x := range took[k] {
			c.Seconds[m] += x / float64(len(got))
		}
		q := k / repeats
		if c.AP[q] == nil {
			c.AP[q] = make([]float64, len(marks))
		}
		for m, x := range maps {
			c.AP[q][m] += x / float64(repeats)
		}
	}
	return c, nil
}

// session sets up a model on one task. The task depends on query and repeat only, so that all see the same.
func (o *LinkOptions) session(s *linkSet, r linkRun, noise float64, query, repeat int) (*session, error) {
	h := fnv.New64a()
	fmt.Fprint(h, s.name, query, repeat)
	rng := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	t, err := s.draw(query, rng)
	if err != nil {
		return nil, err
	}
	l, err := t.learner(r.model)
	if err != nil {
		return nil, err
	}
	policy, err := active.Find(r.policy)
	if err != nil {
		return nil, err
	}
	e := &session{learner: l, truth: t.truth, relevant: t.relevant, items: t.items, group: t.group, fresh: t.fresh, policy: policy, noise: noise, rng: rng}
	if r.model == "linked-full" {
		e.after = func(ctx context.Context) { l.(*model.Linked).Revisit(ctx, 1e-3, 20) }
	}
	return e, nil
}

// meanSE returns the mean of x and its standard error.
func meanSE(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}
