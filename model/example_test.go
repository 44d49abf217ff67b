package model_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/model"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Votes to a ranking in ten lines.
func Example() {
	b := palate.NewBuilder()
	for _, v := range [][2]string{{"pear", "fig"}, {"pear", "plum"}, {"fig", "plum"}, {"pear", "fig"}, {"plum", "fig"}, {"fig", "pear"}} {
		check(b.Say("", v[0], v[1], palate.Left))
	}
	votes, err := b.Build()
	check(err)
	m, err := model.FitSingle(context.Background(), votes, nil)
	check(err)
	board, err := model.NewBoard(context.Background(), m, -1, nil)
	check(err)
	for _, r := range board.Groups[0].Rows {
		fmt.Printf("%d. %-4s %+.1f ± %.1f, rank %d to %d, best with %.0f%%\n", r.Rank, r.ID, r.Score, r.SD, r.RankLo, r.RankHi, 100*r.PBest)
	}
	// Output:
	// 1. pear +0.2 ± 0.4, rank 1 to 3, best with 38%
	// 2. fig  -0.1 ± 0.3, rank 1 to 3, best with 30%
	// 3. plum -0.2 ± 0.4, rank 1 to 3, best with 32%
}

// A model goes into a file, and comes back as it was.
func ExampleOpen() {
	b := palate.NewBuilder()
	for _, v := range [][2]string{{"pear", "fig"}, {"pear", "plum"}, {"fig", "plum"}, {"plum", "fig"}} {
		check(b.Say("", v[0], v[1], palate.Left))
	}
	votes, err := b.Build()
	check(err)
	m, err := model.FitSingle(context.Background(), votes, nil)
	check(err)

	var file bytes.Buffer
	check(m.Save(context.Background(), &file))
	again, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	fmt.Printf("%s model: pear beats plum with %.0f%%, before and after: %v\n", again.Name(), 100*again.Prefer(-1, 0, 2), again.Prefer(-1, 0, 2) == m.Prefer(-1, 0, 2))
	// Output:
	// single model: pear beats plum with 55%, before and after: true
}

// A new item's predicted place: items have features, and the model says where
// an item belongs that nobody has voted on.
func ExampleSingle_Extend() {
	// Ten teas, steeped for one to ten minutes; the nearer to four, the better.
	b := palate.NewBuilder()
	minutes := &palate.Features{Names: []string{"minutes"}, Rows: 10, Cols: 1}
	for i := range 10 {
		b.Item(fmt.Sprintf("%d min", i+1))
		minutes.Data = append(minutes.Data, float64(i+1))
	}
	b.SetItemFeatures(minutes)
	for left := range 10 {
		for right := range left {
			v := palate.Vote{User: -1, Left: left, Right: right, Outcome: palate.Left, Weight: 1}
			if math.Abs(float64(left-3)) > math.Abs(float64(right-3)) {
				v.Outcome = palate.Right
			}
			check(b.Add(v))
		}
	}
	votes, err := b.Build()
	check(err)
	single, err := model.FitSingle(context.Background(), votes, nil)
	check(err)

	m, err := single.Extend([]string{"4½ min", "15 min"}, mat.NewDense(2, 1, []float64{4.5, 15}))
	check(err)
	board, err := model.NewBoard(context.Background(), m, -1, nil)
	check(err)
	for _, r := range board.Groups[0].Rows {
		if r.Votes == 0 {
			fmt.Printf("%s: place %d of 12, likely %d to %d\n", r.ID, r.Rank, r.RankLo, r.RankHi)
		}
	}
	fmt.Printf("4½ minutes beat 6 with %.0f%%\n", 100*m.Prefer(-1, 10, 5))
	// Output:
	// 4½ min: place 2 of 12, likely 1 to 3
	// 15 min: place 9 of 12, likely 1 to 12
	// 4½ minutes beat 6 with 94%
}

// Duels between vectors that need not recur, and predictions anywhere.
func ExampleFitDuels() {
	// In each duel the vector nearer to (0.3, 0.7) won.
	good := func(x, y float64) float64 { return -math.Hypot(x-0.3, y-0.7) }
	var win, lose []float64
	for i := range 60 {
		a := []float64{math.Mod(0.61*float64(i), 1), math.Mod(0.37*float64(i), 1)}
		b := []float64{math.Mod(0.83*float64(i), 1), math.Mod(0.29*float64(i)+0.5, 1)}
		if good(a[0], a[1]) < good(b[0], b[1]) {
			a, b = b, a
		}
		win, lose = append(win, a...), append(lose, b...)
	}
	d, err := model.FitDuels(context.Background(), mat.NewDense(60, 2, win), mat.NewDense(60, 2, lose), &model.DuelOptions{Noise: 0.2})
	check(err)

	near, far := []float64{0.35, 0.65}, []float64{0.5, 0.5}
	fmt.Printf("a duel: %.3f, the utility itself: %.3f\n", d.Beats(near, far), d.Better(near, far))
	mean, cov := d.Predict(mat.NewDense(2, 2, append(near, far...)))
	fmt.Printf("%.1f ± %.1f against %.1f ± %.1f\n", mean[0], math.Sqrt(cov.At(0, 0)), mean[1], math.Sqrt(cov.At(1, 1)))
	// Output:
	// a duel: 0.904, the utility itself: 0.927
	// 3.1 ± 1.1 against 2.3 ± 1.0
}
