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
	const mixed = "user,item,rating\nann,a,5\nann,b,2\nann,c,3\nbob,a,80\nbob,b,45\nbob,c,3\ncat,a,4\ncat,b,4\ncat,c,1\ndan,a,100\ndan,b,60\n"
	if _, _, err := read(mixed, Options{Rated: true}); err == nil || !strings.Contains(err.Error(), `ratings.csv:5: column rating: 80 by "bob": ratings of some people go as far as 100, those of most as far as 5: these may be two scales`) {
		t.Errorf("two scales: %v", err)
	}
	if d, r, err = read(mixed, Options{Rated: true, SkipBad: true}); err != nil || d.NumVotes() != 6 || r.Bad != 5 || *r.Ratings != (Scale{1, 5}) {
		t.Errorf("two scales: %v: %d ratings, %d bad, from %v", err, d.NumVotes(), r.Bad, r.Ratings)
	}
	for _, one := range []struct {
		text string
		o    Options
	}{
		{mixed, Options{}}, // compared within people
		{mixed, Options{Rated: true, Scale: &Scale{0, 100}}},
		{"user,item,rating\nann,a,10\nann,b,20\nbob,a,100\nbob,b,80\ncat,a,90\ncat,b,5\n", Options{Rated: true}},                               // one person alone is no scale
		{"user,item,rating\nann,a,0\nann,b,0\nann,c,0\nbob,a,0\nbob,b,0\ncat,a,1\ncat,b,0\ncat,c,1\ndan,a,1\ndan,b,1\n", Options{Rated: true}}, // of two values
	} {
		if _, r, err := read(one.text, one.o); err != nil || r.Bad > 0 {
			t.Errorf("one scale: %v, %d bad\n%s", err, r.Bad, one.text)
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
