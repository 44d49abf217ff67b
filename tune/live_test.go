package tune

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestGoOn: a search that goes on along a log is the search of that log, whether it grows or
// lost an answer on the way; and one that folds answers in moves as they say.
func TestGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	s := box(t, 2)
	whole := NewSearch(s, &Log{Seed: 7})
	play(t, whole, EUBO, 12)
	duels := whole.Log.Duels
	going := NewSearch(s, &Log{Seed: 7})
	for _, log := range [][]Duel{duels[:3], duels[:9], append(append([]Duel{}, duels[:4]...), duels[5:]...), duels} {
		going = going.GoOn(&Log{Seed: 7, Duels: log})
		got, err := going.Belief(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := NewSearch(s, &Log{Seed: 7, Duels: log}).Belief(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range duels {
			if a, b := got.Wins(d.Left, d.Right), want.Wins(d.Left, d.Right); a != b {
				t.Errorf("after %d duels %v wins against %v with chance %v, anew %v", len(log), d.Left, d.Right, a, b)
			}
		}
	}
	early := NewSearch(s, &Log{Seed: 7, Duels: duels[:6]})
	if _, err := early.Belief(t.Context()); err != nil {
		t.Fatal(err)
	}
	folded, err := early.Fold(&Log{Seed: 7, Duels: duels}).Belief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	learnt, err := going.Belief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range duels {
		if a, b := folded.Wins(d.Left, d.Right), learnt.Wins(d.Left, d.Right); math.Abs(a-b) > 0.25 {
			t.Errorf("%v against %v: %.2f folded in, %.2f learnt", d.Left, d.Right, a, b)
		}
	}
	if n := len(early.Log.Duels); n != 6 {
		t.Errorf("folding changed the search: it has %d duels", n)
	}
}

// TestBeside: questions that are asked at the same time differ, before and after the space is
// filled.
func TestBeside(t *testing.T) {
	s := box(t, 3)
	for _, duels := range []int{0, 8} {
		search := NewSearch(s, &Log{Seed: 3})
		play(t, search, EUBO, duels)
		seen := map[string]int{}
		for k := range 10 {
			q, err := search.Beside(t.Context(), EUBO, k)
			if err != nil {
				t.Fatal(err)
			}
			pair := string(s.WritePoint(q.Left)) + string(s.WritePoint(q.Right))
			if before, asked := seen[pair]; asked {
				t.Errorf("after %d duels: questions %d and %d are the same", duels, before, k)
			}
			seen[pair] = k
		}
	}
}

// TestJoint: joint draws have the moments and the chances that are said of points alone.
func TestJoint(t *testing.T) {
	s := box(t, 2)
	search := NewSearch(s, &Log{Seed: 5})
	play(t, search, Random, 10)
	b, err := search.Belief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const n = 8000
	points := []Point{{0.1, 0.2}, {0.5, 0.5}, {0.9, 0.3}}
	draws := b.Joint(points, n, rand.New(rand.NewPCG(1, 2)))
	for i, x := range points {
		mean, variance := b.Moments(x)
		var sum, square, wins float64
		for k := range n {
			v := draws.At(k, i)
			sum, square = sum+v/n, square+v*v/n
			wins += 0.5 * math.Erfc(-(v-draws.At(k, 0))/math.Sqrt2) / n
		}
		if sd := math.Sqrt(variance); math.Abs(sum-mean) > 6*sd/math.Sqrt(n) || math.Abs(math.Sqrt(square-sum*sum)/sd-1) > 0.1 {
			t.Errorf("point %d: drawn %.3f (%.3f), said %.3f (%.3f)", i, sum, math.Sqrt(square-sum*sum), mean, sd)
		}
		if i > 0 && math.Abs(wins-b.Wins(x, points[0])) > 0.02 {
			t.Errorf("point %d wins %.3f, said %.3f", i, wins, b.Wins(x, points[0]))
		}
	}
}

// TestParseSpace: lines are what JSON says, and a bad one is named.
func TestParseSpace(t *testing.T) {
	lines, err := ParseSpace(t.Context(), "form", "dose=14..22:0.5\n\n a + b = 1\na=0..1\nb = 0..1\ngrind=fine<coarse\nmilk=none|oat\ndose <= 20\nwater=tap", nil)
	if err != nil {
		t.Fatal(err)
	}
	object, err := ParseSpace(t.Context(), "form", ` {"parameters": [{"name": "dose", "from": 14, "to": 22, "step": 0.5}, {"name": "a", "from": 0, "to": 1}, {"name": "b", "from": 0, "to": 1},
		{"name": "grind", "ordered": ["fine", "coarse"]}, {"name": "milk", "choices": ["none", "oat"]}, {"name": "water", "value": "tap"}], "constraints": ["a + b = 1", "dose <= 20"]}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(lines.outline(), object.outline()) {
		t.Errorf("lines are %q, JSON %q", lines.outline(), object.outline())
	}
	for text, want := range map[string]string{
		"":                         "form: there are no parameters",
		"dose":                     "form: line 1: ",
		"a=0..1\nb=3..2":           `form: line 2: parameter "b": its bounds are reversed`,
		"a=nan..1":                 `form: line 1: parameter "a": it goes from NaN to 1, and these are no numbers`,
		"a=0..1\nb=inf":            `form: line 2: parameter "b": its value is +Inf, which is no number`,
		"a=0..1\na=0..1":           `form: line 2: there are two parameters "a"`,
		"gain=0..1:log":            "form: line 1: parameter \"gain\": it is on a log scale",
		"a=0..1\n\na + c <= 1":     "form: line 3: ",
		"a=0..1\na >= 2":           `form: the space is empty: "a >= 2" cannot hold`,
		`{"parameters": "a=0..1"}`: "form: line 1: ",
	} {
		if _, err := ParseSpace(t.Context(), "form", text, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
