package model

import (
	"fmt"
	"math"
	"slices"

	"palate"
)

// covariates are properties of votes as numbers that bear on them: of every vote, how much
// more the left item has of each. Numbers are in units of their root mean square, and
// fall into few values, so that votes are still counted in few rows.
type covariates struct {
	effects []Effect    // what each is, nothing known of it yet
	class   []int32     // of every vote, with respect to the first item of its row
	values  [][]float64 // of every class, of every effect
	remarks []string
}

// propertySpread is the variance of an effect of one unit of a property, in units of the
// noise of a vote.
const propertySpread = 1

// Numbers of few different sizes are taken as they are; others are put into bins of this
// width, in units of their root mean square, each of which stands at the mean of what is in
// it: an error whose variance is below a hundredth of theirs, and which has no correlation
// with what is left.
const (
	fewSizes = 32
	binWidth = 0.25
)

// column is a covariate in the making, of every vote.
type column struct {
	Effect
	x []float64
}

// newCovariates makes numbers of the properties of votes; nil where there are none.
func newCovariates(d *palate.Dataset) *covariates {
	if len(d.Properties()) == 0 {
		return nil
	}
	c := &covariates{}
	counted, sided := make([]bool, d.NumVotes()), make([]bool, d.NumVotes())
	for k, v := range d.Votes() {
		counted[k], sided[k] = v.Outcome != palate.Skip, !v.Unsided
	}
	var all []column
	for i := range d.Properties() {
		all = append(all, c.columns(&d.Properties()[i], counted, sided)...)
	}
	all = c.told(d, all, counted, sided)
	c.class, c.values = make([]int32, d.NumVotes()), [][]float64{nil}
	for _, one := range all {
		c.effects = append(c.effects, one.Effect)
		c.divide(d, one.x)
	}
	return c
}

// any reports whether there are some.
func (c *covariates) any() bool { return c != nil && len(c.effects) > 0 }

func (c *covariates) remark(format string, args ...any) {
	c.remarks = append(c.remarks, fmt.Sprintf(format, args...))
}

// columns are the numbers of one property: itself, or one for every word but the most
// frequent.
func (c *covariates) columns(p *palate.Property, counted, sided []bool) []column {
	known, votes, shown := 0, 0, 0
	there := make([]bool, len(counted))
	for k := range counted {
		if !counted[k] {
			continue
		}
		votes++
		if there[k] = !math.IsNaN(p.Left[k]) && (p.OfVote() || !math.IsNaN(p.Right[k])); there[k] {
			known++
			if sided[k] {
				shown++
			}
		}
	}
	of := Effect{Property: p.Name, Columns: p.Columns, OfVote: p.OfVote()}
	switch {
	case known == 0:
		c.remark("%s is not known of any vote: it was left out", p.Name)
		return nil
	case p.OfVote() && shown == 0:
		c.remark("%s is a property of the vote itself, which can tell only how much being left is worth, and votes do not say which item was left: it was left out", p.Name)
		return nil
	case known < votes:
		c.remark("%s is not known of %d of %d votes, which are taken as votes at equal %[1]s", p.Name, votes-known, votes)
	}
	if p.Levels != nil {
		return c.words(p, of, there)
	}
	return c.numbers(p, of, there)
}

func (c *covariates) numbers(p *palate.Property, of Effect, there []bool) []column {
	x := make([]float64, len(there))
	var known []float64
	for k, yes := range there {
		if !yes {
			continue
		}
		if x[k] = p.Left[k]; !p.OfVote() {
			x[k] -= p.Right[k]
		}
		known = append(known, x[k])
	}
	if p.OfVote() {
		of.Centre = total(known) / float64(len(known))
	}
	square := make([]float64, len(known))
	for k, v := range known {
		square[k] = (v - of.Centre) * (v - of.Centre)
	}
	if of.Unit = math.Sqrt(total(square) / float64(len(square))); !(of.Unit > 1e-12*math.Abs(of.Centre)) {
		c.remarkSame(p)
		return nil
	}
	for k, yes := range there {
		if yes {
			x[k] = (x[k] - of.Centre) / of.Unit
		}
	}
	if of.Name = p.Name; of.OfVote {
		of.Name = leftEffect + "×" + p.Name
	}
	return []column{{of, x}}
}

func (c *covariates) remarkSame(p *palate.Property) {
	if p.OfVote() {
		c.remark("%s is the same in all votes: it was left out", p.Name)
	} else {
		c.remark("%s is the same of both items in all votes: it was left out", p.Name)
	}
}

func (c *covariates) words(p *palate.Property, of Effect, there []bool) (all []column) {
	count := make([]int, len(p.Levels))
	for k, yes := range there {
		if yes {
			count[int(p.Left[k])]++
			if !p.OfVote() {
				count[int(p.Right[k])]++
			}
		}
	}
	most := 0
	for l, n := range count {
		if n > count[most] {
			most = l
		}
	}
	for l, n := range count {
		if l == most || n == 0 {
			continue
		}
		one := column{of, make([]float64, len(there))}
		one.Level, one.Against, one.Name = p.Levels[l], p.Levels[most], p.Name+"="+p.Levels[l]
		if p.OfVote() {
			one.Name = leftEffect + "×" + one.Name
		}
		differs := false
		for k, yes := range there {
			if !yes {
				continue
			}
			if one.x[k] = indicator(int(p.Left[k]) == l); !p.OfVote() {
				one.x[k] -= indicator(int(p.Right[k]) == l)
			}
			differs = differs || one.x[k] != 0
		}
		if differs {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		c.remarkSame(p)
	}
	return all
}

// total is the sum of numbers, whatever their order.
func total(x []float64) (sum float64) {
	x = slices.Clone(x)
	slices.Sort(x)
	for _, v := range x {
		sum += v
	}
	return sum
}

// divide tells classes further apart, by one more covariate: its size in few values, on
// the side of the first item of a row.
func (c *covariates) divide(d *palate.Dataset, x []float64) {
	code, value := binned(x)
	ofVote := c.effects[len(c.effects)-1].OfVote
	type key struct{ class, code int32 }
	keys, at := make([]key, len(x)), map[key]int32{}
	var distinct []key
	for k, v := range d.Votes() {
		if v.Outcome == palate.Skip || ofVote && v.Unsided {
			code[k] = 0
		}
		if v.Outcome == palate.Right || v.Outcome == palate.Tie && v.Right < v.Left {
			code[k] = -code[k]
		}
		keys[k] = key{c.class[k], code[k]}
		if _, ok := at[keys[k]]; !ok {
			at[keys[k]] = 0
			distinct = append(distinct, keys[k])
		}
	}
	slices.SortFunc(distinct, func(a, b key) int { // whatever the order of votes
		if a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return int(a.code) - int(b.code)
	})
	values := make([][]float64, len(distinct))
	for i, q := range distinct {
		at[q] = int32(i)
		v := value[max(q.code, -q.code)]
		if q.code < 0 {
			v = -v
		}
		values[i] = append(slices.Clone(c.values[q.class]), v)
	}
	for k, q := range keys {
		c.class[k] = at[q]
	}
	c.values = values
}

// binned puts numbers into bins by their size, bin 0 being that of none, with the sign of
// the number, and says where each bin stands.
func binned(x []float64) (code []int32, value []float64) {
	size := make([]float64, len(x))
	for k, v := range x {
		size[k] = math.Abs(v)
	}
	slices.Sort(size)
	bin := func(v float64) int { return int(math.Min(math.Round(v/binWidth), math.MaxInt32)) }
	if few := slices.Compact(slices.Clone(size)); len(few) <= fewSizes {
		if few[0] != 0 {
			few = slices.Insert(few, 0, 0)
		}
		bin = func(v float64) int { return slices.Index(few, v) }
	}
	number := map[int]int32{0: 0}
	value = []float64{0}
	count := []float64{1}
	for _, v := range size {
		b := bin(v)
		if _, ok := number[b]; !ok {
			number[b] = int32(len(value))
			value, count = append(value, 0), append(count, 0)
		}
		if n := number[b]; n > 0 {
			value[n] += v
			count[n]++
		}
	}
	for n := range value {
		value[n] /= count[n]
	}
	code = make([]int32, len(x))
	for k, v := range x {
		if code[k] = number[bin(math.Abs(v))]; v < 0 {
			code[k] = -code[k]
		}
	}
	return code, value
}
