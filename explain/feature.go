package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate/feature"
	"palate/internal/num"
	"palate/model"
)

// Feature is a column of a table, as a model sees it: one or several encoded numbers.
type Feature struct {
	Name       string
	Kind       feature.ColumnKind
	Categories []string // of words; one more is all others
	first      int      // among the encoded columns
	width      int
	mean, sd   float64 // value in the table = mean + sd·encoded, where there is one
}

// Features are the columns of the table that an encoder was made of, those that tell anything.
func Features(e *feature.Encoder) (all []Feature) {
	at := 0
	for _, c := range e.Columns {
		if w := c.Width(); w > 0 {
			all = append(all, Feature{Name: c.Name, Kind: c.Kind, Categories: c.Categories, first: at, width: w, mean: e.Mean[at], sd: e.SD[at]})
			at += w
		}
	}
	return all
}

// numbered are features known by their number alone, each a column.
func numbered(columns int) []Feature {
	all := make([]Feature, columns)
	for j := range all {
		all[j] = Feature{Name: "feature " + strconv.Itoa(j+1), Kind: feature.Number, first: j, width: 1, sd: 1}
	}
	return all
}

// Scalar reports whether the values of the feature are numbers, and yes or no counts as such.
func (f *Feature) Scalar() bool {
	return f.Kind == feature.Number || f.Kind == feature.Date || f.Kind == feature.Boolean
}

// columns are those of the feature among the encoded ones.
func (f *Feature) columns() []int {
	all := make([]int, f.width)
	for k := range all {
		all[k] = f.first + k
	}
	return all
}

// Setting is a value that a feature may be set to.
type Setting struct {
	Label  string  // the value as in the table; of texts and vectors an item that has it
	Value  float64 // of a scalar, in the units of the table
	Weight float64 // share of the items that it stands for; 0 at the ends of the range
	block  []float64
}

// settingsOf is the number of values that stand for those of many items.
const settingsOf = 12

// settings are the values that a feature is set to: all that the items have, if they are few, else
// quantiles and both ends. Names are those of the items.
func (f *Feature) settings(x *mat.Dense, name func(int) string) []Setting {
	n, _ := x.Dims()
	block := func(i int) []float64 { return x.RawRowView(i)[f.first : f.first+f.width] }
	if f.Kind == feature.Vector || f.Kind == feature.Text {
		order := num.Indices(n)
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(name(a), name(b)) })
		few := min(n, settingsOf)
		all := make([]Setting, few)
		for k := range all {
			i := order[k*n/few]
			all[k] = Setting{Label: "as " + name(i), Weight: 1 / float64(few), block: block(i)}
		}
		return all
	}
	var all []Setting // one of every value, by value
	for i := range n {
		b := block(i)
		k, found := slices.BinarySearchFunc(all, b, func(s Setting, b []float64) int { return slices.Compare(s.block, b) })
		if !found {
			all = slices.Insert(all, k, Setting{Label: f.Label(b), Value: f.mean + f.sd*b[0], block: b})
		}
		all[k].Weight += 1 / float64(n)
	}
	if f.Kind == feature.Category {
		slices.SortFunc(all, func(a, b Setting) int { return cmp.Compare(a.Label, b.Label) })
	}
	if len(all) <= settingsOf || !f.Scalar() {
		return all
	}
	return quantiles(all)
}

// quantiles are few settings in the place of many, in the middle of parts of the same weight, with
// the first and the last without weight.
func quantiles(all []Setting) []Setting {
	first, last := all[0], all[len(all)-1]
	first.Weight, last.Weight = 0, 0
	out := []Setting{first}
	below, k := 0.0, 0
	for part := range settingsOf {
		for k < len(all)-1 && below+all[k].Weight < (float64(part)+0.5)/settingsOf {
			below += all[k].Weight
			k++
		}
		if end := &out[len(out)-1]; end.Value == all[k].Value {
			end.Weight += 1.0 / settingsOf
			continue
		}
		s := all[k]
		s.Weight = 1.0 / settingsOf
		out = append(out, s)
	}
	if out[len(out)-1].Value != last.Value {
		out = append(out, last)
	}
	return out
}

// Label is an encoded value as it is in the table.
func (f *Feature) Label(block []float64) string {
	switch f.Kind {
	case feature.Boolean:
		if f.mean+f.sd*block[0] > 0.5 {
			return "yes"
		}
		return "no"
	case feature.Category:
		for k, x := range block {
			if x == slices.Max(block) && x != slices.Min(block) || len(block) == 1 && f.mean+f.sd*x > 0.5 {
				if k < len(f.Categories) {
					return f.Categories[k]
				}
				return "other"
			}
		}
		return "none of these"
	case feature.Date:
		days := f.mean + f.sd*block[0]
		return time.UnixMicro(int64(math.Round(days * 86400e6))).UTC().Format(time.DateOnly)
	case feature.Number:
		return tidy(f.mean + f.sd*block[0])
	}
	return fmt.Sprintf("%d numbers", len(block))
}

// tidy shows a number with five digits at most.
func tidy(x float64) string {
	if math.Abs(x) >= 1e5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	if y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 4, 64), 64); err == nil {
		x = y
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Of returns a model as one that knows utilities as a function of features, with the features of its
// items by the names they have in the table. It fails where there is nothing to explain.
func Of(m model.Model) (model.Featured, []Feature, error) {
	f, err := model.AsFeatured(m)
	if err != nil {
		return nil, nil, err
	}
	recipe, _ := m.Encoders()
	var e feature.Encoder
	if recipe == nil || json.Unmarshal(recipe, &e) != nil || e.Width() != cols(f.Features()) {
		return f, numbered(cols(f.Features())), nil
	}
	return f, Features(&e), nil
}
