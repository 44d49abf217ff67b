package population

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/infer"
	"palate/internal/num"
)

// Statistics are what the votes of a group of people tell of a LowRank: their log
// evidence and its derivatives, as far as a Query wants them. Those of groups add up to
// those of all, on whatever machine each was made; bytes hold them on the way. The same
// groups added in the same order give the same bits, and a Sum sees to the order.
type Statistics struct {
	Persons  int
	Evidence float64
	Mean     []float64 // ∂/∂T = Σ s_u, N
	Factors  []float64 // ∂/∂A, N×D
	Effects  []float64 // ∂/∂G, N×F
	Scale    float64   // Σ tr(∂/∂S·S)
	Share    float64   // ∂/∂Share
	Lean     float64   // Σ s_uᵀm_u
	Info     []float64 // the diagonal of ΣW, N
	Matrix   []float64 // ΣW, the lower triangle row by row, N(N+1)/2
	Margin   float64   // ∂/∂log threshold of ties
	Loss     float64   // of votes held out, in nats, the sum
	Watched  float64   // the weight of these votes
	// Indefinite counts groups with somebody whose covariance is not positive definite:
	// nothing else of them is here.
	Indefinite int
	Stats      infer.Stats
}

// NewStatistics returns those of nobody, with room for what a query wants.
func NewStatistics(q Query) *Statistics {
	n, s := q.Prior.Items.N, &Statistics{}
	switch q.Want {
	case Slopes:
		s.Mean, s.Factors, s.Effects = make([]float64, n), make([]float64, n*q.Prior.D), make([]float64, n*q.Prior.F)
		fallthrough
	case Diagonal:
		s.Info = make([]float64, n)
	case Spectrum:
		s.Matrix = make([]float64, n*(n+1)/2)
	}
	return s
}

// statistics infers everybody under a population and returns what their votes tell of
// it. Further collectors may look on.
func (e *Engine) statistics(ctx context.Context, p *LowRank, also ...Collector) (*Statistics, infer.Stats, error) {
	s := &slopes{NewStatistics(Query{Prior: p}), p}
	evidence, stats, err := e.Evaluate(ctx, p, append([]Collector{s}, also...)...)
	s.Persons, s.Evidence = e.People.Len(), evidence
	return s.Statistics, stats, err
}

// lists are all that has a length, numbers and counts all that adds up and has none, and
// most what the largest is taken of.
func (s *Statistics) lists() []*[]float64 {
	return []*[]float64{&s.Mean, &s.Factors, &s.Effects, &s.Info, &s.Matrix}
}

func (s *Statistics) numbers() []*float64 {
	return []*float64{&s.Evidence, &s.Scale, &s.Share, &s.Lean, &s.Margin, &s.Loss, &s.Watched}
}

func (s *Statistics) counts() []*int {
	return []*int{&s.Persons, &s.Indefinite, &s.Stats.Sweeps, &s.Stats.Skipped, &s.Stats.Unconverged, &s.Stats.Jittered}
}

func (s *Statistics) most() []*float64 { return []*float64{&s.Stats.Change, &s.Stats.Jitter} }

// Add takes the statistics of another group in.
func (s *Statistics) Add(o *Statistics) error {
	to := s.lists()
	for k, from := range o.lists() {
		if len(*from) != len(*to[k]) {
			return fmt.Errorf("population: statistics of %d items and %d factors do not add to those of %d and %d",
				len(o.Mean), len(o.Factors), len(s.Mean), len(s.Factors))
		}
	}
	for k, from := range o.lists() {
		num.Axpy(1, *from, *to[k])
	}
	sums := s.numbers()
	for k, x := range o.numbers() {
		*sums[k] += *x
	}
	counts := s.counts()
	for k, x := range o.counts() {
		*counts[k] += *x
	}
	most := s.most()
	for k, x := range o.most() {
		*most[k] = max(*most[k], *x)
	}
	return nil
}

// MarshalBinary writes the statistics: counts, the lengths of the lists, then all
// numbers, eight bytes each.
func (s *Statistics) MarshalBinary() ([]byte, error) {
	le := binary.LittleEndian
	size := len(s.counts()) + len(s.lists()) + len(s.numbers()) + len(s.most())
	for _, x := range s.lists() {
		size += len(*x)
	}
	out := make([]byte, 0, 8*size)
	for _, x := range s.counts() {
		out = le.AppendUint64(out, uint64(*x))
	}
	for _, x := range s.lists() {
		out = le.AppendUint64(out, uint64(len(*x)))
	}
	for _, x := range append(s.numbers(), s.most()...) {
		out = le.AppendUint64(out, math.Float64bits(*x))
	}
	for _, x := range s.lists() {
		for _, v := range *x {
			out = le.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Statistics) UnmarshalBinary(b []byte) error {
	le := binary.LittleEndian
	counts, lists, numbers := s.counts(), s.lists(), append(s.numbers(), s.most()...)
	head := len(counts) + len(lists) + len(numbers)
	words, total := len(b)/8, head
	next := func() uint64 {
		x := le.Uint64(b)
		b = b[8:]
		return x
	}
	if len(b)%8 != 0 || words < head {
		return fmt.Errorf("population: %d bytes are no statistics", len(b))
	}
	for _, x := range counts {
		*x = int(next())
	}
	for _, x := range lists {
		n := next()
		if n > uint64(words) {
			return fmt.Errorf("population: statistics with %d numbers in %d bytes", n, 8*words)
		}
		*x = make([]float64, n)
		total += int(n)
	}
	if total != words {
		return fmt.Errorf("population: statistics of %d numbers in %d bytes", total, 8*words)
	}
	for _, x := range numbers {
		*x = math.Float64frombits(next())
	}
	for _, x := range lists {
		for k := range *x {
			(*x)[k] = math.Float64frombits(next())
		}
	}
	return nil
}

// slopes collects Statistics.
type slopes struct {
	*Statistics
	prior *LowRank
}

func (s *slopes) Size(m int) int { return 2*m + m*s.prior.D + 3 }

func (s *slopes) Collect(dst []float64, w *Person, _ int, _ []int32) {
	m, d := w.m, s.prior.D
	copy(dst, w.pull)
	// (ssᵀ − W)A, times the scale that S carries
	ga := dst[m : m+m*d]
	num.Mirror(w.info, m)
	if d > 0 {
		clear(ga)
		sc := s.prior.Scale
		if m > num.Plain {
			serialBLAS.Dgemm(blas.NoTrans, blas.NoTrans, m, d, m, -sc, w.info, m, w.rows, d, 0, ga, d)
		} else {
			for i := range m {
				out := ga[i*d : (i+1)*d]
				for j, x := range w.info[i*m : i*m+m] {
					x *= -sc
					for c, y := range w.rows[j*d : (j+1)*d] {
						out[c] += x * y
					}
				}
			}
		}
		resize(&w.temp, max(m*m, d))
		t := w.temp[:d]
		clear(t)
		for j, x := range w.pull {
			for c, y := range w.rows[j*d : (j+1)*d] {
				t[c] += x * y
			}
		}
		for i, x := range w.pull {
			x *= sc
			out := ga[i*d : (i+1)*d]
			for c, y := range t {
				out[c] += x * y
			}
		}
	}
	var quad, lean float64
	for i, x := range w.pull {
		quad += x * w.shift[i]
		lean += x * w.mean[i]
	}
	var own, kern float64 // tr of (ssᵀ − W) with I and with K
	for i, x := range w.pull {
		own += x*x - w.info[i*m+i]
	}
	if s.prior.Items.K != nil {
		for i, x := range w.pull {
			k, info := w.kern[i*m:i*m+i+1], w.info[i*m:i*m+i+1]
			var row float64
			for j, kv := range k[:i] {
				row += kv * (x*w.pull[j] - info[j])
			}
			kern += 2*row + k[i]*(x*x-info[i])
		}
	} else {
		kern = own
	}
	at := m + m*d
	dst[at] = 0.5 * (quad - w.fit)
	dst[at+1] = 0.5 * s.prior.Scale * (kern - own)
	dst[at+2] = lean
	for i := range m {
		dst[at+3+i] = w.info[i*m+i]
	}
}

func (s *slopes) Add(src []float64, u int, items []int32) {
	m, d, f := len(items), s.prior.D, s.prior.F
	for i, item := range items {
		s.Mean[item] += src[i]
		out := s.Factors[int(item)*d : (int(item)+1)*d]
		for c, x := range src[m+i*d : m+(i+1)*d] {
			out[c] += x
		}
		if f > 0 {
			g := s.Effects[int(item)*f : (int(item)+1)*f]
			for c, x := range s.prior.Features[u*f : (u+1)*f] {
				g[c] += x * src[i]
			}
		}
	}
	at := m + m*d
	s.Scale += src[at]
	s.Share += src[at+1]
	s.Lean += src[at+2]
	for i, item := range items {
		s.Info[item] += src[at+3+i]
	}
}
