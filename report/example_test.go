package report_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"log"
	"os"

	"palate/model"
	"palate/report"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	votes, _, err := model.Simulate(context.Background(), model.SimulateOptions{Items: 3, Votes: 40, Seed: 2})
	check(err)
	m, err := model.FitSingle(context.Background(), votes, nil)
	check(err)

	board, err := model.NewBoard(context.Background(), m, -1, nil)
	check(err)
	check(report.Table(os.Stdout, board, report.Options{}))
	var picture bytes.Buffer
	check(report.Leaderboard(board, report.Options{}).Write(&picture, report.File{Format: "png"}))

	matrix, err := report.Matrix(context.Background(), m, -1, board, report.Options{})
	check(err)
	element := matrix.SVG(600)

	size, err := png.DecodeConfig(&picture)
	check(err)
	// A picture for sharp screens, and an element for a page:
	fmt.Printf("%d dots wide; %.11s\n", size.Width, element)
	// Output:
	// tier  rank  item   score    sd   95% interval  ranks  best  votes
	// ─────────────────────────────────────────────────────────────────
	//    1     1  item2   0.40  0.19   0.05 …  0.79    1–3   76%     26
	//          2  item3  -0.01  0.18  -0.36 …  0.33    1–3   15%     22
	//          3  item1  -0.40  0.17  -0.73 … -0.09    1–3    8%     32
	//
	// With a probability of 24% these votes tell no more than coins. Ranks, tiers and chances weigh that in; scores and their intervals are those that items have if they differ.
	// 1800 dots wide; <svg class=
}
