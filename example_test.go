package palate_test

import (
	"fmt"

	"palate"
)

func Example() {
	b := palate.NewBuilder()
	tea, coffee, water := b.Item("tea"), b.Item("coffee"), b.Item("water")
	ann := b.User("ann")
	for _, v := range []palate.Vote{
		{User: ann, Left: tea, Right: coffee, Outcome: palate.Left, Weight: 1},
		{User: ann, Left: coffee, Right: tea, Outcome: palate.Right, Weight: 1},
		{User: -1, Left: water, Right: tea, Outcome: palate.Tie, Weight: 1},
	} {
		if err := b.Add(v); err != nil {
			fmt.Println(err)
			return
		}
	}
	d, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range d.Tallies(false) {
		verb := "beat"
		if t.Tie {
			verb = "tied with"
		}
		fmt.Printf("%s %s %s %v×\n", d.ItemID(t.A), verb, d.ItemID(t.B), t.Weight)
	}
	// Output:
	// tea beat coffee 2×
	// tea tied with water 1×
}
