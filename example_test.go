package palate_test

import (
	"errors"
	"fmt"

	"palate"
)

func Example() {
	b := palate.NewBuilder()
	err := errors.Join(
		b.Say("ann", "tea", "coffee", palate.Left),
		b.Say("ann", "coffee", "tea", palate.Right),
		b.Say("", "water", "tea", palate.Tie),
		// A vote in full, which counts double.
		b.Add(palate.Vote{User: b.User("bob"), Left: b.Item("tea"), Right: b.Item("water"), Outcome: palate.Left, Weight: 2}),
	)
	if err != nil {
		fmt.Println(err)
		return
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
	// tea beat water 2×
	// tea tied with water 1×
}
