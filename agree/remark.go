package agree

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
)

const (
	reliable   = 0.5  // below, votes have little to do with the items
	sided      = 0.75 // above, a side is picked whatever the items
	discovered = 0.05 // false discovery rate of remarks
)

// remark says what is unusual about voters, and whom to suspect.
func (a *Agreement) remark(ctx context.Context, d *palate.Dataset, voters []voter, m *mixture) error {
	z := math.Sqrt2 * math.Erfinv(a.Level)
	n := len(voters)
	slope, side := make([]float64, n), make([]float64, n)
	for k, v := range a.Voters {
		sd := (v.Reliability.Hi - v.Reliability.Lo) / (2 * z)
		slope[k] = num.Phi((v.Reliability.Value - 1) / sd)
		side[k] = 1
		if !math.IsNaN(v.Left.Value) {
			b, sd := logit(v.Left.Value), (logit(v.Left.Hi)-logit(v.Left.Lo))/(2*z)
			side[k] = 2 * num.Phi(-math.Abs(b)/sd)
		}
	}
	unreliable, onesided := discover(slope), discover(side)
	for k := range a.Voters {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := &a.Voters[k]
		unreliable[k] = unreliable[k] && v.Reliability.Value < reliable
		switch {
		case onesided[k] && max(v.Left.Value, 1-v.Left.Value) > sided:
			word, share := "left", v.Left.Value
			if share < 0.5 {
				word, share = "right", 1-share
			}
			v.Spammer = true
			v.Remark = fmt.Sprintf("picks the %s one of two equal items %.0f%% of the time", word, 100*share)
		case unreliable[k] && v.Reliability.Hi < 0:
			v.Remark = "votes against the consensus"
		case unreliable[k] && len(a.Clusters) > 1 && a.explained(d, voters[k], m.without(k, v.Cluster)):
			v.Remark = "disagrees with the consensus, as others of the same cluster do"
		case unreliable[k]:
			v.Spammer = true
			v.Remark = "votes as if at random"
		}
	}
	return nil
}

// explained reports whether the voter follows the scores that others of the same
// cluster give.
func (a *Agreement) explained(d *palate.Dataset, v voter, scores []float64) bool {
	r := v.regress(d, scores, a.Sided)
	return r.slope >= reliable && r.slope-1.645*r.slopeSD > 0 // at 5 %, one-sided
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// discover marks the tests that stand at the false discovery rate.
func discover(p []float64) []bool {
	order := num.Indices(len(p))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]bool, len(p))
	for last := len(order) - 1; last >= 0; last-- {
		if p[order[last]] <= discovered*float64(last+1)/float64(len(p)) {
			for _, k := range order[:last+1] {
				out[k] = true
			}
			break
		}
	}
	return out
}
