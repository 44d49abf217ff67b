package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
)

// What an average says of voters and newcomers is the mean of what its parts say, and of the
// consensus what the first says; its boards are of draws of all.
func TestAverage(t *testing.T) {
	d := electorate{items: 6, users: 8, votes: 12}.draw(t)
	parts := []Part{{Model: "single", Weight: 0.2}, {Model: "population", Weight: 0.5}, {Model: "crowd", Settings: Settings{Tastes: NarrowTastes}, Weight: 0.3}}
	e, err := Find("average")
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Fit(t.Context(), d, &Settings{Parts: parts})
	if err != nil {
		t.Fatal(err)
	}
	votes := []palate.Vote{{Left: 0, Right: 1, Weight: 1}, {Left: 2, Right: 0, Weight: 1}}
	guest, err := m.(Welcomer).FoldIn(votes, nil)
	if err != nil {
		t.Fatal(err)
	}
	var known, told, mean, square float64
	for k, p := range m.(*Average).Parts() {
		known += parts[k].Weight * p.Prefer(3, 0, 1)
		u, v := p.Utility(3, 0)
		mean += parts[k].Weight * u
		square += parts[k].Weight * (v + u*u)
		if k == 0 && p.Prefer(-1, 0, 1) != m.Prefer(-1, 0, 1) {
			t.Error("the consensus is not that of the first")
		}
		one := p.Prefer(-1, 0, 1)
		if w, ok := p.(Welcomer); ok {
			n, err := w.FoldIn(votes, nil)
			if err != nil {
				t.Fatal(err)
			}
			one = n.Prefer(0, 1)
		}
		told += parts[k].Weight * one
	}
	if got := m.Prefer(3, 0, 1); math.Abs(got-known) > 1e-12 {
		t.Errorf("chance %v, of the parts %v", got, known)
	}
	if got := guest.Prefer(0, 1); math.Abs(got-told) > 1e-12 || guest.Alone().Prefer(2, 0, 1) != got {
		t.Errorf("chance of a newcomer %v, of the parts %v", got, told)
	}
	u, v := m.Utility(3, 0)
	if math.Abs(u-mean) > 1e-12 || math.Abs(v-(square-mean*mean)) > 1e-12 {
		t.Errorf("utility %v, %v; of the parts %v, %v", u, v, mean, square-mean*mean)
	}
	draws, err := m.Draws(t.Context(), 3, 4000, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	var sum, total float64
	for k, w := range draws.Weight {
		sum += w * draws.F.At(k, 0)
		total += w
	}
	if math.Abs(total-1) > 1e-9 || math.Abs(sum-u) > 4*math.Sqrt(v/draws.ESS)+0.05 {
		t.Errorf("draws of weight %v have mean %v, utility %v", total, sum, u)
	}
	f, err := PredictAnswers(t.Context(), m, 3, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.Choice(t.Context()); err != nil || math.Abs(p[0]+p[1]-1) > 1e-6 {
		t.Errorf("a choice of two: %v, %v", p, err)
	}
	for _, bad := range [][]Part{{}, {{Model: "single", Weight: 0.5}}, {{Model: "singel", Weight: 1}}, {{Model: "single", Weight: 2}, {Model: "population", Weight: -1}}} {
		if _, err := e.Fit(t.Context(), d, &Settings{Parts: bad}); err == nil {
			t.Errorf("%v is no average", bad)
		}
	}
	file := saved(t, m)
	for _, less := range []string{"part0.palate", "part1.palate"} {
		if _, err := Read(without(t, file, less)); err == nil || !strings.Contains(err.Error(), less) {
			t.Errorf("a file without %s: %v", less, err)
		}
	}
}

// without is a file that lacks an entry.
func without(t *testing.T, file []byte, name string) (*bytes.Reader, int64) {
	t.Helper()
	other := bytes.ReplaceAll(file, []byte(name), []byte(strings.Repeat("x", len(name))))
	return bytes.NewReader(other), int64(len(other))
}
