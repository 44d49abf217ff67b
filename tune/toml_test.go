package tune

import (
	"reflect"
	"strings"
	"testing"
)

const espressoTOML = `# as people write it
constraints = [
  "dose + 2*shots <= 26", # grams
]

[[parameters]]
name = "dose"
from = 14
to = 22

[[parameters]]
name = 'gain'
from = 1e-1
to = +1_0.0
scale = "log"

[[parameters]]
name = "shots"
from = 1
to = 4
step = 1

[[ parameters ]]
name = "grind"
ordered = ["fine", "medium",
           "coarse"]

[[parameters]]
name = "milk"
choices = ["none", "\u006fat", "cow"]

[[parameters]]
"name" = "water"
value = "tap"

[[forbidden]]
milk = "none"
gain = [1, 10]

[start]
dose = 18
gain = 0.5
shots = 2
grind = "fine"
milk = "oat"
`

// TestTOML: a space in TOML is the one in JSON, in tables or in lists.
func TestTOML(t *testing.T) {
	want := space(t, espresso)
	for _, text := range []string{
		espressoTOML,
		strings.ReplaceAll(espressoTOML, "\n", "\r\n"),
		`constraints = ["dose + 2*shots <= 26"]
forbidden = [{milk = "none", gain = [1, 10]}]
start = {dose = 18, gain = 0.5, shots = 2, grind = "fine", milk = "oat"}
parameters = [
  {name = "dose", from = 14, to = 22},
  {name = "gain", from = 0.1, to = 10, scale = "log"},
  {name = "shots", from = 1, to = 4, step = 1},
  {name = "grind", ordered = ["fine", "medium", "coarse"]},
  {name = "milk", choices = ["none", "oat", "cow"]},
  {name = "water", value = "tap"}]`,
	} {
		got, err := ReadSpace(t.Context(), "space.toml", strings.NewReader(text))
		if err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, and in JSON %+v", got, want)
		}
	}
}

// TestBadTOML: what is wrong is said with its line, and no beginning of a file is read with a panic.
func TestBadTOML(t *testing.T) {
	const dose = "[[parameters]]\nname = \"dose\"\nfrom = 14\nto = 22\n"
	for _, c := range []struct{ text, want string }{
		{"", `line 1: there are no "parameters"`},
		{"\xff", "line 1: the file is no text in UTF-8"},
		{"dose = 14\n", `line 1: unknown "dose": a space has`},
		{"\n[dose]\nfrom = 14\n", `line 2: unknown "dose": a space has`},
		{"[parameters]\n", `line 1: "parameters" is a list: begin each entry with [[parameters]]`},
		{"[parameters.dose]\n", "line 1: keys with a dot are not read: parameters.…"},
		{"[[start]]\n", "line 1: there is one start: write [start]"},
		{dose + "[constraints]\n", `line 5: "constraints" is a list of texts`},
		{dose + "[start]\ndose = 15\n[start]\n", `line 7: "start" is there twice`},
		{"start = 1\nstart = 2\n", `line 2: "start" is there twice`},
		{"constraints = 1\n", `line 1: "constraints" is a list`},
		{"constraints = [\n1]\n" + dose, "line 2: a constraint is a text"},
		{"constraints = [\"a\"\n\"b\"]\n", "line 2: a comma or ] is missing"},
		{"start = {dose = 1 b = 2}\n", "line 1: a comma or } is missing"},
		{"[[parameters]\n", "line 1: ]] is missing"},
		{dose + "to = 23\n", `line 5: "to" is there twice`},
		{dose + "step\n", `line 5: = is missing after "step"`},
		{dose + "step =\n", "line 5: a value is missing"},
		{dose + "step = inf\n", "line 5: a value is missing"},
		{dose + "step = 1979-05-27\n", "line 5: the line goes on where it should end"},
		{dose + "step = 1 2\n", "line 5: the line goes on where it should end"},
		{dose + "scale = \"log\n", "line 5: a quote is not closed"},
		{dose + "scale = 'log\n", "line 5: a quote is not closed"},
		{dose + "scale = \"\"\"log\"\"\"\n", "line 5: a text is on one line"},
		{dose + "scale = \"\\q\"\n", "line 5: a quote is not closed, or what follows a backslash is unknown"},
		{dose + "size = 1\n", "line 1: a parameter is not understood"},
		{dose + "\n" + dose, `line 6: there are two parameters "dose"`},
		{dose + "[start]\ndose = 30\n", "line 5: start: dose is 30, outside 14 to 22"},
		{"= 1\n", "line 1: a key is missing"},
	} {
		_, err := ReadSpace(t.Context(), "space.toml", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), "space.toml: "+c.want) {
			t.Errorf("%q: %v, not %s", c.text, err, c.want)
		}
	}
	for n := range espressoTOML {
		if _, err := ReadSpace(t.Context(), "space.toml", strings.NewReader(espressoTOML[:n])); err != nil && !strings.HasPrefix(err.Error(), "space.toml: ") {
			t.Error(err)
		}
	}
}
