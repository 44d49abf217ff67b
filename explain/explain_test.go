package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/feature"
	"palate/internal/heed"
	"palate/kernel"
	"palate/model"
)

// plane is a model that knows utilities as a linear function of features: weights of which mean and
// covariances after and before the votes are given.
type plane struct {
	model.Featured
	x             *mat.Dense
	mean          []float64
	after, before *mat.SymDense
}

func (p *plane) Features() *mat.Dense           { return p.x }
func (p *plane) ItemID(i int) string            { return "item" + strconv.Itoa(i) }
func (p *plane) Relevances() []kernel.Relevance { return nil }

func (p *plane) PartialDependence(ctx context.Context, x *mat.Dense, size int, _ []int) (*model.PartialDependence, error) {
	rows, cols := x.Dims()
	a := mat.NewDense(rows/size, cols, nil)
	for i := range rows {
		for j := range cols {
			a.Set(i/size, j, a.At(i/size, j)+x.At(i, j)/float64(size))
		}
	}
	of := func(c *mat.SymDense) *mat.SymDense {
		var half, full mat.Dense
		half.Mul(a, c)
		full.Mul(&half, a.T())
		out := mat.NewSymDense(rows/size, nil)
		for i := range rows / size {
			for j := i; j < rows/size; j++ {
				out.SetSym(i, j, full.At(i, j))
			}
		}
		return out
	}
	var mean mat.VecDense
	mean.MulVec(a, mat.NewVecDense(cols, p.mean))
	return &model.PartialDependence{Mean: mean.RawVector().Data, Cov: of(p.after), Before: of(p.before)}, ctx.Err()
}

// table is one of a number, a yes or no, a category and a vector.
func table(t *testing.T, n int) (*plane, []Feature) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("id,size,organic,kind,place")
	for i := range n {
		text.WriteString("\nitem" + strconv.Itoa(i) + "," + strconv.FormatFloat(100+20*rng.NormFloat64(), 'f', 2, 64) + "," + []string{"no", "yes"}[rng.IntN(2)] + "," +
			[]string{"black", "green", "white"}[rng.IntN(3)] + ",\"[" + strconv.FormatFloat(rng.NormFloat64(), 'f', 3, 64) + "," + strconv.FormatFloat(rng.NormFloat64(), 'f', 3, 64) + "]\"")
	}
	b := palate.NewBuilder()
	e, err := feature.Items(context.Background(), "items.csv", strings.NewReader(text.String()), b, feature.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := d.ItemFeatures()
	p := &plane{x: mat.NewDense(f.Rows, f.Cols, f.Data), after: mat.NewSymDense(f.Cols, nil), before: mat.NewSymDense(f.Cols, nil)}
	for j := range f.Cols {
		p.before.SetSym(j, j, 1)
		p.after.SetSym(j, j, 0.01)
	}
	p.mean = make([]float64, f.Cols) // size, organic, three kinds, two places
	return p, Features(e)
}

// Settings of a feature are those that items have, by the names and in the units of the table, with
// the shares of the items.
func TestSettings(t *testing.T) {
	p, features := table(t, 60)
	names := []string{}
	for _, f := range features {
		names = append(names, f.Name)
		var sum float64
		at := f.settings(p.x, p.ItemID)
		for _, s := range at {
			sum += s.Weight
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: weights sum to %g", f.Name, sum)
		}
	}
	if want := []string{"size", "organic", "kind", "place"}; !slices.Equal(names, want) {
		t.Fatalf("features %v, want %v", names, want)
	}
	labels := func(f Feature) (all []string) {
		for _, s := range f.settings(p.x, p.ItemID) {
			all = append(all, s.Label)
		}
		return all
	}
	if got := labels(features[1]); !slices.Equal(got, []string{"no", "yes"}) {
		t.Errorf("organic is set to %v", got)
	}
	if got := labels(features[2]); !slices.Equal(got, []string{"black", "green", "white"}) {
		t.Errorf("kind is set to %v", got)
	}
	sizes := features[0].settings(p.x, p.ItemID)
	if len(sizes) != settingsOf+2 || sizes[0].Weight != 0 || sizes[settingsOf+1].Weight != 0 {
		t.Errorf("size is set to %v", labels(features[0]))
	}
	if mean := (sizes[0].Value + sizes[settingsOf+1].Value) / 2; mean < 80 || mean > 120 {
		t.Errorf("sizes are about %g, not in units of the table", mean)
	}
	if got := labels(features[3]); len(got) != settingsOf || !strings.HasPrefix(got[0], "as item") {
		t.Errorf("place is set to %v", got)
	}
}

// Of a plane everything is known in closed form: a dependence is a straight line with the weight of
// the feature, with the deviation of the weight, whatever the other features are.
func TestDependencesOfPlane(t *testing.T) {
	p, features := table(t, 60)
	p.mean = []float64{0.8, -0.5, 0.3, 0, 0, 0, 0}
	all, err := Dependences(context.Background(), p, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*Dependence{}
	for _, d := range all {
		by[d.Feature.Name] = d
	}
	size := by["size"]
	last := len(size.At) - 1
	units := (size.At[last].Value - size.At[0].Value) / features[0].sd
	c := size.Contrast(last, 0)
	if math.Abs(c.Value-0.8*units) > 1e-9 || math.Abs(c.Hi-c.Value-1.959964*0.1*units) > 1e-5 {
		t.Errorf("from one end of size to the other %+v, want %g ± %g", c, 0.8*units, 1.96*0.1*units)
	}
	if want := 0.8 * size.Deviation / features[0].sd; math.Abs(size.Slope.Value-want) > 1e-9 {
		t.Errorf("linear effect %+v, want %g", *size.Slope, want)
	}
	for name, weight := range map[string]float64{"size": 0.8, "organic": -0.5} {
		d := by[name]
		f := d.Feature
		want := math.Abs(weight) * d.Deviation / f.sd
		if !d.Matter() || math.Abs(d.Importance.Value-want) > 0.05 || d.Importance.Lo > want || d.Importance.Hi < want {
			t.Errorf("importance of %s is %+v, want %g", name, d.Importance, want)
		}
	}
	if c := by["kind"].Contrast(0, 1); math.Abs(c.Value-0.3) > 1e-9 {
		t.Errorf("black over green is %+v, want 0.3", c)
	}
	if place := by["place"]; place.Matter() || place.Importance.Lo != 0 || place.Matters > 0.5 || place.Slope != nil {
		t.Errorf("place: importance %+v, matters %g", place.Importance, place.Matters)
	}
	if all[0].Feature.Name != "size" {
		t.Errorf("%s is said to be most important", all[0].Feature.Name)
	}
}

// An effect is the likelier the farther it is from flat, and of one that votes say nothing of the
// odds are even.
func TestOdds(t *testing.T) {
	before := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	if odds := logOdds([]float64{0, 0}, before, before); math.Abs(odds) > 1e-4 {
		t.Errorf("odds without votes: %g", odds)
	}
	after := mat.NewSymDense(2, []float64{0.04, 0, 0, 0.04})
	last := math.Inf(-1)
	for _, x := range []float64{0, 0.2, 0.5, 1, 2} {
		odds := logOdds([]float64{x, 0}, after, before)
		if odds <= last {
			t.Errorf("log odds %g at %g, and %g nearer to flat", odds, x, last)
		}
		last = odds
	}
	// One direction in closed form: votes of mean y and variance v, an effect of variance t.
	const v = 0.5
	y := 1.2
	var sum float64
	for _, size := range effectScales {
		sum += math.Sqrt(v/(v+size)) * math.Exp(0.5*y*y*(1/v-1/(v+size))) / float64(len(effectScales))
	}
	s := 1 / (1 + 1/v)
	got := logOdds([]float64{y / v * s}, mat.NewSymDense(1, []float64{s}), mat.NewSymDense(1, []float64{1}))
	if math.Abs(got-math.Log(sum)) > 1e-4 {
		t.Errorf("log odds %g, want %g", got, math.Log(sum))
	}
}

// Better finds the end of the range that the weight points to, and leaves out what is best already.
func TestBetter(t *testing.T) {
	p, features := table(t, 60)
	p.mean = []float64{0.8, -0.5, 0, 0.4, 0, 0, 0}
	item := 0
	for i := range 60 { // one that is organic and green
		if p.x.At(i, 1) == 1 && p.x.At(i, 3) == 1 {
			item = i
		}
	}
	changes, err := Better(context.Background(), p, features, item, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 {
		t.Fatalf("changes %+v", changes)
	}
	for _, c := range changes {
		switch c.Feature.Name {
		case "size":
			if want := 0.8 * (c.To.block[0] - p.x.At(item, 0)); math.Abs(c.Gain.Value-want) > 1e-9 || c.To.Weight != 0 {
				t.Errorf("size to %s gains %+v, want %g at the end of the range", c.To.Label, c.Gain, want)
			}
		case "organic":
			if c.From != "yes" || c.To.Label != "no" || math.Abs(c.Gain.Value-0.5) > 1e-9 || c.Chance < 0.99 {
				t.Errorf("organic: %+v", c)
			}
		default:
			t.Errorf("%s should change", c.Feature.Name)
		}
	}
}

// A feature that votes follow is missed when it is shuffled or left out, and one that they do not
// follow is not.
func TestHoldOut(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 30
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"a", "b"}, Rows: n, Cols: 2}
	for i := range n {
		b.Item(strconv.Itoa(i))
		f.Data = append(f.Data, rng.NormFloat64(), rng.NormFloat64())
	}
	b.SetItemFeatures(f)
	for range 300 {
		i, j := rng.IntN(n), rng.IntN(n-1)
		if j >= i {
			j++
		}
		o := palate.Right
		if 1.5*(f.At(i, 0)-f.At(j, 0))+rng.NormFloat64() > 0 {
			o = palate.Left
		}
		if err := b.Say("", strconv.Itoa(i), strconv.Itoa(j), o); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	fits := 0
	h, err := HoldOut(context.Background(), d, numbered(2), &HoldOptions{Folds: 3, Fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		fits++
		return model.FitSingle(ctx, d, nil)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := h.Of[0], h.Of[1]; a.Shuffled.Lo < 0.1 || a.Without.Lo < 0.1 || math.Abs(b.Shuffled.Value) > 0.05 || math.Abs(b.Without.Value) > 0.05 {
		t.Errorf("held out: %+v", h.Of)
	}
	if fits != 9 || h.Items != n || h.Loss.Value > 0.5 {
		t.Errorf("%d fits, %d items, cross-entropy %g", fits, h.Items, h.Loss.Value)
	}
}

// A table without a feature has the columns and blocks of the others.
func TestLacking(t *testing.T) {
	f := &palate.Features{Names: []string{"a", "b", "c", "d"}, Rows: 1, Cols: 4, Data: []float64{1, 2, 3, 4}, Blocks: []int{3, 1}}
	got := lacking(f, &Feature{first: 1, width: 2})
	if !slices.Equal(got.Names, []string{"a", "d"}) || !slices.Equal(got.Data, []float64{1, 4}) || !slices.Equal(got.Blocks, []int{1, 1}) {
		t.Errorf("without two: %+v", got)
	}
	if got := lacking(f, &Feature{first: 3, width: 1}); !slices.Equal(got.Blocks, []int{3}) {
		t.Errorf("without a block: %+v", got)
	}
	if lacking(f, &Feature{width: 4}) != nil {
		t.Error("something is left of nothing")
	}
}

// TestContexts: what takes long stops when its context ends.
func TestContexts(t *testing.T) {
	p, features := table(t, 20)
	b := palate.NewBuilder()
	b.SetItemFeatures(&palate.Features{Names: []string{"a"}, Rows: 6, Cols: 1, Data: []float64{1, 2, 3, 4, 5, 6}})
	for i := range 6 {
		for j := range i {
			if err := b.Say("", strconv.Itoa(i), strconv.Itoa(j), palate.Left); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	aged, _ := ageing(t, 8, 10, 1)
	voters, known, err := OfVoters(aged)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Leanings(t.Context(), voters, known, nil); err != nil { // what the model finds out once it remembers
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Leanings":    func(ctx context.Context) error { _, err := Leanings(ctx, voters, known, nil); return err },
		"Dependences": func(ctx context.Context) error { _, err := Dependences(ctx, p, features, nil); return err },
		"Better":      func(ctx context.Context) error { _, err := Better(ctx, p, features, 0, nil); return err },
		"HoldOut": func(ctx context.Context) error {
			_, err := HoldOut(ctx, d, numbered(1), &HoldOptions{Folds: 2, Fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) { return model.FitSingle(ctx, d, nil) }})
			return err
		},
	})
}
