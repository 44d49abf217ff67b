package report

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"palate/evaluate"
	"palate/judging"
)

// Verdicts are sentences, also where they begin with a yardstick in words; models keep their names.
func TestVerdictsAreSentences(t *testing.T) {
	for _, language := range []string{"en", "de", "fr", "es"} {
		for _, best := range []string{"coin", "majority"} {
			text := in(language).verdict(evaluate.Finding{Best: best, Worse: []string{"single"}})
			if first, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(first) {
				t.Errorf("%s: %q", language, text)
			}
		}
	}
	if text := in("en").verdict(evaluate.Finding{Best: "bt", Worse: []string{"coin"}}); text[:2] != "bt" {
		t.Errorf("%q", text)
	}
}

// On the scale of anchors items are in the order that they have there.
func TestEquatedItemsAreInOrder(t *testing.T) {
	j := &Judging{Judging: &judging.Judging{Items: []judging.Item{{ID: "a", Item: 0, Score: 2}, {ID: "b", Item: 1, Score: 1}, {ID: "c", Item: 2, Score: 0}}}}
	known := []float64{10, 30, 20}
	j.Equate(&judging.Link{}, func(item int) (float64, float64) { return known[item], 1 })
	var order string
	for _, i := range j.Items {
		order += i.ID
	}
	if order != "bca" {
		t.Errorf("items are in the order %s", order)
	}
}
