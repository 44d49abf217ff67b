package tune

import (
	"context"
	"errors"
	"math"
)

// programme is a linear programme over variables from zero on: what a row sums up to is at most
// its limit, or just that.
type programme struct {
	rows   [][]float64
	limits []float64
	exact  []bool
}

func (p *programme) add(row []float64, limit float64, exact bool) {
	p.rows, p.limits, p.exact = append(p.rows, row), append(p.limits, limit), append(p.exact, exact)
}

// errInfeasible is the error of a programme that nothing satisfies.
var errInfeasible = errors.New("tune: constraints that cannot hold together")

// tableau is a programme under way, as the simplex method writes it: every row says what the
// variable of its basis is. Variables are those of the programme and a slack a row. What is
// beyond them in the basis is how far a row is from holding, and has no column: it never enters.
type tableau struct {
	rows  [][]float64 // by variable, the limit last
	cost  []float64   // what each variable still gains, and last what is still missing
	basis []int
}

// maximise is the two-phase simplex method. Spaces come from strangers, and gonum's takes minutes on
// a hundred chained parameters and cannot be stopped: this one heeds its context. It returns
// the values of the variables with which the last of them is as large as it can be. When ctx
// ends before it is done it returns the error of ctx.
func (p *programme) maximise(ctx context.Context) ([]float64, error) {
	m, n := len(p.rows), len(p.rows[0])
	last := n + m
	t := &tableau{basis: make([]int, m), cost: make([]float64, last+1)}
	for i, row := range p.rows {
		sign := 1.0
		if p.limits[i] < 0 {
			sign = -1
		}
		r := make([]float64, last+1)
		for k, v := range row {
			r[k] = sign * v
		}
		r[last] = sign * p.limits[i]
		if t.basis[i] = n + i; !p.exact[i] {
			r[n+i] = sign
		}
		if p.exact[i] || sign < 0 { // nothing of its own can be its value
			t.basis[i] = last + i
			for k, v := range r {
				t.cost[k] += v
			}
		}
		t.rows = append(t.rows, r)
	}
	if err := t.climb(ctx); err != nil {
		return nil, err
	}
	if t.cost[last] > tolerance {
		return nil, errInfeasible
	}
	for i, b := range t.basis { // what is left of the beginning is zero, and goes where it can
		for k := 0; b >= last && k < last; k++ {
			if math.Abs(t.rows[i][k]) > tolerance {
				t.pivot(i, k)
				break
			}
		}
	}
	clear(t.cost)
	t.cost[n-1] = 1
	for i, b := range t.basis {
		if b == n-1 {
			lower(t.cost, t.rows[i], 1)
		}
	}
	if err := t.climb(ctx); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for i, b := range t.basis {
		if b < n {
			x[b] = max(0, t.rows[i][last])
		}
	}
	return x, nil
}

// climb goes from corner to corner until nothing is to be gained: by the variable that gains
// most and, where it does not get on like that, by the first that gains, which comes to an end.
func (t *tableau) climb(ctx context.Context) error {
	const little = 1e-11
	last := len(t.cost) - 1
	for still := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		enter, most := -1, little
		for k, c := range t.cost[:last] {
			if c > most {
				if enter, most = k, c; still > len(t.rows) {
					break
				}
			}
		}
		if enter < 0 {
			return nil
		}
		leave, least := -1, 0.0
		for i, r := range t.rows {
			if r[enter] <= little {
				continue
			}
			step := max(0, r[last]) / r[enter]
			if leave < 0 || step < least || step == least && t.basis[i] < t.basis[leave] {
				leave, least = i, step
			}
		}
		if leave < 0 {
			return errInfeasible // it would have no end, which bounds do not allow
		}
		if still++; least*most > little {
			still = 0
		}
		if still > 20*len(t.cost) {
			return nil // it goes round in a circle of rounding
		}
		t.pivot(leave, enter)
	}
}

// pivot puts a variable into the basis.
func (t *tableau) pivot(leave, enter int) {
	row := t.rows[leave]
	scale(row, 1/row[enter])
	for i, r := range t.rows {
		if i != leave && r[enter] != 0 {
			lower(r, row, r[enter])
		}
	}
	if c := t.cost[enter]; c != 0 {
		lower(t.cost, row, c)
	}
	t.basis[leave] = enter
}

// lower takes so many times a row from another.
func lower(r, row []float64, times float64) {
	for k, v := range row {
		r[k] -= times * v
	}
}
