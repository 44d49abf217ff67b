package model

import (
	"archive/zip"
	"bytes"
	"math"
	"slices"
	"testing"
)

// What is exported is the board's own: score and sd of a board of the same seed, which the
// draws give; and of every voter the scores that Top tells.
func TestExport(t *testing.T) {
	d, _ := voters{items: 6, users: 4, votes: 60}.draw(t, 1)
	m := populationOf(t, d, nil)
	n := m.NumItems()
	for _, user := range []int{-1, 2} {
		var b bytes.Buffer
		if err := Export(t.Context(), &b, m, user, &ExportOptions{Draws: 700, Seed: 5, Tastes: true}); err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		a := &arrayReader{z: z}
		score, sd, weight := a.vector("score"), a.vector("sd"), a.vector("weight")
		draws, tastes := a.matrix("draws"), a.matrix("tastes")
		if a.err != nil {
			t.Fatal(a.err)
		}
		board, err := NewBoard(t.Context(), m, user, &BoardOptions{Draws: 700, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range board.Groups[0].Rows {
			if i := row.Item; math.Abs(row.Score-score[i]) > 1e-9 || math.Abs(row.SD-sd[i]) > 1e-9 {
				t.Errorf("user %d, item %d: exported %g ± %g, on the board %g ± %g", user, i, score[i], sd[i], row.Score, row.SD)
			}
		}
		if r, c := draws.Dims(); r != len(weight) || c != n {
			t.Fatalf("%d × %d draws of %d items", r, c, n)
		}
		for u := range m.NumUsers() {
			top, err := Top(t.Context(), m, u, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range top {
				if got := tastes.At(u, x.Item); got != x.Score {
					t.Errorf("user %d, item %d: %g and %g", u, x.Item, got, x.Score)
				}
			}
		}
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		if want := []string{"items.npy", "votes.npy", "group.npy", "score.npy", "sd.npy", "draws.npy", "weight.npy", "users.npy", "tastes.npy"}; !slices.Equal(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
	}
}
