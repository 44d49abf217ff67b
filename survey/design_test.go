package survey

import (
	"reflect"
	"slices"
	"testing"
)

// Designs are balanced: no item is twice in a task, frequencies in a version differ by one at
// most, over all versions items and pairs are as even as can be, or nearly; the seed decides.
func TestDesign(t *testing.T) {
	for _, c := range []struct {
		Plan
		spread int // of how often pairs are together
	}{
		{Plan{Items: 7, Size: 3, Tasks: 7, Versions: 1}, 0}, // each pair once: the Fano plane
		{Plan{Items: 20, Size: 4, Tasks: 12, Versions: 30, Seed: 2}, 1},
		{Plan{Items: 10, Size: 5, Tasks: 6, Versions: 10}, 1},
		{Plan{Items: 5, Size: 4, Tasks: 5, Versions: 3}, 0},
		{Plan{Items: 3, Size: 2, Tasks: 2, Versions: 2}, 1},
	} {
		d, err := NewDesign(t.Context(), c.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if len(d) != c.Versions {
			t.Fatalf("%+v: %d versions", c.Plan, len(d))
		}
		for _, tasks := range d {
			if len(tasks) != c.Tasks {
				t.Errorf("%+v: %d tasks", c.Plan, len(tasks))
			}
			for _, task := range tasks {
				sorted := slices.Clone(task)
				slices.Sort(sorted)
				if len(slices.Compact(sorted)) != c.Size {
					t.Errorf("%+v: a task of %v", c.Plan, task)
				}
			}
		}
		b := d.Balance(c.Items)
		t.Logf("%+v: %+v", c.Plan, b)
		if b.InVersion[1]-b.InVersion[0] > 1 || b.Shown[1]-b.Shown[0] > 1 || b.Together[1]-b.Together[0] > c.spread || b.Placed[1]-b.Placed[0] > 3 {
			t.Errorf("%+v: %+v", c.Plan, b)
		}
		again, err := NewDesign(t.Context(), c.Plan)
		if err != nil || !reflect.DeepEqual(d, again) {
			t.Errorf("%+v: another design from the same seed, %v", c.Plan, err)
		}
	}
	for _, p := range []Plan{{Items: 4, Size: 4, Tasks: 1, Versions: 1}, {Items: 4, Size: 1, Tasks: 1, Versions: 1}, {Items: 4, Size: 2, Versions: 1}} {
		if _, err := NewDesign(t.Context(), p); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}

// Tasks that are chosen by a model tell more of new people than balanced ones, within bounds of
// balance; the seed decides.
func TestAdapt(t *testing.T) {
	m, _ := people(t, 40, 10, 6, 0)
	p := Plan{Items: 10, Size: 4, Tasks: 6, Versions: 8, Seed: 3}
	adapted, err := Adapt(t.Context(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	b := adapted.Balance(10) // 2.4 times in a version and 19.2 in all, 6.4 times together
	t.Logf("%+v", b)
	if len(adapted) != 8 || len(adapted[0]) != 6 || b.InVersion[0] < 1 || b.InVersion[1] > 4 || b.Together[1] > 14 || b.Placed[1]-b.Placed[0] > 6 {
		t.Errorf("%+v", b)
	}
	balanced, err := NewDesign(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	left := func(d Design) (sum float64) { // of the variance of scores, in the mean over versions
		for _, tasks := range d {
			b := &belief{mean: make([]float64, 10)}
			j := m.(joint)
			all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
			for i := range all {
				b.mean[i], _ = j.Utility(m.NumUsers(), i)
				b.cov = append(b.cov, make([]float64, 10))
				j.CovarianceTo(b.cov[i], m.NumUsers(), i, all)
			}
			for _, task := range tasks {
				b.answer(task)
			}
			for i, row := range b.cov {
				sum += row[i]
				for _, c := range row {
					sum -= c / 10
				}
			}
		}
		return sum / float64(len(d))
	}
	if a, even := left(adapted), left(balanced); !(a < even) {
		t.Errorf("%.3f of the variance is left, of balanced tasks %.3f", a, even)
	} else {
		t.Logf("%.3f of the variance is left, of balanced tasks %.3f", a, even)
	}
	again, err := Adapt(t.Context(), m, p)
	if err != nil || !reflect.DeepEqual(adapted, again) {
		t.Errorf("another design from the same seed, %v", err)
	}
	if _, err := Adapt(t.Context(), m, Plan{Size: 10, Tasks: 1, Versions: 1}); err == nil {
		t.Error("tasks of all items: no error")
	}
}
