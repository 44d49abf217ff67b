package infer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// block is a group or an answer, by its coordinates and pairs.
type block struct {
	items   []int     // the coordinates, of an answer within a group by their place there
	root    []float64 // deviation of the block's own part of each
	pairs   []blockPair
	rows    []blockRow
	answer  bool    // it is an answer
	copies  float64 // that there are of it
	answers []block // within a group

	eta, mean, shift []float64 // over the coordinates
	lambda           []float64 // Λ = Σ t bbᵀ
	keep             []float64 // A = (I + DΛ)⁻¹
	message          []float64 // ΛA
	reach            []float64 // AV, with V the covariance of the coordinates of all groups
	logDet           float64   // log |I + DΛ| + Σ log(1 + ρT), with those of the answers
}

// blockPair is a pair of items that a group met, with the coordinates that its rows
// touch, by their place in the block.
type blockPair struct {
	at      []int
	tau, nu float64   // sums of its sites, the first item winning
	pull    []float64 // Σ τb over at
}

// blockRow is a row of the problem on a pair, turned round where sign is −1, and its
// form over what the pair touches.
type blockRow struct {
	row, pair int
	sign      float64
	form      []float64
}

// send sets the message of the block, of all its copies: its precision ΛA and its pull Aᵀη.
func (b *block) send(repeat float64, p *Problem, sites []gp.Site) {
	m := len(b.items)
	for k := range b.pairs {
		b.pairs[k].tau, b.pairs[k].nu = 0, 0
		clear(b.pairs[k].pull)
	}
	clear(b.lambda)
	clear(b.eta)
	add := func(i, j int, v float64) {
		if i >= j {
			b.lambda[i*m+j] += v
		}
	}
	b.logDet = 0
	for k := range b.answers {
		a := &b.answers[k]
		a.send(0, p, sites)
		b.logDet += a.logDet
		for i, x := range a.items {
			b.eta[x] += a.shift[i]
			for j, y := range a.items {
				add(x, y, a.message[i*len(a.items)+j])
			}
		}
	}
	for _, r := range b.rows {
		c, q := p.count(r.row), &b.pairs[r.pair]
		if b.answer {
			c = 1
		}
		tau, nu := c*sites[r.row].Tau, r.sign*c*sites[r.row].Nu
		q.tau += tau
		q.nu += nu
		for t, x := range r.form {
			b.eta[q.at[t]] += r.sign * nu * x
			q.pull[t] += r.sign * tau * x
			for s, y := range r.form {
				add(q.at[t], q.at[s], tau*x*y)
			}
		}
	}
	if repeat > 0 {
		for _, q := range b.pairs {
			left := 1 + repeat*q.tau
			b.logDet += math.Log(left)
			for t, x := range q.pull {
				b.eta[q.at[t]] -= repeat / left * q.nu * x
				for s, y := range q.pull {
					add(q.at[t], q.at[s], -repeat/left*x*y)
				}
			}
		}
	}
	num.Mirror(b.lambda, m)
	for i, x := range b.root {
		for j, y := range b.root {
			b.message[i*m+j] = x * b.lambda[i*m+j] * y
		}
		b.message[i*m+i]++
	}
	logDet, ok := num.Invert(b.keep, b.message, m)
	if !ok {
		panic("infer: an identity and more is not positive definite")
	}
	b.logDet += logDet
	num.Mirror(b.keep, m)
	b.solve()
	for _, r := range b.root {
		if 0 < r && r < leastRoot { // of I − S little is left
			simd.BLAS{Serial: true}.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.lambda, m, b.keep, m, 0, b.message, m)
			break
		}
	}
	for j := range m {
		b.shift[j] = 0
		for i, x := range b.eta {
			b.shift[j] += b.keep[i*m+j] * x
		}
	}
	if b.copies != 1 {
		b.logDet *= b.copies
		for i := range b.shift {
			b.shift[i] *= b.copies
		}
		for i := range b.message {
			b.message[i] *= b.copies
		}
	}
}

// leastRoot is the deviation of what is a group's own above which messages are made of what
// S leaves of the identity.
const leastRoot = 1e-3

// solve makes A = (I + R²Λ)⁻¹ and the message ΛA of S = (I + RΛR)⁻¹. Where R is positive they
// are RSR⁻¹ and R⁻¹(I − S)R⁻¹; a column of A where R is 0 is e − Rt, with t = SRΛe, and the
// message is R⁻¹t, or Λe − ΛRt between two such.
func (b *block) solve() {
	m := len(b.items)
	var shared []int // coordinates of which the group has nothing of its own
	for z, r := range b.root {
		if r == 0 {
			shared = append(shared, z)
		}
	}
	if len(shared) == m { // S is I
		copy(b.message, b.lambda)
		return
	}
	along := make([]float64, len(shared)*m)
	for k, z := range shared {
		for i, r := range b.root {
			b.shift[i] = r * b.lambda[i*m+z]
		}
		num.SymVec(along[k*m:(k+1)*m], b.keep, b.shift, m)
	}
	for i, x := range b.root {
		if x == 0 {
			continue
		}
		for j, y := range b.root {
			if y == 0 {
				continue
			}
			s := b.keep[i*m+j]
			if b.message[i*m+j] = -s / (x * y); i == j {
				b.message[i*m+j] = (1 - s) / (x * y)
			}
			if x != y {
				b.keep[i*m+j] = s * x / y
			}
		}
	}
	for k, z := range shared {
		t := along[k*m : (k+1)*m]
		for i, r := range b.root {
			if b.keep[z*m+i], b.keep[i*m+z] = 0, -r*t[i]; r > 0 {
				b.message[i*m+z] = t[i] / r
				b.message[z*m+i] = b.message[i*m+z]
			}
		}
		b.keep[z*m+z] = 1
		for _, other := range shared {
			sum := b.lambda[other*m+z]
			for i, r := range b.root {
				sum -= b.lambda[other*m+i] * r * t[i]
			}
			b.message[other*m+z] = sum
		}
	}
}

// receive finds the block's coordinates, N(A(f + Dη), AD + AVAᵀ) with V those of all
// blocks, f, and what its rows see of them. It needs room for V, which it returns.
func (b *block) receive(repeat float64, f []float64, cov simd.Symmetric, room, mean, variance []float64) []float64 {
	m := len(b.items)
	room = slices.Grow(room[:0], m*m)
	v := room[:m*m]
	for i, x := range b.items {
		b.shift[i] = f[x] + b.root[i]*b.root[i]*b.eta[i]
		row := cov.Data[x*cov.Stride : (x+1)*cov.Stride]
		for j, y := range b.items {
			if x <= y {
				v[i*m+j] = row[y]
				v[j*m+i] = row[y]
			}
		}
	}
	for i := range m {
		b.mean[i] = 0
		for j, x := range b.keep[i*m : (i+1)*m] {
			b.mean[i] += x * b.shift[j]
		}
	}
	simd.BLAS{Serial: true}.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.keep, m, v, m, 0, b.reach, m)
	var form, within []float64
	last := -1
	for _, r := range b.rows {
		q := &b.pairs[r.pair]
		n := len(q.at)
		if r.pair != last { // the covariance of what the pair touches
			last, within = r.pair, slices.Grow(within[:0], n*n)[:n*n]
			for t, i := range q.at {
				for s, j := range q.at[:t+1] {
					c := b.covariance(i, j)
					within[t*n+s], within[s*n+t] = c, c
				}
			}
		}
		left := repeat / (1 + repeat*q.tau)
		form = append(form[:0], r.form...) // less what the noise that is repeated takes
		for len(form) < n {
			form = append(form, 0)
		}
		mean[r.row], variance[r.row] = r.sign*left*q.nu, left
		for t, x := range q.pull {
			form[t] -= r.sign * left * x
			mean[r.row] += form[t] * b.mean[q.at[t]]
		}
		for t, x := range form {
			for s, y := range form {
				variance[r.row] += x * y * within[t*n+s]
			}
		}
	}
	if len(b.answers) > 0 {
		all := make([]float64, m*m)
		for i := range m {
			for j := i; j < m; j++ {
				all[i*m+j] = b.covariance(i, j)
			}
		}
		for k := range b.answers {
			room = b.answers[k].receive(0, b.mean, simd.Symmetric{N: m, Stride: m, Data: all}, room, mean, variance)
		}
	}
	return room
}

// covariance is that of two coordinates of the group, AD + AVAᵀ.
func (b *block) covariance(i, j int) float64 {
	m := len(b.items)
	sum := b.keep[i*m+j] * b.root[j] * b.root[j]
	keep := b.keep[j*m : (j+1)*m]
	for k, x := range b.reach[i*m : (i+1)*m] {
		sum += x * keep[k]
	}
	return sum
}
