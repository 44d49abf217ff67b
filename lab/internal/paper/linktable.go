package paper

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"palate/active"
)

// Curve is how the ranking of one model grew better under one policy.
type Curve struct {
	Model, Policy string
	Repeats       int
	AP            [][]float64 // average precision by query and mark, the mean over repeats
	CPU           float64     // milliseconds a vote, choosing the pair included
	Seconds       []float64   // that a session took up to each mark, the mean; MAPs are not counted
	Again         int         // pairs that were asked twice
}

// at returns the average precisions of all queries at a mark.
func (c *Curve) at(mark int) []float64 {
	x := make([]float64, len(c.AP))
	for q := range c.AP {
		x[q] = c.AP[q][mark]
	}
	return x
}

// LinkTable holds the curves of a set at one share of wrong answers.
type LinkTable struct {
	Data    string
	Noise   float64
	Marks   []int
	Queries int
	Curves  []*Curve
}

// find returns the curve of a model under a policy, or nil.
func (t *LinkTable) find(model, policy string) *Curve {
	k := slices.IndexFunc(t.Curves, func(c *Curve) bool { return c.Model == model && c.Policy == policy })
	if k < 0 {
		return nil
	}
	return t.Curves[k]
}

// linkLine is a line of JSON.
type linkLine struct {
	Data    string   `json:"data"`
	Model   string   `json:"model"`
	Policy  string   `json:"policy"`
	Noise   float64  `json:"noise"`
	Pairs   int      `json:"pairs"`
	MAP     float64  `json:"map"`
	SE      *float64 `json:"map_se"`
	Queries int      `json:"queries"`
	Repeats int      `json:"repeats"`
	Again   int      `json:"asked_twice"` // pairs
	CPU     float64  `json:"cpu_ms_per_vote"`
	*linkTest
}

// linkTest compares a curve with that of "linked": under the same policy for other models, under the default for other
// policies.
type linkTest struct {
	Against string  `json:"against"` // model, policy
	Less    float64 `json:"less"`    // MAP by which the curve falls short of the other
	T       float64 `json:"p_t"`     // of the paired t-test over queries
	RankSum float64 `json:"p_rank_sum"`
}

// test returns nil when there is nothing to compare with, or too little.
func (t *LinkTable) test(c *Curve, mark int) *linkTest {
	policy := c.Policy
	if c.Model == "linked" {
		policy = active.For(active.TopFirst()).Name
	}
	o := t.find("linked", policy)
	if o == nil || o == c || len(c.AP) < 3 {
		return nil
	}
	x, y := o.at(mark), c.at(mark)
	mean, se := meanSE(differences(x, y))
	return &linkTest{o.Model + ", " + o.Policy, mean, pairedT(mean, se, len(x)), rankSum(x, y)}
}

func differences(x, y []float64) []float64 {
	d := make([]float64, len(x))
	for q := range d {
		d[q] = x[q] - y[q]
	}
	return d
}

// WriteJSON writes one object a line: a model, a policy and a number of pairs.
func (t *LinkTable) WriteJSON(w io.Writer) error {
	lines := json.NewEncoder(w)
	for _, c := range t.Curves {
		for m, pairs := range t.Marks {
			if !reported(pairs) {
				continue
			}
			mean, se := meanSE(c.at(m))
			l := linkLine{t.Data, c.Model, c.Policy, t.Noise, pairs, mean, &se, len(c.AP), c.Repeats, c.Again, c.CPU, t.test(c, m)}
			if math.IsNaN(se) {
				l.SE = nil
			}
			if err := lines.Encode(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteText writes the table for readers, with the tests of LINK below.
func (t *LinkTable) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d queries, %.0f%% of the answers wrong: MAP after so many pairs\n\n", t.Data, t.Queries, 100*t.Noise)
	fmt.Fprintf(w, "  %-12s %-12s", "model", "policy")
	for _, pairs := range t.Marks {
		if reported(pairs) {
			fmt.Fprintf(w, " %5d      ", pairs)
		}
	}
	fmt.Fprintf(w, " ms a vote\n")
	for _, c := range t.Curves {
		fmt.Fprintf(w, "  %-12s %-12s", c.Model, c.Policy)
		for m, pairs := range t.Marks {
			if reported(pairs) {
				mean, se := meanSE(c.at(m))
				fmt.Fprintf(w, "  %.3f(%.3f)", mean, se)
			}
		}
		fmt.Fprintf(w, "  %.2f\n", c.CPU)
	}
	for _, c := range t.Curves {
		if c.Again > 0 {
			fmt.Fprintf(w, "  %s, %s: %d pairs were asked twice\n", c.Model, c.Policy, c.Again)
		}
	}
	fallback := active.For(active.TopFirst()).Name
	for _, pair := range [][4]string{
		{"linked", fallback, "glicko", fallback}, {"linked", "lelpair", "glicko", "lelpair"}, {"linked", fallback, "features", fallback},
		{"linked", fallback, "linked", "random"}, {"linked", "lelpair", "linked", "random"}, {"linked", fallback, "linked-full", fallback}, {"linked-adf", fallback, "linked-full", fallback},
		{"linked", fallback, "matching", fallback}, {"linked", fallback, "nystrom", fallback}, {"matching", fallback, "features", fallback},
		{"features", fallback, "features", "random"},
	} {
		t.compare(w, t.find(pair[0], pair[1]), t.find(pair[2], pair[3]))
	}
	if t.Data == "citations" {
		t.saved(w)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// compare writes how much better a is than b, query by query, with the paired t-test, and the rank-sum test of LINK.
func (t *LinkTable) compare(w io.Writer, a, b *Curve) {
	if a == nil || b == nil || len(a.AP) < 3 {
		return
	}
	fmt.Fprintf(w, "\n  %s, %s less %s, %s:", a.Model, a.Policy, b.Model, b.Policy)
	for m, pairs := range t.Marks {
		if !slices.Contains([]int{10, 25, 50, 100, 200, 300, 400}, pairs) {
			continue
		}
		x, y := a.at(m), b.at(m)
		mean, se := meanSE(differences(x, y))
		fmt.Fprintf(w, "  %d: %+.3f (t-test %s, rank-sum %s)", pairs, mean, chance(pairedT(mean, se, len(x))), chance(rankSum(x, y)))
	}
	fmt.Fprintln(w)
}

func chance(p float64) string {
	if p < 0.001 {
		return "p<.001"
	}
	return fmt.Sprintf("p=%.3f", p)
}

// pairedT is the two-sided p of a mean difference.
func pairedT(mean, se float64, n int) float64 {
	if se == 0 {
		return 1
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Survival(math.Abs(mean/se))
}

// rankSum is the two-sided p of Wilcoxon's rank-sum test, by the normal approximation with its correction for ties.
func rankSum(x, y []float64) float64 {
	type value struct {
		v     float64
		first bool
	}
	var all []value
	for _, v := range x {
		all = append(all, value{v, true})
	}
	for _, v := range y {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Compare(a.v, b.v) })
	var w, ties float64
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		rank, size := float64(i+j+1)/2, float64(j-i)
		ties += size*size*size - size
		for ; i < j; i++ {
			if all[i].first {
				w += rank
			}
		}
	}
	n, m := float64(len(x)), float64(len(y))
	total := n + m
	variance := n * m / 12 * (total + 1 - ties/(total*(total-1)))
	z := (w - n*(total+1)/2) / math.Sqrt(variance)
	return 2 * distuv.UnitNormal.Survival(math.Abs(z))
}

// saved writes with how many votes links and features reach what features alone reach, query by query.
func (t *LinkTable) saved(w io.Writer) {
	fallback := active.For(active.TopFirst()).Name
	for _, policy := range []string{fallback, "random"} {
		a, b := t.find("linked", policy), t.find("features", policy)
		if a == nil || b == nil {
			continue
		}
		for _, pairs := range []int{100, 200, 400} {
			m := slices.Index(t.Marks, pairs)
			if m < 0 {
				continue
			}
			share, _ := meanSE(t.shares(a, b, m))
			need, votes := t.votesFor(a, t.mean(b, m))
			if need {
				fmt.Fprintf(w, "\n  Under %s, links and features reach the MAP of features alone at %d pairs after %.0f pairs: %.0f%% (mean over queries of their own shares: %.0f%%)", policy, pairs, votes, 100*votes/float64(pairs), 100*share)
			}
		}
	}
	fmt.Fprintln(w)
}

func (t *LinkTable) mean(c *Curve, mark int) float64 {
	x, _ := meanSE(c.at(mark))
	return x
}

// votesFor interpolates where the mean of a curve first reaches a level.
func (t *LinkTable) votesFor(c *Curve, level float64) (bool, float64) {
	var x []float64
	for m := range t.Marks {
		x = append(x, t.mean(c, m))
	}
	return t.reach(x, level)
}

func (t *LinkTable) reach(curve []float64, level float64) (bool, float64) {
	for m, x := range curve {
		if x < level {
			continue
		}
		if m == 0 {
			return true, float64(t.Marks[0])
		}
		lo, hi := float64(t.Marks[m-1]), float64(t.Marks[m])
		return true, lo + (hi-lo)*(level-curve[m-1])/(x-curve[m-1])
	}
	return false, 0
}

// shares are the votes that a needs for what b has at a mark, over those of b, by query; 1 where a never gets there.
func (t *LinkTable) shares(a, b *Curve, mark int) []float64 {
	s := make([]float64, len(a.AP))
	for q := range s {
		s[q] = 1
		if ok, votes := t.reach(a.AP[q], b.AP[q][mark]); ok {
			s[q] = votes / float64(t.Marks[mark])
		}
	}
	return s
}
