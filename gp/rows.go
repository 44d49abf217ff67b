package gp

import "gonum.org/v1/gonum/mat"

// Rows are sparse linear forms z_p = b_pᵀf of utilities, row after row.
// The zero value is an empty list.
type Rows struct {
	start []int // start[p] is where row p+1 begins; row 0 begins at 0
	index []int
	coef  []float64
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.start) }

// Row returns the coordinates and coefficients of row p, not to be modified.
func (r *Rows) Row(p int) (index []int, coef []float64) {
	lo := 0
	if p > 0 {
		lo = r.start[p-1]
	}
	hi := r.start[p]
	return r.index[lo:hi:hi], r.coef[lo:hi:hi]
}

// Append adds the row with the given coordinates and coefficients.
func (r *Rows) Append(index []int, coef []float64) {
	if len(index) != len(coef) {
		panic("gp: row with unequal numbers of coordinates and coefficients")
	}
	r.index = append(r.index, index...)
	r.coef = append(r.coef, coef...)
	r.start = append(r.start, len(r.index))
}

// AppendPair adds the row of a vote: f_win − f_lose.
func (r *Rows) AppendPair(win, lose int) {
	r.index = append(r.index, win, lose)
	r.coef = append(r.coef, 1, -1)
	r.start = append(r.start, len(r.index))
}

// AppendUnit adds the row that is coordinate i itself.
func (r *Rows) AppendUnit(i int) {
	r.index = append(r.index, i)
	r.coef = append(r.coef, 1)
	r.start = append(r.start, len(r.index))
}

// Units returns n rows, row p being coordinate p itself.
func Units(n int) *Rows {
	var r Rows
	for i := range n {
		r.AppendUnit(i)
	}
	return &r
}

// Dot returns b_pᵀf.
func (r *Rows) Dot(p int, f []float64) float64 {
	index, coef := r.Row(p)
	var z float64
	for k, i := range index {
		z += coef[k] * f[i]
	}
	return z
}

// Scatter adds w·b_p to f.
func (r *Rows) Scatter(p int, w float64, f []float64) {
	index, coef := r.Row(p)
	for k, i := range index {
		f[i] += w * coef[k]
	}
}

// ScatterSquare adds w·b_pb_pᵀ to a.
func (r *Rows) ScatterSquare(p int, w float64, a *mat.SymDense) {
	scatterSquare(a.RawSymmetric(), r, p, w)
}

// Square returns b_pᵀVb_p for a matrix V by its entries.
func (r *Rows) Square(p int, v func(i, j int) float64) (sum float64) {
	index, coef := r.Row(p)
	for k, i := range index {
		for l, j := range index {
			sum += coef[k] * coef[l] * v(i, j)
		}
	}
	return sum
}

// Pick returns the listed rows, with coordinates renumbered to the positions
// of the items they touch, and those items in order of first use.
func (r *Rows) Pick(rows []int) (picked Rows, items []int) {
	at := make(map[int]int, 2*len(rows))
	for _, p := range rows {
		index, coef := r.Row(p)
		for _, i := range index {
			k, ok := at[i]
			if !ok {
				k = len(items)
				at[i] = k
				items = append(items, i)
			}
			picked.index = append(picked.index, k)
		}
		picked.coef = append(picked.coef, coef...)
		picked.start = append(picked.start, len(picked.index))
	}
	return picked, items
}

// Select returns the listed rows on the same coordinates.
func (r *Rows) Select(rows []int) *Rows {
	var out Rows
	for _, p := range rows {
		out.Append(r.Row(p))
	}
	return &out
}
