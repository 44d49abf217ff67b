package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/internal/simd"
	"palate/kernel"
)

// SimulateOptions say what to draw. Zeros stand for the values in brackets.
type SimulateOptions struct {
	// Model is a kind that votes can be drawn from, as CanSimulate says.
	Model    string // [single]
	Items    int    // [20]
	Users    int    // [0: votes without voters under single, else 10]
	Votes    int    // [1000]
	Features int    // of the items; 0: none, and independent utilities
	Factors  int    // of taste, under crowd and population [3]
	// Spread is the standard deviation of the consensus utility in units of the
	// noise of a vote, and Taste that of a voter's departure from it.
	Spread, Taste float64 // [1, 1]
	// Ties is the margin below which voters call a tie; 0: no ties.
	Ties float64
	// Length is what an answer is worth that is longer by 100; 0: answers have no lengths.
	// Items differ by 100 in the length of their answers, and those of one item do.
	Length float64
	// Drift is the deviation of what moves of the utilities; 0: nothing does. Votes are then
	// cast over the months of two years, from 2022 on, in which what moves returns within a
	// third of a year, and Truth has the utilities of the last month.
	Drift float64
	Seed  uint64

	departs *departure // of the model
}

// departure says how voters depart from the consensus: which parts of the variance are
// shared factors, and which their own. The zero value is that they do not.
type departure struct{ Shared, Own float64 }

// CanSimulate reports whether Simulate draws votes from the kind.
func (e Entry) CanSimulate() bool { return e.departs != nil }

// Truth is what a simulation drew votes from.
type Truth struct {
	// Consensus holds the utility of every item.
	Consensus []float64
	// Personal holds the utility of every item (column) for every user (row);
	// nil under single, where all share the consensus.
	Personal *mat.Dense
}

// Simulate draws votes from a model, with the truth beside them.
//
// Under single there is one utility, f ~ N(0, Spread²·K). Under crowd a voter
// adds Σ_c w_c·v_c with item factors v_c and voter factors w_c (CROWD (5)–(7)).
// Under population a voter's departure is a draw from N(0, Taste²·Σ), Σ low
// rank plus diagonal (COLLAB). Pairs and voters are drawn evenly.
func Simulate(ctx context.Context, o SimulateOptions) (*palate.Dataset, *Truth, error) {
	if err := o.defaults(); err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x51))
	b := palate.NewBuilder()
	digits := len(fmt.Sprint(max(o.Items, o.Users)))
	for i := range o.Items {
		b.Item(fmt.Sprintf("item%0*d", digits, i+1))
	}
	for u := range o.Users {
		b.User(fmt.Sprintf("voter%0*d", digits, u+1))
	}
	root, features, err := o.utilities(rng)
	if err != nil {
		return nil, nil, err
	}
	b.SetItemFeatures(features)
	truth := &Truth{Consensus: o.draw(root, o.Spread, rng)}
	if *o.departs != (departure{}) {
		if truth.Personal, err = o.tastes(ctx, truth.Consensus, root, rng); err != nil {
			return nil, nil, err
		}
	}
	var usual []float64 // lengths of the items
	if o.Length != 0 {
		usual = o.draw(nil, 100, rng)
	}
	moves := o.moves(truth, rng)
	length := palate.Property{Name: "length", Columns: []string{"length_left", "length_right"}}
	for k := range o.Votes {
		if k%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		v := palate.Vote{User: -1, Weight: 1, Left: rng.IntN(o.Items)}
		v.Right = (v.Left + 1 + rng.IntN(o.Items-1)) % o.Items
		f := truth.Consensus
		if o.Users > 0 {
			v.User = rng.IntN(o.Users)
			if truth.Personal != nil {
				f = truth.Personal.RawRowView(v.User)
			}
		}
		z := f[v.Left] - f[v.Right] + rng.NormFloat64()
		if moves != nil {
			month := k * driftMonths / o.Votes
			z += moves[month][v.Left] - moves[month][v.Right]
			from := time.Date(2022, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC)
			v.Time = from.Add(time.Duration(rng.Int64N(28*24*60)) * time.Minute)
		}
		if usual != nil {
			left, right := answerLength(usual[v.Left], rng), answerLength(usual[v.Right], rng)
			z += o.Length * (left - right) / 100
			length.Left, length.Right = append(length.Left, left), append(length.Right, right)
		}
		switch {
		case math.Abs(z) < o.Ties:
			v.Outcome = palate.Tie
		case z < 0:
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			return nil, nil, err
		}
	}
	d, err := b.Build()
	if err == nil && usual != nil {
		d = d.WithProperties([]palate.Property{length})
	}
	return d, truth, err
}

// Of utilities that move: over how many months, and within how many they return.
const (
	driftMonths = 24
	driftLength = 4
)

// moves are those of all items, by month, less those of the last, which are added to the truth;
// nil where nothing moves.
func (o *SimulateOptions) moves(truth *Truth, rng *rand.Rand) [][]float64 {
	if o.Drift == 0 {
		return nil
	}
	keep := math.Exp(-1.0 / driftLength)
	all := [][]float64{o.draw(nil, o.Drift, rng)}
	for range driftMonths - 1 {
		next := o.draw(nil, o.Drift*math.Sqrt(1-keep*keep), rng)
		for i, x := range all[len(all)-1] {
			next[i] += keep * x
		}
		all = append(all, next)
	}
	last := slices.Clone(all[len(all)-1])
	for i, x := range last {
		truth.Consensus[i] += x
		if truth.Personal != nil {
			for u := range o.Users {
				truth.Personal.Set(u, i, truth.Personal.At(u, i)+x)
			}
		}
	}
	for _, month := range all {
		for i := range month {
			month[i] -= last[i]
		}
	}
	return all
}

// answerLength draws the length of an answer of an item, given how much longer than 500 its
// answers usually are.
func answerLength(usual float64, rng *rand.Rand) float64 {
	return math.Round(math.Max(10, 500+usual+100*rng.NormFloat64()))
}

func (o *SimulateOptions) defaults() error {
	set := func(x *int, v int) {
		if *x == 0 {
			*x = v
		}
	}
	o.Model = cmp.Or(o.Model, "single")
	e, err := Find(o.Model)
	if err != nil {
		return err
	}
	if o.departs = e.departs; o.departs == nil {
		return fmt.Errorf("model: simulate: votes are not drawn from %s", o.Model)
	}
	set(&o.Items, 20)
	set(&o.Votes, 1000)
	set(&o.Factors, 3)
	if *o.departs != (departure{}) {
		set(&o.Users, 10)
	}
	o.Spread = cmp.Or(o.Spread, 1)
	o.Taste = cmp.Or(o.Taste, 1)
	if o.Items < 2 || o.Users < 0 || o.Votes < 0 || o.Features < 0 || o.Factors < 0 || o.Spread < 0 || o.Taste < 0 || o.Ties < 0 || !(o.Drift >= 0) {
		return fmt.Errorf("model: simulate: needs two items or more and no negative numbers")
	}
	if o.Features > 0 && o.Items > 5000 {
		return fmt.Errorf("model: simulate: at most 5000 items with features, not %d", o.Items)
	}
	return nil
}

// utilities returns the root of the items' covariance, nil when they are
// independent, and their features.
func (o *SimulateOptions) utilities(rng *rand.Rand) (*mat.Dense, *palate.Features, error) {
	if o.Features == 0 {
		return nil, nil, nil
	}
	f := &palate.Features{Rows: o.Items, Cols: o.Features, Data: make([]float64, o.Items*o.Features)}
	for c := range o.Features {
		f.Names = append(f.Names, fmt.Sprintf("x%d", c+1))
	}
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	x := kernel.Dense(mat.NewDense(o.Items, o.Features, f.Data))
	lengths := kernel.MedianHeuristic(x, kernel.MedianOptions{}, rng)
	p, err := gp.Dense(kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths), x)
	if err != nil {
		return nil, nil, err
	}
	return p.Features(), f, nil
}

// draw returns one utility of all items.
func (o *SimulateOptions) draw(root *mat.Dense, sd float64, rng *rand.Rand) []float64 {
	e := make([]float64, o.Items)
	for i := range e {
		e[i] = sd * rng.NormFloat64()
	}
	if root == nil {
		return e
	}
	f := mat.NewVecDense(o.Items, nil)
	simd.MulVec(f, root, mat.NewVecDense(o.Items, e))
	return f.RawVector().Data
}

// tastes returns every voter's utilities.
func (o *SimulateOptions) tastes(ctx context.Context, consensus []float64, root *mat.Dense, rng *rand.Rand) (*mat.Dense, error) {
	shared, own := math.Sqrt(o.departs.Shared), math.Sqrt(o.departs.Own)
	factors := make([][]float64, o.Factors)
	for c := range factors {
		factors[c] = o.draw(root, o.Taste*shared/math.Sqrt(float64(o.Factors)), rng)
	}
	f := mat.NewDense(o.Users, o.Items, nil)
	for u := range o.Users {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := f.RawRowView(u)
		copy(row, consensus)
		for _, v := range factors {
			w := rng.NormFloat64()
			for i := range row {
				row[i] += w * v[i]
			}
		}
		if own > 0 {
			for i, e := range o.draw(root, o.Taste*own, rng) {
				row[i] += e
			}
		}
	}
	return f, nil
}
