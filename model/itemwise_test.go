package model

import (
	"testing"

	"palate"
)

// One vote between independent items moves their means and variances as Linked does, ties
// and weights too; votes taken back in the reverse order leave what there was.
func TestItemwiseIsLinkedApart(t *testing.T) {
	const n = 6
	for _, v := range []palate.Vote{
		{User: -1, Left: 0, Right: 1, Weight: 1},
		{User: -1, Left: 2, Right: 1, Outcome: palate.Right, Weight: 1},
		{User: -1, Left: 4, Right: 3, Outcome: palate.Tie, Weight: 1},
	} {
		k, x := DefaultKernel(n, nil)
		linked, err := NewLinked(numbered(n), k, x, &LinkedOptions{Threshold: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewItemwise(numbered(n), 2, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		observeAll(t, linked, []palate.Vote{v})
		observeAll(t, m, []palate.Vote{v})
		for i := range n {
			mean, variance := m.Utility(-1, i)
			wantMean, wantVariance := linked.Utility(-1, i)
			near(t, "mean", mean, wantMean, 1e-9)
			near(t, "variance", variance, wantVariance, 1e-9)
			near(t, "votes", m.Votes()[i], linked.Votes()[i], 0)
		}
	}
	m, err := NewItemwise(numbered(n), 2, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	votes := someVotes(n, 40, 5)
	votes[7].Outcome, votes[9].Weight = palate.Tie, 3
	observeAll(t, m, votes[:20])
	was := m.Frozen()
	observeAll(t, m, votes[20:])
	for k := len(votes) - 1; k >= 20; k-- {
		if err := m.Forget(votes[k]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		mean, variance := m.Utility(-1, i)
		wantMean, wantVariance := was.Utility(-1, i)
		near(t, "mean", mean, wantMean, 1e-9)
		near(t, "variance", variance, wantVariance, 1e-9)
		near(t, "votes", m.Votes()[i], was.Votes()[i], 0)
	}
	if m.Forget(palate.Vote{User: -1, Left: 0, Right: 1, Weight: 7}) == nil {
		t.Error("it forgot what it had not learnt")
	}
}
