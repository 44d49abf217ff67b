package feature

import "slices"

// sparse is a vector by its non-zeros.
type sparse struct {
	at []int // ascending
	x  []float64
}

// dot returns the inner product of two vectors.
func (v sparse) dot(w sparse) (sum float64) {
	j := 0
	for k, at := range v.at {
		for j < len(w.at) && w.at[j] < at {
			j++
		}
		if j < len(w.at) && w.at[j] == at {
			sum += v.x[k] * w.x[j]
		}
	}
	return sum
}

// meanOf returns the mean of some vectors.
func meanOf(rows []sparse) (mean sparse) {
	sum := map[int]float64{}
	for _, v := range rows {
		for k, at := range v.at {
			sum[at] += v.x[k]
		}
	}
	for at := range sum {
		mean.at = append(mean.at, at)
	}
	slices.Sort(mean.at)
	for _, at := range mean.at {
		mean.x = append(mean.x, sum[at]/float64(len(rows)))
	}
	return mean
}

func pick(rows []sparse, members []int) (out []sparse) {
	for _, i := range members {
		out = append(out, rows[i])
	}
	return out
}
