package infer

import (
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// Average is what is known, given the utilities f, of the mean over all groups of a
// group's own utilities: N(gain·f + base, cov). It is about these groups, where f is about
// those that might be.
type Average struct {
	gain *mat.Dense
	base []float64
	root *mat.TriDense // L with LLᵀ = cov
}

// Average returns what is known of the groups' mean; nil where groups have nothing of
// their own.
func (r *Result) Average() *Average {
	e := r.effects
	if e == nil || e.groups() == 0 || e.Own == 0 {
		return nil
	}
	n, share := e.items, 1/float64(e.groups())
	a := &Average{gain: mat.NewDense(n, n, nil), base: make([]float64, n)}
	cov := mat.NewSymDense(n, nil)
	for i := range n { // of items that a group has not met
		a.gain.Set(i, i, 1)
		cov.SetSym(i, i, share*e.Own)
	}
	for k := range e.blocks {
		b := &e.blocks[k]
		if b.answer {
			continue
		}
		m := len(b.items)
		for i, x := range b.items {
			if x >= n {
				continue
			}
			a.gain.Set(x, x, a.gain.At(x, x)-share)
			cov.SetSym(x, x, cov.At(x, x)-share*share*e.Own)
			for j, y := range b.items {
				own := b.root[j] * b.root[j]
				a.base[x] += share * b.keep[i*m+j] * own * b.eta[j]
				if y < n {
					a.gain.Set(x, y, a.gain.At(x, y)+share*b.keep[i*m+j])
					if y >= x {
						cov.SetSym(x, y, cov.At(x, y)+share*share*b.keep[i*m+j]*own)
					}
				} else if e.given != nil { // at the mean of the effects of the context, given f
					c := y - n
					a.base[x] += share * b.keep[i*m+j] * e.given.base[c]
					for l := range n {
						a.gain.Set(x, l, a.gain.At(x, l)-share*b.keep[i*m+j]*e.given.gain.At(c, l))
					}
				}
			}
		}
	}
	chol, err := num.NewCholesky(cov)
	if err != nil {
		panic("infer: the covariance of groups' means is not positive definite")
	}
	a.root = chol.L()
	return a
}

// Draw turns utilities and standard normals, one an item, into a draw of the groups' mean.
func (a *Average) Draw(dst, utilities, white []float64) {
	for i := range dst {
		dst[i] = a.base[i]
		for j, x := range utilities {
			dst[i] += a.gain.At(i, j) * x
		}
		for j := range i + 1 {
			dst[i] += a.root.At(i, j) * white[j]
		}
	}
}
