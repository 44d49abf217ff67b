package judging

import (
	"math"
	"strings"
	"testing"

	"palate/internal/num"
	"palate/model"
)

// Chances of grades add up to one, fall with the rank, and an item at a boundary has its grade.
func TestGrades(t *testing.T) {
	m, err := model.FitSingle(t.Context(), judged(t, 10, 5, 60, num.Indices), nil)
	if err != nil {
		t.Fatal(err)
	}
	board, err := model.NewBoard(t.Context(), m, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	middle := board.Groups[0].Rows[4]
	for _, text := range []string{"A=1,B=-1,C", "A@" + middle.ID + ",B"} {
		grades, err := ParseGrades(text)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := DrawScores(t.Context(), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		chances, err := scores.Grades(grades)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range board.Groups[0].Rows {
			c := chances[row.Item]
			var sum float64
			for _, p := range c {
				sum += p
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: chances %v", row.ID, c)
			}
			if strings.HasPrefix(text, "A=1,") {
				if want := 1 - normal((1-row.Score)/row.SD); math.Abs(c[0]-want) > 0.03 {
					t.Errorf("%s: %.3f of A; a normal distribution has %.3f", row.ID, c[0], want)
				}
			} else if row.Item == middle.Item && c[0] < 1-1e-9 {
				t.Errorf("%s is at the boundary, and has it with %g", row.ID, c[0])
			}
		}
		if best, last := board.Groups[0].Rows[0], board.Groups[0].Rows[9]; !(chances[best.Item][0] > chances[last.Item][0]) {
			t.Errorf("%s: the best has %v, the last %v", text, chances[best.Item], chances[last.Item])
		}
	}
	for _, bad := range []string{"", "A", "A,B", "A=1", "A=1,B=2,C", "A=,B", "=1,B", "A=nan,B", "A=1,B=0", "A=x,B", "A@,B"} {
		if _, err := ParseGrades(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
