package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
)

// An answer about several items draws a utility of each, u_i = f_i + ε_i with
// ε_i ~ N(0, σ²), σ² = ½, and compares what it drew: its pairs have steps for likelihoods,
// and noise in common. With B their forms over the answer's k items, T and ν their sites,
//
//	A = BᵀTB,  K = (I + σ²A)⁻¹,
//
// the answer tells the utilities of its items the precision AK and the pull KBᵀν, and
// what it drew is u ~ N(K(m + σ²Bᵀν), σ²K + KCK), with m and C mean and covariance of
// the items. That is O(k³) an answer and sweep. In the space of pairs an answer adds
// σ²BBᵀ to the prior covariance of its pairs, and there is nothing else to do.

// drawnNoise is σ²: that of two draws is the noise of a vote.
const drawnNoise = 0.5

// What answers about several items may be, to be taken as such: of so many items, and so many
// comparisons an item, none of which follows from others. Ratings of many items in few classes are more.
const (
	mostAnswerItems = 50
	mostComparisons = 4
)

// TakesAnswers reports whether answers about several items are few and short enough to be
// taken as such: rankings, choices, best and worst.
func TakesAnswers(answers []palate.Answer) bool {
	return !slices.ContainsFunc(answers, func(a palate.Answer) bool {
		n := a.Items()
		return n > mostAnswerItems || len(a.Said) > mostComparisons*n
	})
}

// byUserOf returns answers in order of user.
func byUserOf(answers []palate.Answer) []palate.Answer {
	order := func(a, b palate.Answer) int { return cmp.Compare(a.User, b.User) }
	if !slices.IsSortedFunc(answers, order) {
		answers = slices.Clone(answers)
		slices.SortStableFunc(answers, order)
	}
	return answers
}

// answerOf returns the answer that pair p is of, 0 where it is a vote.
func (v votes) answerOf(p int) int32 {
	if v.answer == nil {
		return 0
	}
	return v.answer[p]
}

// Answers reports whether some pairs are of answers about several items.
func (p *People) Answers() bool { return p.answer != nil }

// setAnswers checks which answers pairs are of, which may come from anywhere; nil: none.
func (p *People) setAnswers(of []int64) error {
	for _, a := range of {
		if a < 0 || a > int64(len(of)) {
			return fmt.Errorf("population: a pair of answer %d", a)
		}
		p.answer = append(p.answer, int32(a))
	}
	for u := range p.Len() {
		v, last := p.votes(u), int32(0)
		for k := range v.win {
			a := v.answerOf(k)
			switch {
			case a < last || a > last+1:
				return fmt.Errorf("population: person %d: answer %d after answer %d", u, a, last)
			case (a > 0) != p.kinds[v.kindOf(k)].Drawn:
				return fmt.Errorf("population: person %d: pair %d is of answer %d, its kind says otherwise", u, k, a)
			case a > 0 && a == last && v.countOf(k) != v.countOf(k-1):
				return fmt.Errorf("population: person %d: answer %d was given %g and %g times", u, a, v.countOf(k-1), v.countOf(k))
			}
			last = a
		}
	}
	return nil
}

// block is an answer about several items under inference.
type block struct {
	lo     int       // the first of its pairs
	copies float64   // how often it was given
	at     []int     // its items, by their places among the person's
	local  [][2]int  // its pairs, by places in at
	pull   []float64 // Bᵀν
	keep   []float64 // K, whole
	room   []float64 // as large as K
	row    []float64 // as long as at
}

// gatherAnswers sorts the person's pairs into votes, which are the first, and answers.
func (w *Person) gatherAnswers(v votes) {
	w.blocks, w.loose, w.copied = w.blocks[:0], len(v.win), false
	if v.answer == nil {
		return
	}
	w.loose = 0
	for w.loose < len(v.answer) && v.answer[w.loose] == 0 {
		w.loose++
	}
	if w.loose == len(v.win) {
		return
	}
	if w.rooted {
		panic("population: answers about several items take a covariance of their items, not its root")
	}
	place := make([]int, w.m) // in the block, and one
	for lo := w.loose; lo < len(v.win); {
		hi := lo + 1
		for hi < len(v.win) && v.answer[hi] == v.answer[lo] {
			hi++
		}
		if n := len(w.blocks); n < cap(w.blocks) {
			w.blocks = w.blocks[:n+1]
		} else {
			w.blocks = append(w.blocks, block{})
		}
		b := &w.blocks[len(w.blocks)-1]
		b.lo, b.copies, b.at, b.local = lo, v.countOf(lo), b.at[:0], b.local[:0]
		find := func(i uint16) int {
			if place[i] == 0 {
				b.at = append(b.at, int(i))
				place[i] = len(b.at)
			}
			return place[i] - 1
		}
		for p := lo; p < hi; p++ {
			b.local = append(b.local, [2]int{find(v.win[p]), find(v.lose[p])})
		}
		for _, i := range b.at {
			place[i] = 0
		}
		k := len(b.at)
		resize(&b.pull, k)
		resize(&b.row, k)
		resize(&b.keep, k*k)
		resize(&b.room, k*k)
		w.copied = w.copied || b.copies != 1
		lo = hi
	}
}

// sendAnswers adds what answers tell of the utilities to Λ and η, at the sites tau, nu, and
// returns the logarithm of what |I + σ²A| of all of them come to.
func (w *Person) sendAnswers(tau, nu []float64) (logDet float64) {
	m := w.m
	for n := range w.blocks {
		b := &w.blocks[n]
		k := len(b.at)
		clear(b.room)
		clear(b.pull)
		for r, at := range b.local {
			i, j, t := at[0], at[1], drawnNoise*tau[b.lo+r]
			b.pull[i] += nu[b.lo+r]
			b.pull[j] -= nu[b.lo+r]
			b.room[i*k+i] += t
			b.room[j*k+j] += t
			b.room[max(i, j)*k+min(i, j)] -= t
		}
		for i := range k {
			b.room[i*k+i]++
		}
		d, ok := num.Invert(b.keep, b.room, k)
		if !ok {
			panic("population: an identity and more is not positive definite")
		}
		logDet += b.copies * d
		num.Mirror(b.keep, k)
		for i, x := range b.at { // AK = (I − K)/σ²
			h := num.Dot(b.keep[i*k:i*k+k], b.pull)
			for j, y := range b.at {
				t := -b.keep[i*k+j]
				if i == j {
					t++
				}
				t /= drawnNoise
				if h -= t * w.mean[y]; x >= y {
					w.lap[x*m+y] += b.copies * t
				}
			}
			w.eta[x] += b.copies * h
		}
	}
	return logDet
}

// drawnForms computes the marginals of the pairs of answers.
func (w *Person) drawnForms() {
	m := w.m
	for n := range w.blocks {
		b := &w.blocks[n]
		k := len(b.at)
		for i, x := range b.at {
			b.pull[i] = w.mean[x] + w.shift[x] + drawnNoise*b.pull[i]
			for j, y := range b.at[:i+1] {
				c := w.post[max(x, y)*m+min(x, y)]
				b.room[i*k+j], b.room[j*k+i] = c, c
			}
		}
		for r, at := range b.local {
			one, other := b.keep[at[0]*k:at[0]*k+k], b.keep[at[1]*k:at[1]*k+k]
			for i := range b.row {
				b.row[i] = one[i] - other[i]
			}
			v := drawnNoise * (b.row[at[0]] - b.row[at[1]])
			for i, x := range b.row {
				v += x * num.Dot(b.room[i*k:i*k+k], b.row)
			}
			w.variance[b.lo+r] = v
			w.marginal[b.lo+r] = num.Dot(b.row, b.pull)
		}
	}
}

// shareNoise adds the noise that pairs of an answer share to the covariance M of pairs.
func (w *Person) shareNoise() {
	n := w.pairs
	for _, b := range w.blocks {
		for r := range b.local {
			for s := range r + 1 {
				w.prec[(b.lo+r)*n+b.lo+s] += drawnNoise * overlap(b.local[r], b.local[s])
			}
		}
	}
}

// overlap is the product of two pairs as forms.
func overlap(p, q [2]int) (sum float64) {
	for a, i := range p {
		for b, j := range q {
			if i == j {
				sum += 1 - 2*float64((a+b)%2)
			}
		}
	}
	return sum
}

// fitOfUtilities returns tr SW, which is what Στv comes to without answers: in the space of
// items tr ΛC, in that of pairs Στv less what is of the noise that they share.
func (w *Person) fitOfUtilities() (sum float64) {
	if w.space == inPairs {
		n := w.pairs
		sum = w.fit
		for _, b := range w.blocks {
			for r := range b.local {
				for s := range b.local {
					p, q := max(b.lo+r, b.lo+s), min(b.lo+r, b.lo+s)
					sum -= drawnNoise * overlap(b.local[r], b.local[s]) * w.rootTau[p] * w.rootTau[q] * w.post[p*n+q]
				}
			}
		}
		return sum
	}
	m := w.m
	for i := range m {
		for j := range i {
			sum += 2 * w.lap[i*m+j] * w.post[i*m+j]
		}
		sum += w.lap[i*m+i] * w.post[i*m+i]
	}
	return sum
}

// pushed is ηᵀd with the noise of answers among what is inferred: a sum over pairs.
func (w *Person) pushed(v votes, tau, nu []float64) (sum float64) {
	for p, t := range tau {
		before := w.mean[v.win[p]] - w.mean[v.lose[p]]
		sum += v.countOf(p) * (nu[p] - t*before) * (w.marginal[p] - before)
	}
	return sum
}

// answerRoot is by what a draw of N(0, I), a number a pair, becomes one of what an answer
// tells: with X the inverse of the factor of I + σ²√T·BBᵀ·√T, it is Bᵀ√T·Xᵀ of it.
type answerRoot struct {
	lo, n int
	x     []float64 // lower
}

// answerRoots finds those of a person's answers at the sites tau.
func answerRoots(v votes, tau []float64) (roots []answerRoot) {
	for lo := 0; lo < len(v.answer); {
		hi := lo + 1
		for hi < len(v.answer) && v.answer[hi] == v.answer[lo] {
			hi++
		}
		if v.answer[lo] > 0 {
			n := hi - lo
			r := answerRoot{lo, n, make([]float64, n*n)}
			for p := range n {
				for q := range p + 1 {
					a, b := [2]int{int(v.win[lo+p]), int(v.lose[lo+p])}, [2]int{int(v.win[lo+q]), int(v.lose[lo+q])}
					r.x[p*n+q] = drawnNoise * math.Sqrt(tau[lo+p]*tau[lo+q]) * overlap(a, b)
				}
				r.x[p*n+p]++
			}
			if _, ok := num.Factor(r.x, n); !ok {
				panic("population: an identity and more is not positive definite")
			}
			num.InvertLower(r.x, n)
			roots = append(roots, r)
		}
		lo = hi
	}
	return roots
}

// turn makes of draws, a number a pair of the person, what the answer tells.
func (r answerRoot) turn(z []float64) {
	z = z[r.lo : r.lo+r.n]
	for p := range z { // from the top on: those below are still as drawn
		var sum float64
		for q := p; q < r.n; q++ {
			sum += r.x[q*r.n+p] * z[q]
		}
		z[p] = sum
	}
}

// Said returns what person u said, votes and answers about several items.
func (p *People) Said(u int) (tallies []palate.Tally, answers []palate.Answer) {
	v := p.votes(u)
	for k, pair := range p.Pairs(u) {
		kind := p.kinds[pair.Kind]
		a := v.answerOf(k - p.pairStart[u])
		switch {
		case a == 0:
			tallies = append(tallies, palate.Tally{User: p.owner[u], A: pair.Win, B: pair.Lose, Tie: kind.Tie, Side: kind.Side, Weight: pair.Count * kind.Power})
			continue
		case int(a) > len(answers):
			answers = append(answers, palate.Answer{User: p.owner[u], Weight: pair.Count})
		}
		said := &answers[a-1].Said
		*said = append(*said, palate.Comparison{A: pair.Win, B: pair.Lose, Tie: kind.Tie})
	}
	return tallies, answers
}
