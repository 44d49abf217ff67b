package active

import "testing"

func TestAllocate(t *testing.T) {
	var pairs []Pair
	for i := range 8 {
		for j := range i {
			pairs = append(pairs, Pair{Left: i, Right: j})
		}
	}
	answered := []Pairs{{}, {}, {}, {}}
	for j := range 3 { // all but the last have answered the first pair
		answered[j].Add(1, 0)
	}
	loads, items := make([]int, 4), make([]map[int]int, 4)
	for j := range items {
		items[j] = map[int]int{}
	}
	for k, j := range Allocate(pairs, answered) {
		if k == 0 && j != 3 {
			t.Errorf("the first pair goes to %d", j)
		}
		loads[j]++
		items[j][pairs[k].Left]++
		items[j][pairs[k].Right]++
	}
	for j := range loads {
		if loads[j] != 7 {
			t.Errorf("judge %d has %d of 28 pairs", j, loads[j])
		}
		for i, n := range items[j] {
			if n > 4 {
				t.Errorf("judge %d meets item %d in %d of 7 pairs", j, i, n)
			}
		}
	}
	answered[3].Add(1, 0)
	if got := Allocate(pairs[:1], answered); got[0] != -1 {
		t.Errorf("a pair that all have answered goes to %d", got[0])
	}
}
