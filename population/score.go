package population

import (
	"math"

	"palate/internal/num"
)

const (
	// heat is what scores of different kinds are divided by: they are of votes that no kind may
	// be quite right about.
	heat = 4
	// charge is what a score takes for each parameter.
	charge = 1.25
	// least is the weight below which a member is forgotten.
	least = 0.002
)

// score is the log evidence of the votes at what was learnt, as EP has it and amended (amending), less a charge for each
// parameter that the votes had to settle: about how likely new votes are. By Akaike's
// reckoning they are less so by one a parameter, and more where people are few beside
// parameters. The evidence with parameters integrated out is another thing: it is about
// all votes in turn, of which the first were predicted knowing nothing, and with two votes
// a person it prefers what is not yet wrong to what has just been learnt.
func score(logZ, parameters float64) float64 { return logZ - charge*parameters }

// kind is what members have in common that differ in the variance of own tastes alone.
type kind struct {
	name    string
	classes int
}

func (m *Member) kind() kind { return kind{m.Name, len(m.Classes)} }

// weigh weighs the members by their scores, and forgets those that do not matter. Kinds weigh as their
// members together, and these share it as the probabilities of their variances.
func (f *Family) weigh() {
	var all []float64
	of := map[kind][]float64{}
	for _, m := range f.Members {
		all = append(all, m.Score/heat)
		of[m.kind()] = append(of[m.kind()], m.Score)
	}
	total := num.LogSumExp(all)
	var sum float64
	var kept []*Member
	for _, m := range f.Members {
		scores := of[m.kind()]
		share := m.Score - num.LogSumExp(scores)
		heated := make([]float64, len(scores))
		for i, s := range scores {
			heated[i] = s / heat
		}
		if m.Weight = math.Exp(num.LogSumExp(heated) - total + share); m.Weight > least {
			kept = append(kept, m)
			sum += m.Weight
		}
	}
	for _, m := range kept {
		m.Weight /= sum
	}
	f.Members = kept
}
