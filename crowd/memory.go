package crowd

// Memory is roughly how many bytes a fit takes over a prior with so many weights:
// twice what is in use, since the collector lets as much again lie about.
func Memory(v *Votes, weights int, o *Options) float64 {
	if o == nil {
		o = &Options{}
	}
	c := float64(o.factors(v, weights))
	k, d, r, n := c+1, float64(weights), float64(v.rows.Len()), float64(v.items)
	if s := o.Stochastic; s != nil { // rows are those of a batch and of the one before
		r *= min(1, 2*float64(s.Defaults(v.Voters()).Batch)/float64(v.Voters()))
	}
	bytes := 64*float64(v.Len()) + 8*r*(k*(k+6)+2*d) + 24*k*d*d + 8*n*d
	if weights == v.items { // every column has a factor of its covariance, over items
		bytes += 8 * k * n * d
	} else { // or over rows
		bytes += 8 * k * r * d
	}
	if o.Nugget { // the consensus by itself, as it is and as it is tried
		bytes += 64 * n * d
		if n <= maxComponent {
			bytes += 32 * n * n
		}
	}
	if o.About != nil {
		rows, cols := o.About.Features.Dims()
		bytes += 16 * float64(rows*cols)
	}
	compact := o.Stochastic != nil && !o.NoOwn && !o.Reliability && !o.Habits
	var widest float64
	for u := range v.Voters() {
		n := c
		if !o.NoOwn { // two items a vote at the most
			n += min(2*float64(v.start[u+1]-v.start[u]), float64(v.items), mostOwn)
		}
		if widest = max(widest, n); compact {
			bytes += 8*(2*c+1) + 20*n // once more while factors are put in order
		} else {
			bytes += 16 * n * n
		}
	}
	if compact { // sites, and the covariances of a batch
		bytes += 24*float64(v.Len()) + 16*float64(o.Stochastic.Defaults(v.Voters()).Batch)*widest*widest
	}
	return 2 * bytes
}

// factors returns how many a fit starts with.
func (o *Options) factors(v *Votes, weights int) int {
	switch {
	case o.Factors < 0:
		return 0
	case o.Factors == 0:
		return min(20, v.items-1, v.Voters(), weights)
	}
	return min(o.Factors, weights)
}
