package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// tastes are voters who like different places of a square.
func tastes() map[string]Point {
	return map[string]Point{"ann": {0.2, 0.3}, "bob": {0.8, 0.3}, "cem": {0.5, 0.85}}
}

// apart is how far a point is from another.
func apart(x, y Point) float64 { return math.Sqrt(distance(x, y)) }

// asked has voters answer n questions in turn, two of three for themselves and one about what
// all like.
func asked(t *testing.T, search *Search, tops map[string]Point, n int) {
	t.Helper()
	names := []string{"ann", "bob", "cem"}
	for k := range n {
		name := names[k%len(names)]
		if search.Voter = name; k/3%3 == 2 {
			search.Voter = ""
		}
		list, err := search.Next(t.Context(), EUBO, 1)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(9, uint64(k)))
		d := Duel{Left: list[0].Left, Right: list[0].Right, Voter: name}
		if liked(d.Left, tops[name])-liked(d.Right, tops[name])+rng.NormFloat64() < 0 {
			d.Answer = palate.Right
		}
		search.Tell(d)
	}
	search.Voter = ""
}

// liked is what a point is worth to a voter, in units of the noise of a duel.
func liked(x, top Point) float64 { return 7 * math.Exp(-4*distance(x, top)) }

// TestPersonalOptima: three voters who like different places are each found theirs, the best
// of all is between them, and it is said to be a compromise. Where they like the same place it
// is none.
func TestPersonalOptima(t *testing.T) {
	if testing.Short() {
		t.Skip("many questions")
	}
	s := box(t, 2)
	search := NewSearch(s, &Log{Seed: 1})
	asked(t, search, tastes(), 90)
	best, err := search.Best(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mean := func(x Point) (sum float64) {
		for _, top := range tastes() {
			sum += liked(x, top) / 3
		}
		return sum
	}
	if lack := mean(Point{0.5, 0.46}) - mean(best); lack > 0.5 {
		t.Errorf("%v lacks %.2f of the best of all", best, lack)
	}
	people, err := search.People(t.Context(), best)
	if err != nil || len(people) != 3 {
		t.Fatalf("%v, %v", people, err)
	}
	for _, p := range people {
		if lack := liked(tastes()[p.Voter], tastes()[p.Voter]) - liked(p.Best, tastes()[p.Voter]); lack > 1 {
			t.Errorf("%s likes %v best, and %v was found, which lacks %.2f", p.Voter, tastes()[p.Voter], p.Best, lack)
		}
		if p.Answers != 30 || !p.Yields() || p.Over.Better < 0.95 {
			t.Errorf("%+v: the best of all is a compromise to everybody", p)
		}
	}
	alike := NewSearch(s, &Log{Seed: 4})
	one := tastes()["ann"]
	asked(t, alike, map[string]Point{"ann": one, "bob": one, "cem": one}, 30)
	if best, err = alike.Best(t.Context()); err != nil {
		t.Fatal(err)
	}
	if people, err = alike.People(t.Context(), best); err != nil || apart(best, one) > 0.25 {
		t.Errorf("all like %v, and %v was found, %v", one, best, err)
	}
	for _, p := range people {
		if p.Yields() {
			t.Errorf("%+v: all like the same", p)
		}
	}
}

// TestNamesAlone: what nobody else has answered is to one voter what it is to a voter without a
// name, and voters may change their names.
func TestNamesAlone(t *testing.T) {
	s := box(t, 2)
	gain := func(names ...string) (list []Comparison) {
		search := NewSearch(s, &Log{Seed: 2})
		rng := rand.New(rand.NewPCG(3, 4))
		for k := range 9 {
			d := judge(s, Question{s.Sample(rng), s.Sample(rng)}, rng)
			d.Voter = names[k%len(names)]
			search.Tell(d)
		}
		x, y := s.Sample(rng), s.Sample(rng)
		for _, name := range append([]string{""}, names...) {
			search.Voter = name
			c, err := search.Compare(t.Context(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
		return list
	}
	if a, b := gain(""), gain("ann"); a[0] != b[0] || b[0] != b[1] {
		t.Errorf("nameless %v, named %v", a, b)
	}
	if a, b := gain("ann", "bob"), gain("dora", "eve"); fmt.Sprint(a) != fmt.Sprint(b) || a[1] == a[2] {
		t.Errorf("%v is %v under other names", a, b)
	}
}
