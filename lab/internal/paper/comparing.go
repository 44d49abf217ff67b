package paper

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"palate"
	"palate/compare"
	"palate/internal/num"
	"palate/model"
)

// Of each world so many claims are looked at, about items of their own, so that claims hang
// together as little as may be.
const (
	comparedItems = 20
	comparedPairs = 4
)

// comparingSet are worlds with claims about them.
type comparingSet struct {
	name, about string
	draw        func(ctx context.Context, rng *rand.Rand) (*comparingResult, error)
}

// comparingResult are claims made of one world.
type comparingResult struct {
	Said []float64 // probabilities
	So   []bool    // whether what they are of is so
	Sure bool      // whether a move was called sure
	Lie  bool      // whether such a one was none, or went the other way
}

func comparingSets() []comparingSet {
	boards := func(name, about string, correlations ...float64) comparingSet {
		return comparingSet{"boards/" + name, "items that rose, of files of 200 and 80 votes; utilities are correlated by " + about,
			func(ctx context.Context, rng *rand.Rand) (*comparingResult, error) {
				return comparedBoards(ctx, rng, correlations[rng.IntN(len(correlations))])
			}}
	}
	return []comparingSet{
		{"items", "pairs of items of one board, of 50 to 400 votes", comparedOnes},
		boards("any", ".3 to .99", 0.3, 0.7, 0.9, 0.95, 0.99),
		boards("apart", "0", 0), boards("near", ".8", 0.8), boards("nearer", ".95", 0.95), boards("same", "1", 1),
	}
}

// Comparing holds claims to the truth, with a table for every kind of them.
func Comparing() Study[*ComparingTable] {
	return studyOf(comparingSets(), 500, comparingSet.table)
}

func (s comparingSet) described() (name, about string) { return s.name, s.about }

func (s comparingSet) table(ctx context.Context, o StudyOptions) (*ComparingTable, error) {
	all, err := drawings(o, "comparing", s.name, "single", func(rng *rand.Rand) (*comparingResult, error) { return s.draw(ctx, rng) })
	if err != nil {
		return nil, err
	}
	t := &ComparingTable{Set: s.name, Worlds: o.Repeats}
	for _, r := range all {
		t.add(r)
	}
	t.finish()
	return t, nil
}

// comparedVotes draws a voter's votes between random pairs of items with these utilities.
func comparedVotes(b *palate.Builder, voter string, f []float64, votes int, rng *rand.Rand) error {
	for range votes {
		i, j := rng.IntN(len(f)), rng.IntN(len(f)-1)
		if j >= i {
			j++
		}
		o := palate.Right
		if rng.Float64() < num.Phi(f[i]-f[j]) {
			o = palate.Left
		}
		if err := b.Say(voter, strconv.Itoa(i), strconv.Itoa(j), o); err != nil {
			return err
		}
	}
	return nil
}

// comparedOnes compares items of one board.
func comparedOnes(ctx context.Context, rng *rand.Rand) (*comparingResult, error) {
	f := make([]float64, comparedItems)
	spread, votes := []float64{0.3, 1, 2}[rng.IntN(3)], []int{50, 100, 200, 400}[rng.IntN(4)]
	for i := range f {
		f[i] = spread * rng.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range f {
		b.Item(strconv.Itoa(i))
	}
	if err := comparedVotes(b, "", f, votes, rng); err != nil {
		return nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	m, err := model.FitSingle(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	var pairs [][2]int
	for k := range comparedPairs {
		pairs = append(pairs, [2]int{2 * k, 2*k + 1})
	}
	found, err := compare.Items(ctx, m, -1, pairs, nil)
	if err != nil {
		return nil, err
	}
	r := &comparingResult{}
	for _, p := range found {
		if p.Comparable {
			r.Said, r.So = append(r.Said, p.Better), append(r.So, f[p.A] > f[p.B])
		}
	}
	return r, nil
}

// comparedBoards compares two boards whose utilities are correlated.
func comparedBoards(ctx context.Context, rng *rand.Rand, correlation float64) (*comparingResult, error) {
	const first, second = 200, 80
	f, g := make([]float64, comparedItems), make([]float64, comparedItems)
	var moved float64 // of all, in the mean
	for i := range f {
		f[i] = rng.NormFloat64()
		g[i] = correlation*f[i] + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
		moved += (g[i] - f[i]) / comparedItems
	}
	b := palate.NewBuilder()
	for i := range f {
		b.Item(strconv.Itoa(i))
	}
	if err := comparedVotes(b, "", f, first, rng); err != nil {
		return nil, err
	}
	if err := comparedVotes(b, "", g, second, rng); err != nil {
		return nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	of := make([]bool, first+second)
	for k := first; k < len(of); k++ {
		of[k] = true
	}
	twins, err := compare.FitTwins(ctx, d, of, nil)
	if err != nil {
		return nil, err
	}
	change, err := twins.Moves(ctx, nil)
	if err != nil {
		return nil, err
	}
	r := &comparingResult{}
	for _, m := range change.Moves {
		i, err := strconv.Atoi(m.ID)
		if err != nil {
			return nil, err
		}
		by := g[i] - f[i] - moved
		if i < comparedPairs && correlation < 1 {
			r.Said, r.So = append(r.Said, m.Rose), append(r.So, by > 0)
		}
		if m.Sure {
			r.Sure = true
			r.Lie = r.Lie || correlation == 1 || (by > 0) != (m.Rose > 0.5)
		}
	}
	return r, nil
}

// ComparingTable is what became of claims, by their probability.
type ComparingTable struct {
	Set    string         `json:"set"`
	Worlds int            `json:"worlds"`
	Claims int            `json:"claims"`
	Bins   []ComparingBin `json:"bins"`
	// Chi is χ² of the bins, which has about as many degrees of freedom, and P its p-value.
	Chi float64 `json:"chi2"`
	P   float64 `json:"p"`
	// Sure are the shares of worlds with a move that was called sure, and with a wrong one.
	Sure, Lies float64
}

// ComparingBin are claims of about the same probability.
type ComparingBin struct {
	Claims int     `json:"claims"`
	Said   float64 `json:"said"` // mean probability
	Seen   float64 `json:"seen"` // share that was so
	Z      float64 `json:"z"`    // difference in standard errors
	spread float64
}

func (t *ComparingTable) add(r *comparingResult) {
	const bins = 10
	if t.Bins == nil {
		t.Bins = make([]ComparingBin, bins)
	}
	for k, p := range r.Said {
		b := &t.Bins[min(int(p*bins), bins-1)]
		b.Claims++
		b.Said += p
		b.spread += p * (1 - p)
		if r.So[k] {
			b.Seen++
		}
	}
	if r.Sure {
		t.Sure += 1 / float64(t.Worlds)
	}
	if r.Lie {
		t.Lies += 1 / float64(t.Worlds)
	}
}

func (t *ComparingTable) finish() {
	freedom := 0.0
	for k := range t.Bins {
		b := &t.Bins[k]
		if b.Claims == 0 {
			continue
		}
		t.Claims += b.Claims
		freedom++
		b.Z = (b.Seen - b.Said) / math.Sqrt(b.spread)
		t.Chi += b.Z * b.Z
		b.Said, b.Seen = b.Said/float64(b.Claims), b.Seen/float64(b.Claims)
	}
	if t.P = 1; freedom > 0 {
		t.P = distuv.ChiSquared{K: freedom}.Survival(t.Chi)
	}
}

// WriteText writes the table for people.
func (t *ComparingTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d claims in %d worlds, χ² %.1f, p %.3f; a sure move in %.3f of them, a wrong one in %.3f\n", t.Set, t.Claims, t.Worlds, t.Chi, t.P, t.Sure, t.Lies)
	for _, b := range t.Bins {
		if b.Claims > 0 {
			fmt.Fprintf(&s, "  said %.3f  seen %.3f  of %5d  z %+.2f\n", b.Said, b.Seen, b.Claims, b.Z)
		}
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
