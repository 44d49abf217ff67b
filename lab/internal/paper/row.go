package paper

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"palate/metric"
)

// Row is how one method did on one set.
type Row struct {
	Data, Split, Model string
	Trials             []Trial // one a split
	Mean, SE           Figures // SE: standard error of Mean over splits, or over people when there is one split
	Published          Published
	// Others are the rows of the same table that come before, to compare with.
	Others []*Row
}

// summarise fills in Mean and SE from the trials.
func (r *Row) summarise() {
	r.Mean, r.SE = noFigures(), noFigures()
	n := len(r.Trials)
	for _, m := range Measures() {
		values := make([]float64, n)
		for k, t := range r.Trials {
			values[k] = t.Figures[m]
		}
		switch m {
		case ECE:
			r.Mean[m] = metric.ECE(r.Reliability())
			for k := range values {
				values[k] = metric.ECE(pool(r.Trials, k))
			}
			// Jackknife: leaving one split out moves the pooled figure by about 1/(n−1) of the split's own.
			_, se := meanAndError(values)
			r.SE[m] = se * float64(n-1)
		case Peak:
			for _, v := range values {
				if !(r.Mean[m] > v) {
					r.Mean[m] = v
				}
			}
		default:
			r.Mean[m], r.SE[m] = meanAndError(values)
			if n == 1 {
				r.SE[m] = errorOverPeople(r.Trials[0].people, nil, m)
			}
		}
	}
}

// Reliability returns the reliability curve, pooled over splits.
func (r *Row) Reliability() []metric.Bin { return pool(r.Trials, -1) }

// Minus returns the row less another of the same table in a measure, and the standard error of that, paired: over the
// differences on each split, or of each person when there is one split.
func (r *Row) Minus(other *Row, m Measure) (difference, se float64) {
	n := min(len(r.Trials), len(other.Trials))
	d := make([]float64, n)
	for k := range d {
		d[k] = r.Trials[k].Figures[m] - other.Trials[k].Figures[m]
	}
	mean, se := meanAndError(d)
	if n == 1 {
		se = errorOverPeople(r.Trials[0].people, other.Trials[0].people, m)
	}
	return mean, se
}

// meanAndError returns mean and its standard error; NaN when there are too few values for one.
func meanAndError(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// MarshalJSON writes the row as one flat object: data, split, model, repeats, each measure that applies with its
// standard error (with one split se_over says that it is over people), and pub_ fields for what was published; minus,
// an object, holds the differences in acc and ce to each row before it.
func (r *Row) MarshalJSON() ([]byte, error) {
	var o object
	o.text("data", r.Data)
	o.text("split", r.Split)
	o.text("model", r.Model)
	o.number("repeats", float64(len(r.Trials)))
	if len(r.Trials) == 1 {
		o.text("se_over", "people")
	}
	for _, m := range Measures() {
		o.number(m.String(), r.Mean[m])
		o.number(m.String()+"_se", r.SE[m])
	}
	if r.Published.Method != "" {
		o.text("pub_model", r.Published.Method)
		o.text("pub_from", r.Published.From)
	}
	for _, m := range Measures() {
		o.number("pub_"+m.String(), r.Published.Figures[m])
	}
	if len(r.Others) > 0 {
		var minus object
		for _, other := range r.Others {
			var d object
			for _, m := range []Measure{Acc, CE} {
				mean, se := r.Minus(other, m)
				d.number(m.String(), mean)
				d.number(m.String()+"_se", se)
			}
			minus.raw(other.Model, d.bytes())
		}
		o.raw("minus", minus.bytes())
	}
	return o.bytes(), nil
}

// object writes a JSON object whose fields keep their order.
type object struct{ bytes.Buffer }

func (o *object) raw(name string, value []byte) {
	if o.Len() == 0 {
		o.WriteByte('{')
	} else {
		o.WriteByte(',')
	}
	o.Write(quoted(name))
	o.WriteByte(':')
	o.Write(value)
}

func (o *object) text(name, value string) { o.raw(name, quoted(value)) }

// number leaves out NaN, and writes an infinity, which JSON does not know, as null.
func (o *object) number(name string, x float64) {
	switch {
	case math.IsNaN(x):
	case math.IsInf(x, 0):
		o.raw(name, []byte("null"))
	default:
		o.raw(name, strconv.AppendFloat(nil, x, 'g', 6, 64))
	}
}

func (o *object) bytes() []byte {
	if o.Len() == 0 {
		return []byte("{}")
	}
	return append(o.Bytes(), '}')
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string fails to marshal
	}
	return b
}
