package ingest_test

import (
	"context"
	"fmt"
	"strings"

	"palate"
	"palate/feature"
	"palate/ingest"
)

func Example() {
	votes := "voter,left,right,winner,seconds\nann,tea,coffee,tea,4\nbob,coffee,tea,tie,9\n"
	items := "id,caffeine,hot\ntea,30,yes\ncoffee,90,yes\nwater,0,no\n"

	b := palate.NewBuilder()
	report, err := ingest.Votes(context.Background(), "votes.csv", strings.NewReader(votes), b, ingest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	encoder, err := feature.Items(context.Background(), "items.csv", strings.NewReader(items), b, feature.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Good(), "votes, not used:", report.Extra)
	fmt.Println(d.NumItems(), "items with", encoder.Names())
	// Output:
	// 2 votes, not used: [seconds]
	// 3 items with [caffeine hot]
}

func ExampleError() {
	_, err := ingest.Votes(context.Background(), "votes.csv", strings.NewReader("left,right,winner\na,b,c\n"), palate.NewBuilder(), ingest.Options{})
	fmt.Println(err)
	// Output:
	// votes.csv:2: column winner: "c" is neither "a" nor "b" (nor one of: left, right, tie, skip)
}
