package compare_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"palate"
	"palate/compare"
	"palate/ingest"
	"palate/model"
)

// From a file of votes to a decision.
func Example() {
	ctx, path := context.Background(), "../cmd/palate/demo.csv"
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	b := palate.NewBuilder()
	_, err = ingest.Votes(ctx, file.Name(), file, b, ingest.Options{})
	check(err)
	votes, err := b.Build()
	check(err)
	m, err := model.FitSingle(ctx, votes, nil)
	check(err)
	board, err := model.NewBoard(ctx, m, -1, nil)
	check(err)
	first, second := board.Groups[0].Rows[0], board.Groups[0].Rows[1]
	pairs, err := compare.Items(ctx, m, -1, [][2]int{{first.Item, second.Item}}, nil)
	check(err)
	if pairs[0].Better > 0.95 {
		fmt.Printf("take %s\n", first.ID)
	} else {
		fmt.Printf("%s or %s: ask on, one is ahead with %.0f%%\n", first.ID, second.ID, 100*pairs[0].Better)
	}
	// Output: Old Cartographer or Crème de Lune: ask on, one is ahead with 54%
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleItems() {
	b := palate.NewBuilder()
	for _, v := range [][2]string{{"assam", "sencha"}, {"assam", "oolong"}, {"sencha", "oolong"}, {"assam", "sencha"}, {"oolong", "sencha"}, {"assam", "oolong"}} {
		if err := b.Say("", v[0], v[1], palate.Left); err != nil {
			log.Fatal(err)
		}
	}
	votes, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.FitSingle(context.Background(), votes, nil)
	if err != nil {
		log.Fatal(err)
	}
	assam, _ := votes.Item("assam")
	oolong, _ := votes.Item("oolong")
	pairs, err := compare.Items(context.Background(), m, -1, [][2]int{{assam, oolong}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	direct := compare.Votes(votes, assam, oolong).Direct
	fmt.Printf("assam is better: %.1f; %v of %v votes\n", pairs[0].Better, direct.Won, direct.Total())
	// Output: assam is better: 0.9; 2 of 2 votes
}
