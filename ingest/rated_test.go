package ingest

import (
	"strings"
	"testing"

	"palate"
)

func TestRatingsStayWhatTheyAre(t *testing.T) {
	const text = "user,item,rating,weight\nann,a,5,1\nann,b,2,2\nbob,a,3.5,1\nbob,b,3.5,1\n"
	read := func(text string, o Options) (*palate.Dataset, Report, error) {
		t.Helper()
		b := palate.NewBuilder()
		r, err := Votes(t.Context(), "ratings.csv", strings.NewReader(text), b, o)
		if err != nil {
			return nil, r, err
		}
		d, err := b.Build()
		return d, r, err
	}
	d, r, err := read(text, Options{Rated: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.NumVotes() != 4 || *r.Ratings != (Scale{2, 5}) || d.Vote(1) != (palate.Vote{User: 0, Left: 1, Right: 1, Outcome: palate.Rated, Rating: 2, Weight: 2, Unsided: true}) {
		t.Errorf("%d ratings from %v, the second is %+v", d.NumVotes(), r.Ratings, d.Vote(1))
	}
	for _, c := range []struct {
		lower bool
		want  palate.Outcome
	}{{false, palate.Left}, {true, palate.Right}} {
		if d, _, err = read(text, Options{LowerBetter: c.lower}); err != nil {
			t.Fatal(err)
		}
		if v := d.Vote(0); d.NumVotes() != 1 || v.Left == 0 && v.Outcome != c.want || v.Left == 1 && v.Outcome != c.want.Swap() {
			t.Errorf("lower is better %v: %d votes, the first %+v", c.lower, d.NumVotes(), v)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"user,item,rating\nann,a,5\nann,b,6\n", "ratings.csv:3: column rating: \"6\" is not on the scale from 1 to 5"},
		{"user,item,rating\nann,a,good\n", "is not a number"},
		{"user,item,rating\nann,a,5\nann,a,4\n", "rated \"a\" on line 2 already"},
	} {
		if _, _, err := read(c.text, Options{Rated: true, Scale: &Scale{1, 5}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	d, r, err = read("user,item,rating\nann,a,5\nann,b,6\nann,c,1\n", Options{Rated: true, Scale: &Scale{1, 5}, SkipBad: true})
	if err != nil || d.NumVotes() != 2 || r.Bad != 1 {
		t.Errorf("%v: %d ratings, %d bad", err, d.NumVotes(), r.Bad)
	}
	if d, _, err = read("user,item,rank\nann,a,1\nann,b,2\n", Options{Rated: true}); err != nil || d.HasRatings() || d.NumVotes() != 1 {
		t.Errorf("places are no ratings: %v", err)
	}
}
