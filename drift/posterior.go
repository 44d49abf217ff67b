package drift

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
)

// Posterior is what is known of all utilities at all times: a mixture of Gaussians, a member
// each. Its states are those of NewPosterior.
type Posterior struct {
	Items, Shown int // utilities are those of the first Shown
	Times        []float64
	Period       []int32
	Pairs        [][2]int32
	Stay         []float64
	Members      []Member
	chain        chain
}

// NewPosterior returns what members say. States are given by their periods, ascending, item
// after item, each item beginning with its head, whose period is −1; pairs are of states; stay
// is the deviation of what stays of every item, nil where the process tells.
func NewPosterior(times []float64, period []int32, pairs [][2]int32, stay []float64, members []Member) (*Posterior, error) {
	q := &Posterior{Times: times, Period: period, Pairs: pairs, Stay: stay, Members: members}
	q.chain.stay = stay
	n := len(period)
	if len(times) == 0 {
		return nil, fmt.Errorf("drift: no periods")
	}
	for t, x := range times {
		if math.IsNaN(x) || math.IsInf(x, 0) || t > 0 && !(x > times[t-1]) {
			return nil, fmt.Errorf("drift: time %d, %g, does not ascend", t, x)
		}
	}
	for s, p := range period {
		switch {
		case p < -1 || int(p) >= len(times) || s == 0 && p >= 0 || p >= 0 && p <= period[s-1]:
			return nil, fmt.Errorf("drift: state %d is of period %d, of %d", s, p, len(times))
		case p < 0:
			q.chain.start = append(q.chain.start, int32(s))
			q.chain.time = append(q.chain.time, times[0])
		default:
			q.chain.time = append(q.chain.time, times[p])
		}
	}
	q.Items = len(q.chain.start)
	q.Shown = q.Items
	q.chain.start = append(q.chain.start, int32(n))
	for k, p := range pairs {
		if p[0] < 0 || p[1] < 0 || int(p[0]) >= n || int(p[1]) >= n || p[0] == p[1] || period[p[0]] != period[p[1]] {
			return nil, fmt.Errorf("drift: pair %d is of states %v of %d", k, p, n)
		}
	}
	if stay != nil && len(stay) != q.Items {
		return nil, fmt.Errorf("drift: %d items, and deviations of %d", q.Items, len(stay))
	}
	for i, x := range stay {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("drift: what stays of item %d has the deviation %g", i, x)
		}
	}
	for k, m := range members {
		p := m.Process
		switch {
		case len(m.Tau) != n || len(m.Nu) != n || len(m.Site) != len(pairs):
			return nil, fmt.Errorf("drift: member %d says nothing of some states or pairs", k)
		case !(p.Stay > 0) || !(p.Move >= 0) || p.Move > 0 && !p.Walk && !(p.Length > 0) || !(m.Weight > 0) || math.IsInf(p.Stay+p.Move+p.Length+m.Weight, 0):
			return nil, fmt.Errorf("drift: member %d is %+v of weight %g", k, p, m.Weight)
		}
		if err := m.checkHops(n); err != nil {
			return nil, fmt.Errorf("drift: member %d: %w", k, err)
		}
		for s, tau := range m.Tau {
			if site := (gp.Site{Tau: tau, Nu: m.Nu[s]}); !sound(site) {
				return nil, fmt.Errorf("drift: member %d tells state %d %+v", k, s, site)
			}
		}
		for j, s := range m.Site {
			if !sound(s) {
				return nil, fmt.Errorf("drift: member %d has the site %+v of pair %d", k, s, j)
			}
		}
	}
	return q, nil
}

// sound reports whether a site has a finite precision that is not negative, and a finite pull.
func sound(s gp.Site) bool {
	return s.Tau >= 0 && !math.IsInf(s.Tau, 0) && !math.IsNaN(s.Nu) && !math.IsInf(s.Nu, 0)
}

// view is the chains with states at further times.
type view struct {
	chain
	of []int32 // of every state of the posterior, its number here
	at []int32 // of items that are shown, at every time, the states
}

// view adds states at times, ascending. Of times before the first vote the first is where a walk
// begins.
func (q *Posterior) view(times []float64) *view {
	v := &view{of: make([]int32, len(q.chain.time)), at: make([]int32, q.Shown*len(times))}
	v.start, v.stay = make([]int32, 1, q.Items+1), q.chain.stay
	begin := q.Times[0]
	if len(times) > 0 {
		begin = min(begin, times[0])
	}
	push := func(t float64) int32 {
		v.time = append(v.time, t)
		return int32(len(v.time) - 1)
	}
	for i := range q.Items {
		s, to, next := q.chain.start[i], q.chain.start[i+1], 0
		if i >= q.Shown {
			next = len(times)
		}
		v.of[s] = push(begin)
		for s++; s < to || next < len(times); {
			switch {
			case s == to || next < len(times) && times[next] < q.chain.time[s]:
				v.at[i*len(times)+next] = push(times[next])
				next++
			case next < len(times) && times[next] == q.chain.time[s]:
				v.of[s] = push(times[next])
				v.at[i*len(times)+next] = v.of[s]
				next, s = next+1, s+1
			default:
				v.of[s] = push(q.chain.time[s])
				s++
			}
		}
		v.start = append(v.start, int32(len(v.time)))
	}
	return v
}

// spread writes numbers of states where they are in the view.
func (v *view) spread(x []float64) []float64 {
	out := make([]float64, len(v.time))
	for s, t := range v.of {
		out[t] = x[s]
	}
	return out
}

// pick returns the numbers of the states that are asked for.
func (v *view) pick(x []float64) []float64 {
	out := make([]float64, len(v.at))
	for j, s := range v.at {
		out[j] = x[s]
	}
	return out
}

// passage is the chains of a view under member m, told what messages say.
func (q *Posterior) passage(v *view, m *Member) *passage {
	w := newPassage(&v.chain)
	w.take(v, m)
	w.smooth(v.spread(m.Tau), v.spread(m.Nu))
	return w
}

// Moments are means and covariances of the utilities at a time: of every member those of all
// items.
type Moments struct {
	Weight []float64
	Mean   [][]float64
	cov    []*mat.SymDense // nil where items are by themselves
	alone  [][]float64
}

// Covariance returns that of items i and j under member k.
func (m *Moments) Covariance(k, i, j int) float64 {
	switch {
	case m.cov != nil:
		return m.cov[k].At(i, j)
	case i == j:
		return m.alone[k][i]
	}
	return 0
}

// momentWork bounds solves times states and pairs up to which covariances are found.
const momentWork = 3e6

// size is how many states and pairs a view has.
func (q *Posterior) size(times int) float64 {
	return float64(len(q.chain.time) + times*q.Shown + len(q.Pairs))
}

// Moments returns those at a time: joint ones given the sites where that does not take long,
// else of items by themselves, as messages have them.
func (q *Posterior) Moments(time float64) *Moments {
	v := q.view([]float64{time})
	joint := float64(q.Shown*len(q.Members))*q.size(1) <= momentWork
	out := &Moments{}
	for k := range q.Members {
		m := &q.Members[k]
		out.Weight = append(out.Weight, m.Weight)
		if joint {
			mean, cov := q.system(v, m).moments(v.at)
			out.Mean, out.cov = append(out.Mean, mean), append(out.cov, cov)
			continue
		}
		w, nu := q.passage(v, m), v.spread(m.Nu)
		mean, variance := make([]float64, len(v.at)), make([]float64, len(v.at))
		for j, s := range v.at {
			mean[j], variance[j] = w.all(s, nu[s])
		}
		out.Mean, out.alone = append(out.Mean, mean), append(out.alone, variance)
	}
	return out
}
