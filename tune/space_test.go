package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

const espresso = `{
  "parameters": [
    {"name": "dose", "from": 14, "to": 22},
    {"name": "gain", "from": 0.1, "to": 10, "scale": "log"},
    {"name": "shots", "from": 1, "to": 4, "step": 1},
    {"name": "grind", "ordered": ["fine", "medium", "coarse"]},
    {"name": "milk", "choices": ["none", "oat", "cow"]},
    {"name": "water", "value": "tap"}
  ],
  "constraints": ["dose + 2*shots <= 26"],
  "forbidden": [{"milk": "none", "gain": [1, 10]}],
  "start": {"dose": 18, "gain": 0.5, "shots": 2, "grind": "fine", "milk": "oat"}
}`

const blend = `{
  "parameters": [
    {"name": "arabica", "from": 0, "to": 1},
    {"name": "robusta", "from": 0, "to": 0.6},
    {"name": "liberica", "from": 0, "to": 1},
    {"name": "heat", "from": 1, "to": 100, "scale": "log"},
    {"name": "roast", "choices": ["light", "dark"]},
    {"name": "rest", "from": 0, "to": 1, "step": 0.1}
  ],
  "constraints": ["arabica + robusta + liberica = 1", "0.02*heat + arabica <= 1.1", "robusta >= 0.05", "rest + robusta <= 0.9"],
  "forbidden": [{"roast": "dark", "rest": 0}]
}`

func space(t testing.TB, text string) *Space {
	t.Helper()
	s, err := ReadSpace(t.Context(), "space.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// box returns a space of n continuous parameters in the unit interval.
func box(t testing.TB, n int) *Space {
	t.Helper()
	var p []Parameter
	for j := range n {
		p = append(p, Parameter{Name: fmt.Sprintf("x%d", j), To: 1})
	}
	s, err := NewSpace(t.Context(), p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// spaces are those that laws run over.
func spaces(t testing.TB) map[string]*Space {
	return map[string]*Space{
		"espresso": space(t, espresso),
		"blend":    space(t, blend),
		"box":      box(t, 3),
		"words":    space(t, `{"parameters": [{"name": "a", "choices": ["x", "y", "z"]}, {"name": "b", "ordered": ["1", "2", "3", "4"]}], "forbidden": [{"a": "x", "b": "1"}]}`),
		"narrow":   space(t, `{"parameters": [{"name": "a", "from": 0, "to": 1}, {"name": "b", "from": 0, "to": 1}, {"name": "c", "from": 0, "to": 9, "step": 1}], "constraints": ["a + b <= 0.001", "c - 1000*a >= 8"]}`),
	}
}

// TestSampleIsInside: what is drawn is in the space, and inequalities hold as they are.
func TestSampleIsInside(t *testing.T) {
	for name, s := range spaces(t) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			x := s.Sample(rng)
			inside(t, name, s, x)
			inside(t, name+" nudged", s, s.nudge(x, rng))
		}
	}
}

// inside fails where a proposal is not in the space.
func inside(t *testing.T, name string, s *Space, x Point) {
	t.Helper()
	if err := s.Check(x); err != nil {
		t.Fatalf("%s: %s: %v", name, s.Describe(x), err)
	}
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if gap := c.excess(x); !c.Equal && gap > 0 || c.Equal && math.Abs(gap) > 1e-9 {
			t.Fatalf("%s: %s is off by %g", name, c.Text, gap)
		}
	}
	for j := range s.Parameters {
		if p := &s.Parameters[j]; p.levels() > 0 {
			if _, err := p.place(s.value(j, x[j])); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// value is a value as a file has it.
func (s *Space) value(j int, v float64) any {
	if p := &s.Parameters[j]; !p.Numeric() {
		return p.Words[int(v)]
	}
	return v
}

// TestSampleReachesAll: every word and step is drawn, and continuous parameters come near
// both ends that constraints leave.
func TestSampleReachesAll(t *testing.T) {
	s := space(t, blend)
	rng := rand.New(rand.NewPCG(3, 4))
	lo, hi := s.Sample(rng), s.Sample(rng)
	for range 3000 {
		for j, v := range s.Sample(rng) {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	want := map[string][2]float64{"arabica": {0.02, 0.9}, "robusta": {0.07, 0.55}, "liberica": {0.02, 0.85}, "heat": {1.3, 45}, "roast": {0, 1}, "rest": {0, 0.8}}
	for j := range s.Parameters {
		w := want[s.Parameters[j].Name]
		if lo[j] > w[0] || hi[j] < w[1] {
			t.Errorf("%s goes from %g to %g, want at least %v", s.Parameters[j].Name, lo[j], hi[j], w)
		}
	}
}

// TestPointRoundTrip: a point that was written is read as it was.
func TestPointRoundTrip(t *testing.T) {
	for name, s := range spaces(t) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			x := s.Sample(rng)
			y, err := s.ReadPoint(s.WritePoint(x))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for j := range x {
				if x[j] != y[j] {
					t.Fatalf("%s: %s was %v and is %v", name, s.Parameters[j].Name, x[j], y[j])
				}
			}
		}
	}
}

// TestFeatures: any two words are at distance one, and bounds too.
func TestFeatures(t *testing.T) {
	s := space(t, espresso)
	a, b := s.Sample(rand.New(rand.NewPCG(1, 2))), Point(nil)
	for j, ends := range map[int][2]float64{0: {14, 22}, 1: {0.1, 10}, 2: {1, 4}, 3: {0, 2}, 4: {0, 1}} {
		b = append(Point(nil), a...)
		c := append(Point(nil), a...)
		b[j], c[j] = ends[0], ends[1]
		if d := distance(s.Features(b), s.Features(c)); math.Abs(d-1) > 1e-12 {
			t.Errorf("%s: %g between its ends", s.Parameters[j].Name, d)
		}
	}
}

// TestBadSpaces: whatever is wrong with a space is said with its line.
func TestBadSpaces(t *testing.T) {
	parameters := func(list string) string { return "{\"parameters\": [\n" + list + "\n]}" }
	two := `{"name": "a", "from": 0, "to": 1}, {"name": "b", "from": 0, "to": 1}`
	with := func(rest string) string { return "{\"parameters\": [" + two + "],\n" + rest + "}" }
	for _, bad := range []struct{ text, want string }{
		{``, "line 1: the file ends too early"},
		{`[]`, "line 1: a space is a JSON object"},
		{"{\n\"parameters\": [\n}", "line 3: invalid character"},
		{`{}`, `there are no "parameters"`},
		{`{"parameter": []}`, `unknown "parameter"`},
		{`{"parameters": {}}`, `"parameters" is a list`},
		{"{\"parameters\": [" + two + "], \"parameters\": []}", "there twice"},
		{parameters(`{"name": "a", "from": 2, "to": 1}`), `line 2: parameter "a": its bounds are reversed: from 2 to 1`},
		{parameters("{\"name\": \"b\", \"from\": 2, \"to\": 3},\n" + `{"name": "a", "from": 0, "to": 1, "scale": "log"}`), `line 3: parameter "a": it is on a log scale and goes from 0`},
		{parameters(`{"name": "a", "from": 0, "to": 1, "scale": "root"}`), `its scale is "root"`},
		{parameters(`{"name": "a", "from": 1, "to": 1}`), `what does not vary is a "value"`},
		{parameters(`{"name": "a", "from": 1}`), `one of them is missing`},
		{parameters(`{"name": "a", "from": 1, "to": 2, "choices": ["x", "y"]}`), `it has either`},
		{parameters(`{"name": "a"}`), `it has either`},
		{parameters(`{"name": "a b", "from": 1, "to": 2}`), `a name is letters`},
		{parameters(`{"name": "a", "from": "1", "to": 2}`), `a parameter is not understood: "from" is a string, and should be a number`},
		{parameters(`{"name": "a", "from": 1, "to": 1e400}`), `a parameter is not understood: "to" is 1e400, which is too large`},
		{parameters(`{"name": "a", "choices": "x|y"}`), `"choices" is a string, and should be a list`},
		{parameters(`7`), `it is a number, and should be an object`},
		{parameters(two) + " {}", `there is something after the space`},
		{parameters(two) + " x", `there is something after the space`},
		{parameters(`{"name": "a", "form": 1, "to": 2}`), `unknown field "form"`},
		{parameters(`{"name": "a", "from": 1, "to": 2, "step": 0}`), `its step is 0`},
		{parameters(`{"name": "a", "from": 1, "to": 2, "step": 5}`), `its step is 5`},
		{parameters(`{"name": "a", "from": 0, "to": 1, "step": 1e-9}`), `leave the step out`},
		{parameters(`{"name": "a", "from": 0, "to": 1, "step": 1e-19}`), `leave the step out`},
		{parameters(`{"name": "a", "from": 0, "to": 1, "step": 1e-320}`), `leave the step out`},
		{parameters(`{"name": "a", "from": 1e-300, "to": 1e300, "scale": "log"}`), `its bounds are too far apart`},
		{parameters(`{"name": "a", "choices": ["x"]}`), `fewer than two words`},
		{parameters(`{"name": "a", "ordered": ["x", "x"]}`), `"x" is empty or there twice`},
		{parameters(`{"name": "a", "value": [1]}`), `neither a number nor a word`},
		{parameters(`{"name": "a", "value": 1, "step": 1}`), `"step" and "scale" go with`},
		{parameters(`{"name": "a", "value": 1}`), `there is nothing to vary`},
		{parameters("{\"name\": \"a\", \"from\": 0, \"to\": 1},\n{\"name\": \"a\", \"from\": 0, \"to\": 1}"), `line 3: there are two parameters "a"`},
		{with(`"constraints": ["a + c <= 1"]`), `line 2: "a + c <= 1": there is no parameter "c"`},
		{with(`"constraints": ["a + b"]`), `has no <=, >= or = in it`},
		{with(`"constraints": ["0 <= a <= 1"]`), `more than one relation`},
		{with(`"constraints": ["a b <= 1"]`), `there is no parameter "a b"`},
		{with(`"constraints": ["a*b <= 1"]`), `is not a number, a parameter`},
		{with(`"constraints": ["a - -b <= 1"]`), `is not a number, a parameter`},
		{with(`"constraints": [" <= 1"]`), `one side is empty`},
		{with(`"constraints": ["1 <= 2"]`), `constrains no parameter that varies`},
		{with(`"constraints": [7]`), `a constraint is a text`},
		{with(`"constraints": ["a + b >= 3"]`), `the space is empty: "a + b >= 3" cannot hold within the bounds of the parameters`},
		{with(`"constraints": ["a + b <= 0.5", "a >= 0.6"]`), `the space is empty: "a >= 0.6" cannot hold within the bounds of the parameters and with the constraints before it`},
		{with(`"constraints": ["a + b = 1", "2*a + 2*b = 2"]`), `follows from the others`},
		{with(`"constraints": ["a + b = 1", "a - b = 0.5"]`), `leave 2 continuous parameters nothing to vary`},
		{with(`"forbidden": [{"c": 1}]`), `line 2: a forbidden combination: there is no parameter "c"`},
		{with(`"forbidden": [{"a": 0.5}]`), `forbid a range`},
		{with(`"forbidden": [{"a": [1, 0]}]`), `the smaller first`},
		{with(`"forbidden": [{}]`), `a forbidden combination is an object`},
		{with(`"start": {"a": 1}`), `line 2: start: there is no value of b`},
		{with(`"start": {"a": 1, "b": 2}`), `line 2: start: b is 2, outside 0 to 1`},
		{with(`"start": {"a": 1, "b": 1, "c": 1}`), `line 2: start: there is no parameter "c"`},
		{`{"parameters": [{"name": "a", "choices": ["x", "y"]}], "forbidden": [{"a": "x"}, {"a": "y"}]}`, `the space is empty: constraints and forbidden combinations leave nothing`},
		{`{"parameters": [{"name": "a", "from": 1, "to": 3, "step": 1}, {"name": "b", "from": 0, "to": 1}], "constraints": ["a + b = 2"]}`, `an equality is between continuous parameters`},
		{`{"parameters": [{"name": "a", "choices": ["x", "y"]}], "constraints": ["a <= 2"]}`, `a is a word`},
	} {
		_, err := ReadSpace(t.Context(), "space.json", strings.NewReader(bad.text))
		if err == nil || !strings.Contains(err.Error(), bad.want) || !strings.HasPrefix(err.Error(), "space.json: ") {
			t.Errorf("%s\n%v, want %q", bad.text, err, bad.want)
		}
	}
}

// TestParseConstraint: terms are gathered from both sides.
func TestParseConstraint(t *testing.T) {
	p := []Parameter{{Name: "a", To: 1}, {Name: "b", To: 1}, {Name: "e1", To: 1}}
	for text, want := range map[string]Constraint{
		"2*a + b <= 7":           {Coefficient: []float64{2, 1, 0}, Limit: 7},
		"a >= 1e-1 + b":          {Coefficient: []float64{-1, 1, 0}, Limit: -0.1},
		"-a + 2*b < 3 - 1":       {Coefficient: []float64{-1, 2, 0}, Limit: 2},
		"a*2*3 + 1 ≤ 2*b":        {Coefficient: []float64{6, -2, 0}, Limit: -1},
		"a + b = 1":              {Coefficient: []float64{1, 1, 0}, Limit: 1, Equal: true},
		"e1-a<=2":                {Coefficient: []float64{-1, 0, 1}, Limit: 2},
		"1.5e+2*a + 0 <= 2.5e-3": {Coefficient: []float64{150, 0, 0}, Limit: 0.0025},
	} {
		c, err := ParseConstraint(text, p)
		if err != nil || c.Equal != want.Equal || math.Abs(c.Limit-want.Limit) > 1e-15 {
			t.Errorf("%s: %+v, %v", text, c, err)
			continue
		}
		for j := range p {
			if c.Coefficient[j] != want.Coefficient[j] {
				t.Errorf("%s: %+v", text, c)
			}
		}
	}
}
