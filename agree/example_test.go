package agree_test

import (
	"context"
	"fmt"
	"log"

	"palate"
	"palate/agree"
)

func Example() {
	b := palate.NewBuilder()
	say := func(who, left, right string, o palate.Outcome) {
		if err := b.Say(who, left, right, o); err != nil {
			log.Fatal(err)
		}
	}
	teas := []string{"Assam", "Ceylon", "Darjeeling", "Sencha", "Tuo Cha"}
	for i, better := range teas {
		for _, worse := range teas[i+1:] {
			for _, who := range []string{"ann", "bob", "cy"} {
				say(who, better, worse, palate.Left)
				say(who, worse, better, palate.Right)
			}
			say("hasty", better, worse, palate.Left) // whatever is on the left
			say("hasty", worse, better, palate.Left)
		}
	}
	votes, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	a, err := agree.Analyse(context.Background(), votes, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range a.Voters {
		fmt.Printf("%s: %.0f%% as the others", v.ID, 100*v.Agrees.Value)
		if v.Spammer {
			fmt.Print("; ", v.Remark)
		}
		fmt.Println()
	}
	// Output:
	// ann: 100% as the others
	// bob: 100% as the others
	// cy: 100% as the others
	// hasty: 50% as the others; picks the left one of two equal items 89% of the time
}
