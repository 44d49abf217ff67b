package server

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"palate/store"
)

// TestTrust states passes and failures.
func TestTrust(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(4)}).Board.ID
	find := func(name string) Check {
		checks, err := s.Trust(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Says == "" {
				t.Errorf("%s says nothing", c.Name)
			}
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no check %s", name)
		return Check{}
	}
	if find("connected").OK || find("enough").OK || find("voters").OK || !find("sides").OK || !find("skips").OK {
		t.Error("a board without votes passes")
	}
	for k := range 6 {
		v := voterNamed(t, s, b, fmt.Sprint(k))
		for left := range 4 {
			for right := range 4 {
				if left < right {
					a := Answer{Left: fmt.Sprintf("i%d", left), Right: fmt.Sprintf("i%d", right), Key: fmt.Sprint(left, right)}
					if _, err := s.Tell(t.Context(), b, v, a); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if !find("connected").OK || !find("enough").OK || !find("voters").OK || find("sides").OK || find("never-won").OK {
		t.Error("a board where left always wins: wrong checks")
	}
	rows, err := s.Voters(t.Context(), b)
	if err != nil || len(rows) != 6 || rows[0].Left != 1 || rows[0].Votes != 6 || rows[0].Agreement < 0.5 {
		t.Errorf("voters %+v, %v", rows, err)
	}
	if err := s.ExcludeVoter(t.Context(), b, "owner", rows[0].ID, "always left"); err != nil {
		t.Fatal(err)
	}
	l := settle(t, s, b)
	if got := l.fit.Fit().Votes; got != 30 {
		t.Errorf("%g votes count after one of six voters is out", got)
	}
	log, err := s.Audit(t.Context(), b)
	if err != nil || len(log) != 2 || log[1].Verb != excludeVoter || log[1].Reason != "always left" {
		t.Errorf("audit %+v, %v", log, err)
	}
}

// TestReadTexts: of a table of texts voters see the texts, and not the features
// that the model reads.
func TestReadTexts(t *testing.T) {
	items, err := ReadItems(t.Context(), "texts.csv", strings.NewReader("id,text:says,source\na,\"Good, since it is safe.\",blog\nb,no,blog\nc,It has worked for years.,news\n"))
	if err != nil || items[0].Body != "Good, since it is safe." || items[0].ID != "a" || len(items[0].Features) < 10 {
		t.Fatalf("%+v, %v", items, err)
	}
	if items, err := ReadItems(t.Context(), "texts.csv", strings.NewReader("id,title,text:says\na,First,It is good.\nb,Second,no\n")); err != nil || items[1].Body != "Second" || len(items[0].Features) < 10 {
		t.Errorf("with a title: %+v, %v", items, err)
	}
}

// TestFeatures: a table with features makes a board whose items learn from each
// other; items may be added.
func TestFeatures(t *testing.T) {
	s, _ := start(t, Options{})
	items, err := ReadItems(t.Context(), "items.csv", strings.NewReader("id,body,size,kind\na,A,1,text\nb,B,2,text\nc,C,3,markdown\nd,D,4,text\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := makeBoard(t, s, NewBoard{Items: items}).Board
	if len(b.Features) != 1 {
		t.Fatalf("features %v", b.Features)
	}
	v := voterNamed(t, s, b.ID, "ann")
	for k, pair := range [][2]string{{"b", "a"}, {"d", "c"}, {"c", "a"}} {
		if _, err := s.Tell(t.Context(), b.ID, v, Answer{Left: pair[0], Right: pair[1], Key: fmt.Sprint(k)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddItems(t.Context(), b.ID, "owner", []NewItem{{ID: "e", Features: map[string]float64{b.Features[0]: 3}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddItems(t.Context(), b.ID, "owner", []NewItem{{ID: "f"}}); err == nil {
		t.Error("an item without features was added")
	}
	for _, x := range []float64{1e60, -1e308, math.Inf(1), math.NaN()} { // of which no covariance is to be had
		if _, err := s.AddItems(t.Context(), b.ID, "owner", []NewItem{{ID: "g", Features: map[string]float64{b.Features[0]: x}}}); !errors.Is(err, ErrInvalid) {
			t.Errorf("an item with the feature %g: %v", x, err)
		}
	}
	settle(t, s, b.ID)
	p, err := s.Predict(t.Context(), b.ID, View{}, "e", "a")
	if err != nil || p < 0.6 {
		t.Errorf("a new item like the good ones beats the worst with %g, %v", p, err)
	}
	board, err := s.Leaderboard(t.Context(), b.ID, View{})
	if err != nil || len(board.Groups[0].Rows) != 5 || !board.Provisional[4] {
		t.Errorf("leaderboard %+v, %v", board, err)
	}
}

// TestFeaturesHaveAnEnd: a small table of words may come to many features, and items of many may
// be added: both are refused before room is made for them.
func TestFeaturesHaveAnEnd(t *testing.T) {
	const columns, words = 50, 90
	var table strings.Builder
	table.WriteString("id")
	for j := range columns {
		fmt.Fprintf(&table, ",c%d", j)
	}
	for k := range 9000 {
		fmt.Fprintf(&table, "\n%d", k)
		for range columns {
			fmt.Fprintf(&table, ",w%d", k%words)
		}
	}
	if _, err := ReadItems(t.Context(), "items.csv", strings.NewReader(table.String())); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "4500 features of 9000 rows") {
		t.Errorf("%d columns of %d words: %v", columns, words, err)
	}
	s, _ := start(t, Options{})
	many := map[string]float64{}
	for k := range MaxFeatures/2 + 1 {
		many[fmt.Sprint(k)] = 1
	}
	if _, err := s.Create(t.Context(), NewBoard{Items: []NewItem{{ID: "a", Features: many}, {ID: "b", Features: many}}}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "in all") {
		t.Errorf("%d features: %v", len(many), err)
	}
}

// TestGroups: voters of a group have a board of their own.
func TestGroups(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(3), Access: store.Private}).Board.ID
	for g, names := range map[string][]string{"staff": {"Ann", "Bob"}, "guests": {"Cem", "Dia", "Eve", "Fay", "Gil"}} {
		made, err := s.Invite(t.Context(), b, "owner", g, names)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range made {
			a := Answer{Left: "i0", Right: "i1", Key: "1"}
			if g == "guests" {
				a.Left, a.Right = a.Right, a.Left
			}
			if _, err := s.Tell(t.Context(), b, i.Voter.ID, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	owner, voter := Identity{Board: b, Owner: true}, Identity{Board: b, Voter: "somebody"}
	groups, err := s.Groups(t.Context(), owner)
	if err != nil || fmt.Sprint(groups) != "[guests staff]" {
		t.Errorf("groups %v, %v", groups, err)
	}
	for g, want := range map[string]struct {
		first string
		votes int
	}{"staff": {"i0", 2}, "guests": {"i1", 5}} {
		view, err := s.ViewFor(t.Context(), owner, "", g)
		if err != nil {
			t.Fatal(err)
		}
		board, err := s.Leaderboard(t.Context(), b, view)
		if err != nil || board.Groups[0].Rows[0].ID != want.first || board.Votes != want.votes {
			t.Errorf("%s: %+v, %v", g, board, err)
		}
	}
	// What two people prefer is not for others to see.
	if groups, err := s.Groups(t.Context(), voter); err != nil || fmt.Sprint(groups) != "[guests]" {
		t.Errorf("a voter sees groups %v, %v", groups, err)
	}
	if _, err := s.ViewFor(t.Context(), voter, "", "staff"); !errors.Is(err, ErrForbidden) {
		t.Errorf("a voter sees a group of two: %v", err)
	}
	if _, err := s.ViewFor(t.Context(), voter, "", "guests"); err != nil {
		t.Errorf("a group of five: %v", err)
	}
}
