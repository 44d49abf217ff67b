package crowd

import (
	"fmt"

	"palate"
)

// FoldIn infers somebody new from votes of their own, with consensus and
// factors as they are: in what it returns that is voter 0. The users of the
// tallies do not matter.
func (l *Learnt) FoldIn(tallies []palate.Tally) (*Learnt, error) {
	own := make([]palate.Tally, len(tallies))
	for k, t := range tallies {
		if uint(t.A) >= uint(l.items) || uint(t.B) >= uint(l.items) || t.A == t.B {
			return nil, fmt.Errorf("crowd: fold in: vote %d: items %d and %d of %d", k, t.A, t.B, l.items)
		}
		if t.Tie && l.Threshold == 0 {
			return nil, fmt.Errorf("crowd: fold in: vote %d is a tie, but the model has seen none", k)
		}
		own[k] = t
		own[k].User = 0
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("crowd: fold in: no votes")
	}
	v, err := NewVotes(l.items, own)
	if err != nil {
		return nil, err
	}
	b := l.take(v, l.prior, &Options{Factors: l.c, NoOwn: !l.own}, settledSweeps)
	b.on(l.prior)
	return b, nil
}
