package gp

import "sync"

// walks finds rows of A⁻¹ near an item, at a cost that does not grow with the number of
// items: A⁻¹e_i sums walks from i, of which those are followed that carry something.
type walks struct {
	l    *Laplacian
	room sync.Pool
	kept rowCache
}

// rowCache keeps rows of which entries were asked for, so that all pairs of some items take a
// walk an item.
type rowCache struct {
	mu   sync.Mutex
	rows map[int]walked
	size int // of all rows
}

// walked is the beginning of a row, and what was not followed of it.
type walked struct {
	value []float64
	left  float64
}

// mostKept is how many numbers of rows are kept.
const mostKept = 1 << 20

// row returns the first entries of the row of item i.
func (w *walks) row(i, first int) walked {
	k := &w.kept
	k.mu.Lock()
	row, ok := k.rows[i]
	k.mu.Unlock()
	if ok && len(row.value) >= first {
		return row
	}
	x := w.from(i)
	row = walked{append([]float64(nil), x.value[:first]...), x.left}
	w.done(x)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size += first; k.size > mostKept || k.rows == nil {
		k.rows, k.size = map[int]walked{}, first
	}
	k.rows[i] = row
	return row
}

// walk is a row of A⁻¹ as far as it was followed.
type walk struct {
	value, rest []float64 // x and e − Ax
	seen        []int32   // where either is not zero
	waiting     []bool
	left        float64 // Σ rest
}

// walkShare is how much a walk must carry to be followed, as a share of what stays at
// its first item.
const walkShare = 1e-3

// from follows walks from item i. What it returns goes back by done.
func (w *walks) from(i int) *walk {
	l, n := w.l, len(w.l.diag)
	x, ok := w.room.Get().(*walk)
	if !ok {
		x = &walk{value: make([]float64, n), rest: make([]float64, n), waiting: make([]bool, n)}
	}
	x.rest[i], x.waiting[i], x.left = 1, true, 1
	x.seen = append(x.seen, int32(i))
	least := walkShare / l.diag[i]
	queue := []int32{int32(i)}
	for at := 0; at < len(queue); at++ {
		u := queue[at]
		x.waiting[u] = false
		by := x.rest[u] / l.diag[u]
		x.value[u] += by
		x.left -= by * l.base[u]
		x.rest[u] = 0
		for _, e := range l.endsOf(int(u)) {
			v := e.other
			if x.value[v] == 0 && x.rest[v] == 0 {
				x.seen = append(x.seen, v)
			}
			x.rest[v] += l.tau[e.pair] * by
			if !x.waiting[v] && x.rest[v] > least*l.diag[v] {
				x.waiting[v] = true
				queue = append(queue, v)
			}
		}
	}
	return x
}

// done clears a walk for the next one.
func (w *walks) done(x *walk) {
	for _, i := range x.seen {
		x.value[i], x.rest[i] = 0, 0
	}
	x.seen = x.seen[:0]
	w.room.Put(x)
}

// among returns about the entry of the row of item i at item j: what was not followed is as
// good as even over the component.
func (x walked) among(c *Common, i, j int) float64 {
	if c.of[i] != c.of[j] {
		return 0
	}
	v := x.value[j]
	if !c.tree[c.of[i]] {
		v += max(0, x.left) / c.prior[c.of[i]]
	}
	return v
}
