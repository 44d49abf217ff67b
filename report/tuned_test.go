package report

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/tune"
)

// searches are some of spaces of every kind.
func searches(t *testing.T) map[string]*tune.Search {
	t.Helper()
	all := map[string]*tune.Search{}
	for name, text := range map[string]string{
		"mixed": `{"parameters": [{"name": "dose", "from": 14, "to": 22}, {"name": "gain", "from": 0.1, "to": 10, "scale": "log"},
			{"name": "shots", "from": 1, "to": 4, "step": 1}, {"name": "milk", "choices": ["none", "oat & <cow>"]}],
			"constraints": ["dose + shots <= 24"], "start": {"dose": 18, "gain": 1, "shots": 2, "milk": "none"}}`,
		"words": `{"parameters": [{"name": "a", "choices": ["x", "y"]}, {"name": "b", "ordered": ["1", "2", "3"]}]}`,
	} {
		s, err := tune.ReadSpace(t.Context(), name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		search := tune.NewSearch(s, &tune.Log{})
		rng := rand.New(rand.NewPCG(1, 2))
		for k := range 5 {
			d := tune.Duel{Left: s.Sample(rng), Right: s.Sample(rng), Answer: palate.Outcome(k % 3)}
			if name == "words" {
				d.Voter = []string{"ann", "<bob>"}[k%2]
			}
			search.Tell(d)
		}
		all[name] = search
	}
	return all
}

// TestTunedHTML: a page has its charts, and says which are not there.
func TestTunedHTML(t *testing.T) {
	for name, s := range searches(t) {
		var out bytes.Buffer
		if err := TunedHTML(t.Context(), &out, Paper{Title: "<a> search", Made: "palate tune"}, must(NewTuned(t.Context(), s))); err != nil {
			t.Fatal(err)
		}
		wants := []string{"&lt;a&gt; search", `<figure id="slices">`, `<figure id="path">`, `<figure id="importance">`, "regret left"}
		if name == "words" {
			wants = append(wants, "No map of utility", `<figure id="people">`, "&lt;bob&gt;", "The best point for all 2 voters is believed")
		} else {
			wants = append(wants, `<figure id="plane">`)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(out.String(), "ZgotmplZ") || out.Len() > 1e6 {
			t.Errorf("%s: the template refused something, or %d bytes are too many", name, out.Len())
		}
	}
}
