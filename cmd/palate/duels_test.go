package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/model"
)

// TestDuelsByCommand fits duels from a file, in both forms and in any order of
// rows, and asks about new ones: the chances are those of model.FitDuels on the
// vectors themselves.
func TestDuelsByCommand(t *testing.T) {
	const duels, asked = 60, 20
	rng := rand.New(rand.NewPCG(7, 1))
	vector := func() []float64 { return []float64{100 * rng.NormFloat64(), 0.01 * rng.NormFloat64(), 5} }
	side := func(x []float64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ","), "[]") }
	winner, loser := mat.NewDense(duels, 3, nil), mat.NewDense(duels, 3, nil)
	var rows []string
	for i := range duels {
		a, b := vector(), vector()
		if 0.02*(a[0]-b[0])+math.Sin(100*a[1])-math.Sin(100*b[1])+0.5*rng.NormFloat64() < 0 {
			a, b = b, a
		}
		winner.SetRow(i, a)
		loser.SetRow(i, b)
		if rng.IntN(2) == 0 {
			rows = append(rows, side(a)+","+side(b)+",left\n")
		} else {
			rows = append(rows, side(b)+","+side(a)+",right\n")
		}
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const header = "left_x,left_y,left_z,right_x,right_y,right_z"
	file := write("duels.csv", header+",winner\n"+strings.Join(rows, ""))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	shuffled := write("shuffled.csv", header+",winner\n"+strings.Join(rows, ""))
	var questions [][2][]float64
	text := header + "\n"
	for range asked {
		q := [2][]float64{vector(), vector()}
		questions = append(questions, q)
		text += side(q[0]) + "," + side(q[1]) + "\n"
	}
	pairs := write("pairs.csv", text)

	d, err := model.FitDuels(context.Background(), winner, loser, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{file}, {file, "--duels", "truncated"}, {shuffled}} {
		fitted, chances := filepath.Join(dir, "m.palate"), filepath.Join(dir, "chances.csv")
		for _, command := range [][]string{
			append([]string{"fit", "--model", "duels", "-q", "-o", fitted}, args...),
			{"predict", fitted, "--pairs", pairs, "-o", chances},
		} {
			if code := run(command); code != 0 {
				t.Fatalf("%v: exit code %d", command, code)
			}
		}
		out, err := os.ReadFile(chances)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))[1:]
		for k, q := range questions {
			var got float64
			if _, err := fmt.Sscan(string(lines[k][bytes.LastIndexByte(lines[k], ',')+1:]), &got); err != nil {
				t.Fatal(err)
			}
			if want := d.Beats(q[0], q[1]); math.Abs(got-want) > 2e-4 {
				t.Errorf("%v: duel %d has %v, want %v", args[1:], k, got, want)
			}
		}
	}
}
