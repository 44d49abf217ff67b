package model

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
)

func TestTensor(t *testing.T) {
	d, truth := voters{items: 8, users: 40, votes: 8, itemFeatures: true, userFeatures: true}.draw(t, 6)
	wide, items := 0.0, 0.0
	m, err := FitTensor(context.Background(), d, &TensorOptions{LogPsiUsers: &wide, LogPsiItems: &items})
	if err != nil {
		t.Fatal(err)
	}
	var right, all float64
	for u, f := range truth {
		for i := range f {
			for j := range i {
				all++
				if m.Prefer(u, i, j) > 0.5 == (f[i] > f[j]) {
					right++
				}
			}
		}
	}
	if right/all < 0.7 {
		t.Errorf("only %.3f of the true orders are found", right/all)
	}
	const n = 4000
	draws := drawsOf(t, m, -1, n, rand.New(rand.NewPCG(1, 1)))
	for i := range 8 {
		mean, v := m.Utility(-1, i)
		var got, users float64
		for k := range n {
			got += draws.F.At(k, i) / n
		}
		near(t, "mean of the draws", got, mean, 5*math.Sqrt(v/n))
		for u := range truth {
			x, _ := m.Utility(u, i)
			users += x / float64(len(truth))
		}
		near(t, "the consensus is everybody's mean", users, mean, 1e-9)
	}
	if _, err := FitTensor(context.Background(), d, &TensorOptions{MaxCells: 10}); err == nil || !strings.Contains(err.Error(), "the most is 10") {
		t.Errorf("more cells than allowed: %v", err)
	}
	b := palate.NewBuilder()
	if err := b.Add(palate.Vote{User: -1, Left: b.Item("a"), Right: b.Item("b"), Weight: 1}); err != nil {
		t.Fatal(err)
	}
	nobody := built(t, b)
	if _, err := FitTensor(context.Background(), nobody, nil); err == nil {
		t.Error("a vote without a voter was accepted")
	}
}

// A joint process comes back from its file, and knows new items by their
// features; weights that are not whole count for less.
func TestTensorFile(t *testing.T) {
	for _, bare := range []bool{false, true} {
		d, _ := voters{items: 7, users: 12, votes: 6, itemFeatures: !bare, userFeatures: !bare}.draw(t, 8)
		m, err := FitTensor(context.Background(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.ItemEncoder = []byte(`{"a":1}`)
		var file bytes.Buffer
		if err := m.Save(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		o, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := o.Save(t.Context(), &again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
			t.Errorf("bare %v: saved again it is another file, %v", bare, err)
		}
		if o.Name() != "joint" || o.NumUsers() != 12 || o.Fit() != m.Fit() {
			t.Errorf("bare %v: %s model of %d users, %+v", bare, o.Name(), o.NumUsers(), o.Fit())
		}
		for u := -1; u < 12; u++ {
			for i := range 6 {
				near(t, "chance", o.Prefer(u, i, i+1), m.Prefer(u, i, i+1), 1e-12)
			}
		}
		twin := mat.NewDense(1, 1, []float64{0})
		if !bare {
			f := d.ItemFeatures()
			twin = mat.NewDense(1, f.Cols, slices.Clone(f.Row(3)))
		}
		more, err := o.Extend([]string{"twin"}, twin)
		if bare {
			if err == nil {
				t.Error("a new item without features was accepted")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a, _ := more.Utility(2, 7)
		b, _ := more.Utility(2, 3)
		if more.NumItems() != 8 || a*b < 0 || math.Abs(a) > math.Abs(b)+1e-9 {
			t.Errorf("an item with the features of another has utility %g, the other %g", a, b)
		}
		for i := range 6 {
			near(t, "chance beside a new item", more.Prefer(1, i, i+1), m.Prefer(1, i, i+1), 1e-12)
		}
		for _, spoil := range []string{"cells", "pairs", "site_tau", "weight"} {
			if _, err := Read(spoilt(t, file.Bytes(), spoil)); err == nil {
				t.Errorf("a file without %s was accepted", spoil)
			}
		}
	}
}

// spoilt returns a model file without one of its arrays.
func spoilt(t *testing.T, file []byte, array string) (io.ReaderAt, int64) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range r.File {
		if f.Name != array+".npy" {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes()), int64(b.Len())
}
