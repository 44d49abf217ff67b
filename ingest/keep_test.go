package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestKeep(t *testing.T) {
	want := []string{"en", "de", "", "en"}
	for name, text := range map[string]string{
		"votes.csv":   "left,right,winner,language\na,b,left,en\nb,c,right,de\nc,a,tie,\na,c,left,en\n",
		"votes.jsonl": `{"left":"a","right":"b","winner":"left","language":"en"}` + "\n" + `{"left":"b","right":"c","winner":"c","language":"de"}` + "\n" + `{"left":"a","right":"c","winner":"a"}` + "\n" + `{"left":"a","right":"c","winner":"a","language":"en"}`,
	} {
		for _, block := range []int{0, 40} {
			_, r, err := readAs(name, text, Options{Keep: []string{"Language"}, block: block})
			if err != nil || len(r.Kept) != 1 || !slices.Equal(r.Kept[0], want) {
				t.Errorf("%s in blocks of %d: %q, %v", name, block, r.Kept, err)
			}
		}
	}
	// All votes of a ranking keep what its row says.
	_, r, err := readAs("votes.csv", "ranking,city\na > b > c,Oslo\n", Options{Keep: []string{"city"}})
	if err != nil || fmt.Sprint(r.Kept) != "[[Oslo Oslo Oslo]]" {
		t.Errorf("ranking: %q, %v", r.Kept, err)
	}
	if _, _, err := read("left,right,winner\na,b,left\n", Options{Keep: []string{"city"}}); err == nil || !strings.Contains(err.Error(), "no column city; there are left, right, winner") {
		t.Errorf("%v", err)
	}
	if _, _, err := read("user,item,rating,city\nu,a,1,Oslo\nu,b,2,Oslo\n", Options{Keep: []string{"city"}}); err == nil || !strings.Contains(err.Error(), "ratings have no column city") {
		t.Errorf("%v", err)
	}
}
