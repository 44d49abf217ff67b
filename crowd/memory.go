package crowd

import "palate/gp"

// Memory is roughly how many bytes a fit takes.
func Memory(v *Votes, prior *gp.Prior, o *Options) float64 {
	if o == nil {
		o = &Options{}
	}
	c := float64(o.factors(v, prior))
	k, d, r := c+1, float64(prior.Dim()), float64(v.rows.Len())
	if s := o.Stochastic; s != nil { // rows are those of a batch
		r *= min(1, float64(s.batch())/float64(v.Voters()))
	}
	bytes := 64*float64(v.Len()) + 8*r*k*(k+6) + 8*k*(3*d*d+float64(prior.Len())*d)
	for u := range v.Voters() {
		n := c
		if !o.NoOwn { // two items a vote at the most
			n += min(2*float64(v.start[u+1]-v.start[u]), float64(v.items), mostOwn)
		}
		bytes += 16 * n * n // once more while factors are put in order
	}
	return bytes
}

// factors returns how many a fit starts with.
func (o *Options) factors(v *Votes, prior *gp.Prior) int {
	switch {
	case o.Factors < 0:
		return 0
	case o.Factors == 0:
		return min(20, v.items-1, v.Voters(), prior.Dim())
	}
	return min(o.Factors, prior.Dim())
}
