package population

import "palate/internal/num"

// classTold is what people's votes tell of a class.
type classTold struct {
	people *People
	share  float64   // h
	pull   []float64 // by item of each person
	own    []float64 // tr (ssᵀ − W)(hK + (1−h)I) of each person
	norm   []float64 // |W|² of each person
}

func newClassTold(p *People, share float64) *classTold {
	return &classTold{p, share, make([]float64, len(p.item)), make([]float64, p.Len()), make([]float64, p.Len())}
}

func (t *classTold) Size(int) int { return 0 }

func (t *classTold) Collect(_ []float64, w *Person, u int, _ []int32) {
	copy(t.pull[t.people.itemStart[u]:], w.pull)
	var own, norm float64
	for i, x := range w.pull {
		row := w.info[i*w.m : i*w.m+i+1]
		own += (1 - t.share) * (x*x - row[i])
		if t.share > 0 {
			k := w.kern[i*w.m : i*w.m+i+1]
			for j, y := range w.pull[:i] {
				own += 2 * t.share * k[j] * (x*y - row[j])
			}
			own += t.share * k[i] * (x*x - row[i])
		}
		norm += 2*num.Dot(row, row) - row[i]*row[i]
	}
	t.own[u], t.norm[u] = own, norm
}

func (t *classTold) Add([]float64, int, []int32) {}

// add adds the pulls of all people, as far as each is of the class, and returns the sums
// of their traces and of how far they are.
func (t *classTold) add(pull, member []float64, p *People) (own, size float64) {
	for u, r := range member {
		size += r
		if r == 0 {
			continue
		}
		own += r * t.own[u]
		from := t.pull[p.itemStart[u]:]
		for i, item := range p.Items(u) {
			pull[item] += r * from[i]
		}
	}
	return own, size
}
