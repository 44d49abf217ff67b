package compare_test

import (
	"context"
	"fmt"
	"log"

	"palate"
	"palate/compare"
	"palate/model"
)

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
