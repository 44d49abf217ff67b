package published

import (
	"palate/gp"
	"palate/likelihood"
)

// Noise chooses Q, the variance of a vote as an observation of Φ(z).
type Noise int

const (
	// ExpectedNoise is E[p(1−p)] under the beta posterior after one win: CROWD (9),
	// corrected.
	ExpectedNoise Noise = iota
	// ReleasedNoise is E[p](1−E[p]), as the authors' released code has it.
	ReleasedNoise
)

// setNoise sets Q from the prior variance of z, with inverse scales at their prior
// means: CROWD (9), corrected, in closed form where the authors sample.
func (q *engine) setNoise() {
	var rows gp.Rows
	at := make(map[[2]int]int)
	place := make([]int, len(q.Votes))
	for k, v := range q.Votes {
		pair := [2]int{min(v.Win, v.Lose), max(v.Win, v.Lose)}
		r, ok := at[pair]
		if !ok {
			r = rows.Len()
			at[pair] = r
			rows.AppendPair(pair[0], pair[1])
		}
		place[k] = r
	}
	prior := q.items.FormVariances(&rows)
	for r, x := range q.items.Residuals(&rows) {
		prior[r] += x
	}
	var scale float64 // of the prior variance of a form
	if !q.NoConsensus {
		scale += 1 / q.ConsensusScale.Mean()
	}
	scale += float64(q.Factors) / q.FactorScale.Mean()
	q.noise = make([]float64, len(q.Votes))
	for k := range q.noise {
		q.noise[k] = q.observer(k).ObservationVar(scale * prior[place[k]])
		if _, probit := q.observer(k).(likelihood.Probit); probit && q.Noise == ReleasedNoise {
			q.noise[k] = released(q.noise[k])
		}
	}
}

// released turns E = ab/(n(n+1)) into ab/n²: with a = 1+γ, b = γ and n = 1+2γ,
// E = (n−1)/4n and ab/n² = (1 − n⁻²)/4.
func released(expected float64) float64 { return 2 * expected * (1 - 2*expected) }
