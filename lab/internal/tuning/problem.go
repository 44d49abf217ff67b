package tuning

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"palate/tune"
)

// Problem is a function over a space, whose top is known.
type Problem struct {
	Name  string
	Space *tune.Space
	// Value is what a point is worth, and Top the highest there is.
	Value func(x tune.Point) float64
	Top   float64
	// Deviation is that of the values over the space.
	Deviation float64
}

// Problems lists them.
func Problems(ctx context.Context) ([]*Problem, error) {
	var list []*Problem
	for _, p := range []*Problem{
		{Name: "branin", Value: branin, Top: -0.39788735772973816},
		{Name: "hartmann3", Value: hartmann3, Top: 3.8627797869493365},
		{Name: "hartmann6", Value: hartmann6, Top: 3.3223680114155147},
		{Name: "ackley5", Value: ackley},
		{Name: "levy8", Value: levy},
		{Name: "mixed", Value: mixed, Top: 3.8627797869493365 + 1.8},
		{Name: "few", Value: few, Top: 3.3223680114155147},
		{Name: "known", Value: known, Top: 3.3223680114155147},
	} {
		s, err := tune.NewSpace(ctx, parameters(p.Name), nil, nil)
		if err != nil {
			return nil, err
		}
		p.Space = s
		p.Deviation = deviation(p)
		list = append(list, p)
	}
	return list, nil
}

// parameters are those of a problem.
func parameters(name string) (list []tune.Parameter) {
	add := func(n int, from, to float64) {
		for range n {
			list = append(list, tune.Parameter{Name: fmt.Sprint("x", len(list)+1), From: from, To: to})
		}
	}
	switch name {
	case "branin":
		add(1, -5, 10)
		add(1, 0, 15)
	case "hartmann3":
		add(3, 0, 1)
	case "hartmann6":
		add(6, 0, 1)
	case "ackley5":
		add(5, -32.768, 32.768)
	case "levy8":
		add(8, -10, 10)
	case "mixed":
		add(3, 0, 1)
		list = append(list,
			tune.Parameter{Name: "first", Kind: tune.Categorical, Words: []string{"a", "b", "c"}},
			tune.Parameter{Name: "second", Kind: tune.Categorical, Words: []string{"p", "q", "r", "s"}})
	case "few":
		add(10, 0, 1)
	case "known":
		add(4, 0, 1)
	}
	return list
}

func deviation(p *Problem) float64 {
	const draws = 20_000
	rng := rand.New(rand.NewPCG(1, 1))
	var mean, square float64
	for range draws {
		v := p.Value(p.Space.Sample(rng))
		mean += v / draws
		square += v * v / draws
	}
	return math.Sqrt(square - mean*mean)
}

func branin(x tune.Point) float64 {
	const b, c, t = 5.1 / (4 * math.Pi * math.Pi), 5 / math.Pi, 1 / (8 * math.Pi)
	v := x[1] - b*x[0]*x[0] + c*x[0] - 6
	return -(v*v + 10*(1-t)*math.Cos(x[0]) + 10)
}

// hartmann is a sum of Gaussian hills of the heights 1, 1.2, 3 and 3.2.
func hartmann(x, narrow, at []float64) (sum float64) {
	n := len(x)
	for i, height := range []float64{1, 1.2, 3, 3.2} {
		var q float64
		for j, v := range x {
			gap := v - at[i*n+j]*1e-4
			q += narrow[i*n+j] * gap * gap
		}
		sum += height * math.Exp(-q)
	}
	return sum
}

func hartmann3(x tune.Point) float64 {
	return hartmann(x[:3],
		[]float64{3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35},
		[]float64{3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828})
}

func hartmann6(x tune.Point) float64 {
	return hartmann(x[:6],
		[]float64{10, 3, 17, 3.5, 1.7, 8, 0.05, 10, 17, 0.1, 8, 14, 3, 3.5, 1.7, 10, 17, 8, 17, 8, 0.05, 10, 0.1, 14},
		[]float64{1312, 1696, 5569, 124, 8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991, 2348, 1451, 3522, 2883, 3047, 6650, 4047, 8828, 8732, 5743, 1091, 381})
}

func ackley(x tune.Point) float64 {
	var squares, waves float64
	for _, v := range x {
		squares += v * v / float64(len(x))
		waves += math.Cos(2*math.Pi*v) / float64(len(x))
	}
	return 20*math.Exp(-0.2*math.Sqrt(squares)) + math.Exp(waves) - 20 - math.E
}

func levy(x tune.Point) float64 {
	square := func(v float64) float64 { return v * v }
	w := func(v float64) float64 { return 1 + (v-1)/4 }
	last := w(x[len(x)-1])
	sum := square(math.Sin(math.Pi*w(x[0]))) + square(last-1)*(1+square(math.Sin(2*math.Pi*last)))
	for _, v := range x[:len(x)-1] {
		sum += square(w(v)-1) * (1 + 10*square(math.Sin(math.Pi*w(v)+1)))
	}
	return -sum
}

// mixed is a Hartmann function of three numbers, and two words that matter together.
func mixed(x tune.Point) float64 {
	worth := [3][4]float64{{0, 0.6, 1.2, 0.3}, {0.9, 0.2, 0.5, 1.8}, {0.4, 1.1, 0, 0.7}}
	return hartmann3(x) + worth[int(x[3])][int(x[4])]
}

// known is the Hartmann function of six with two of its parameters where its top has them.
func known(x tune.Point) float64 {
	return hartmann6(tune.Point{x[0], x[1], x[2], x[3], 0.3116519, 0.6573005})
}

// few is that of ten parameters of which four matter.
func few(x tune.Point) float64 { return known(tune.Point{x[1], x[3], x[6], x[8]}) }
