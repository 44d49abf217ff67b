package model

import (
	"fmt"
	"testing"

	"palate"
)

// Votes hang together by their units where there are some, whoever the voter is: a board
// by units is that of votes whose voters are these.
func TestUnits(t *testing.T) {
	voters := electorate{items: 5, users: 8, votes: 30, ties: true}.draw(t)
	b := palate.NewBuilder()
	for i := range voters.NumItems() {
		b.Item(voters.ItemID(i))
	}
	var labels []string
	for _, v := range voters.Votes() {
		labels = append(labels, fmt.Sprintf("sitting %d", v.User))
		v.User = -1
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	bare := built(t, b)
	want, got := fit(t, voters, nil), fit(t, bare.WithUnits(labels), nil)
	if got.Dependence().Taste == 0 || want.Dependence().Taste == 0 {
		t.Fatalf("units %v, voters %v", got.Dependence(), want.Dependence())
	}
	if none := fit(t, bare, nil).Dependence(); none != (Dependence{}) {
		t.Errorf("votes without units hang together: %v", none)
	}
	if picked := bare.WithUnits(labels).Select([]int{0, 40, 100}).Units(); len(picked) != 3 || picked[0] == picked[1] || picked[1] == picked[2] {
		t.Errorf("units %v of three votes", picked)
	}
}
