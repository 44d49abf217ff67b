package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// data are answers as inference sees them: a row a duel, a comparison within a choice, or a
// number.
type data struct {
	points *mat.Dense // rows 2i and 2i+1: the winner and the loser of row i, of a tie left and right, of a number its point twice
	rows   []row
	voters []string // in the order in which they come first
	ties   bool     // there are some
}

// row is what was said about its two points.
type row struct {
	kind  kind
	voter int
	group int     // of a choice: which it is
	value float64 // of a number, in deviations from the mean of all
}

// kind is that of a row.
type kind int

const (
	won    kind = iota
	tied        // neither was preferred
	chosen      // preferred to one of several others at once
	valued      // given a number
)

// newData leaves out what says nothing: skipped questions, and numbers that are all the same.
func (s *Space) newData(values []Value, duels []Duel) *data {
	d := &data{}
	var points []float64
	add := func(r row, voter string, a, b Point) {
		if r.voter = slices.Index(d.voters, voter); r.voter < 0 {
			r.voter = len(d.voters)
			d.voters = append(d.voters, voter)
		}
		points = append(append(points, s.Features(a)...), s.Features(b)...)
		d.rows = append(d.rows, r)
	}
	if mean, sd := spreadOfValues(values); sd > 0 {
		for _, v := range values {
			add(row{kind: valued, value: (v.Value - mean) / sd}, v.Voter, v.Point, v.Point)
		}
	}
	for i, x := range duels {
		a, b := x.Left, x.Right
		r := row{}
		switch x.Answer {
		case palate.Skip:
			continue
		case palate.Right:
			a, b = b, a
		case palate.Tie:
			r.kind, d.ties = tied, true
		}
		if x.Group > 0 && (i > 0 && duels[i-1].Group == x.Group || i+1 < len(duels) && duels[i+1].Group == x.Group) {
			r.kind, r.group = chosen, x.Group
		}
		add(r, x.Voter, a, b)
	}
	if len(d.rows) > 0 {
		d.points = mat.NewDense(2*len(d.rows), s.features, points)
	}
	return d
}

// spreadOfValues returns the mean and the deviation of numbers; none where they differ by
// rounding only.
func spreadOfValues(values []Value) (mean, sd float64) {
	for _, v := range values {
		mean += v.Value / float64(len(values))
	}
	for _, v := range values {
		sd += (v.Value - mean) * (v.Value - mean) / float64(len(values))
	}
	if sd = math.Sqrt(sd); sd <= 1e-12*math.Abs(mean) {
		sd = 0
	}
	return mean, sd
}

func (d *data) len() int { return len(d.rows) }

// signs are what a row has of the utilities of its two points.
func (d *data) signs(i int, h hyper) (float64, float64) {
	if d.rows[i].kind == valued {
		return h.gain() / h.amplitude(), 0
	}
	return 1, -1
}

// shared is the prior covariance of what two rows have beside utility. The points of a choice
// have noise of variance ½ each, which comparisons within it share as far as the points they
// are about are the same; the numbers of a voter have an offset of their own.
func (d *data) shared(i, j int) float64 {
	a, b := &d.rows[i], &d.rows[j]
	switch {
	case a.kind != b.kind:
		return 0
	case a.kind == valued && a.voter == b.voter:
		return 1
	case a.kind == chosen && i == j:
		return 1
	case a.kind == chosen && a.group == b.group:
		return 0.5
	}
	return 0
}

// together is the covariance of what two voters like, in units of the variance of utility.
func (h hyper) together(v, w int) float64 {
	if v == w {
		return 1
	}
	return 1 - h.own()
}

// problem is what inference is asked under hyper-parameters: the prior covariance of the
// forms of utility in the rows, differences but for numbers (EPNOTE), and the likelihoods
// of what was said about them.
func (s *Space) problem(d *data, h hyper) (*infer.Problem, *mat.SymDense, error) {
	variance := h.amplitude() * h.amplitude()
	gram := kernel.Gram(s.kernel(h), kernel.Dense(d.points)).RawSymmetric()
	at := func(i, j int) float64 { return gram.Data[min(i, j)*gram.Stride+max(i, j)] } // the lower half is not stored
	n := d.len()
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		a, b := d.signs(i, h)
		for j := i; j < n; j++ {
			e, f := d.signs(j, h)
			v := a*e*at(2*i, 2*j) + a*f*at(2*i, 2*j+1) + b*e*at(2*i+1, 2*j) + b*f*at(2*i+1, 2*j+1)
			cov.SetSym(i, j, variance*h.together(d.rows[i].voter, d.rows[j].voter)*v+d.shared(i, j))
		}
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		return nil, nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Likelihood: make([]likelihood.Scalar, n)}
	margin := 0.0
	if d.ties {
		margin = h.margin()
	}
	for i, r := range d.rows {
		p.Rows.AppendUnit(i)
		a, b := d.signs(i, h)
		mean := a*s.trend(h, d.points.RawRowView(2*i), nil, 0) + b*s.trend(h, d.points.RawRowView(2*i+1), nil, 0)
		switch r.kind { // of what the form is beside its mean
		case won:
			p.Likelihood[i] = likelihood.Probit{Offset: margin - mean}
		case tied:
			p.Likelihood[i] = likelihood.Interval{Lo: -margin - mean, Hi: margin - mean}
		case chosen:
			p.Likelihood[i] = likelihood.Step{Offset: -mean}
		case valued:
			p.Likelihood[i] = likelihood.Gaussian{Y: r.value - mean, Sd: h.error()}
		}
	}
	return p, cov, nil
}
