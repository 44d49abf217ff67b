package store

import (
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	s := NewSet(Ranking, []int{3, 70, 1}, []int{1, 0, 2})
	if s != "ranking 3:1 70:0 1:2" || s.Asked() != "ranking 3 70 1" || Set("").Asked() != "" {
		t.Errorf("%q, asked as %q", s, s.Asked())
	}
	way, items, places := s.Parts()
	if way != Ranking || !slices.Equal(items, []int{3, 70, 1}) || !slices.Equal(places, []int{1, 0, 2}) {
		t.Errorf("parts %s %v %v", way, items, places)
	}
	if _, _, none := s.Asked().Parts(); none != nil {
		t.Errorf("places before there is an answer: %v", none)
	}
	other := Vote{Left: 1, Right: 3, Set: NewSet(Choice, []int{70, 1, 3}, []int{0, 1, 1})}
	if got := (Question{Left: 3, Right: 70, Set: s}).Topic(); got != other.Topic() || got == (Vote{Left: 3, Right: 70}).Topic() {
		t.Errorf("topic %+v", got)
	}
	if (Vote{Left: 3, Right: 7}).Topic() != (Question{Left: 7, Right: 3}).Topic() {
		t.Error("sides are part of what a pair is about")
	}
}
