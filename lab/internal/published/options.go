package published

import (
	"cmp"
	"math"

	"palate/infer"
)

// Options are the settings of Fit. The zero value, and nil, are those of the
// authors' own runs on the SUSHI data.
type Options struct {
	// Factors is C; 0 stands for 20, or as many as there are voters if these are
	// fewer; negative: none.
	Factors int
	// Featured is how many of them have the voters' kernel; the others have
	// independent voters. 0 stands for half; negative: none.
	Featured    int
	NoConsensus bool // leave t out: \t of CROWD §6.4
	// The Gamma priors of inverse scales: σ of the consensus, s_c of the factors,
	// and those of the voters' weights. Zero stands for shape 1 and rates 100, 10
	// and 10.
	ConsensusScale, FactorScale, WeightScale infer.Gamma
	// UnitWeights fixes the scale of the voters' weights to 1, as the text of
	// CROWD (5) does; the authors' runs learn it.
	UnitWeights bool
	// FixedScales keeps all inverse scales at the means of their priors.
	FixedScales bool
	// Batch is the number of votes a step, 0 standing for 200. Negative: all of
	// them in every step, and each step taken whole, which is plain variational
	// Bayes without stochastic updates.
	Batch  int
	Steps  int     // 0 stands for 200, or for one pass over the votes if that is more
	Delay  float64 // ε; 0 stands for 1
	Forget float64 // r; 0 stands for 0.9
	Inner  int     // most linearisations a step, as in Algorithm 1; 0 stands for 10
	Noise  Noise
	Seed   uint64 // of the first weights and of the batches
}

func (o *Options) settle(p *Problem) {
	voters, votes := p.Voters.Points.Len(), len(p.Votes)
	if o.Factors == 0 {
		o.Factors = min(20, voters)
	}
	o.Factors = max(0, o.Factors)
	if o.Featured == 0 {
		o.Featured = o.Factors / 2
	}
	o.Featured = max(0, min(o.Featured, o.Factors))
	if p.Voters.Kernel == nil {
		o.Featured = 0
	}
	gamma := func(g *infer.Gamma, rate float64) {
		if *g == (infer.Gamma{}) {
			*g = infer.Gamma{Shape: 1, Rate: rate}
		}
	}
	gamma(&o.ConsensusScale, 100)
	gamma(&o.FactorScale, 10)
	gamma(&o.WeightScale, 10)
	if o.UnitWeights {
		o.WeightScale = infer.Gamma{Shape: 1, Rate: 1}
	}
	o.Batch = cmp.Or(o.Batch, 200)
	if o.Batch > votes {
		o.Batch = votes
	}
	if o.Steps == 0 {
		o.Steps = 200
		if o.Batch > 0 {
			o.Steps = max(o.Steps, (votes+o.Batch-1)/o.Batch)
		}
	}
	o.Delay = cmp.Or(o.Delay, 1)
	o.Forget = cmp.Or(o.Forget, 0.9)
	o.Inner = cmp.Or(o.Inner, 10)
}

// rate returns ρ of step i, counted from 0: (i + ε)^−r.
func (o *Options) rate(i int) float64 {
	if o.Batch < 0 {
		return 1
	}
	return math.Min(1, math.Pow(float64(i)+o.Delay, -o.Forget))
}
