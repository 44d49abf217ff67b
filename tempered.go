package palate

import "iter"

// Tempered returns the dataset in which votes of one answer weigh no more than the answer tells. All pairs of a
// ranking of k items are k(k−1)/2 votes, but k−1 of them tell the whole of it, so that each weighs 2/k; in
// general the votes of a group that names k items weigh k−1 together, and votes of a group that are fewer keep
// their weight, as do votes on their own. Skips are not counted.
func (d *Dataset) Tempered() *Dataset {
	c := &d.votes
	if c.group == nil {
		return d
	}
	told := toldShare(d.Votes())
	s := *d
	s.votes.weight = make([]float64, c.len())
	for k, v := range d.Votes() {
		s.votes.weight[k] = v.Weight * told[v.Group]
	}
	s.votes.weight = unless(1, s.votes.weight)
	return &s
}

// Redundancy returns how much votes weigh over what they would when tempered: 1 where no answer has more votes than
// it tells. Answers beside them weigh what they tell. Skips are not counted.
func Redundancy(votes iter.Seq2[int, Vote], answers ...Answer) float64 {
	cast, told := Told(votes, answers...)
	if cast == 0 {
		return 1
	}
	return cast / told
}

// Told returns how much votes weigh, and how much they would when tempered, see Redundancy.
func Told(votes iter.Seq2[int, Vote], answers ...Answer) (cast, told float64) {
	for _, a := range answers {
		cast += a.Weight * float64(a.Items()-1)
	}
	told = cast
	share := toldShare(votes)
	for _, v := range votes {
		if v.Outcome != Skip {
			cast += v.Weight
			told += v.Weight * share[v.Group]
		}
	}
	return cast, told
}

// toldShare returns, for each group of votes that are more than their items less one, the one over the other, and 1 for
// all others.
func toldShare(votes iter.Seq2[int, Vote]) []float64 {
	count := []int{0}
	items := []map[int]bool{nil}
	for _, v := range votes {
		for len(count) <= v.Group {
			count, items = append(count, 0), append(items, nil)
		}
		if v.Group == 0 || v.Outcome == Skip {
			continue
		}
		if items[v.Group] == nil {
			items[v.Group] = map[int]bool{}
		}
		count[v.Group]++
		items[v.Group][v.Left], items[v.Group][v.Right] = true, true
	}
	told := make([]float64, len(count))
	for g, n := range count {
		told[g] = 1
		if n > len(items[g])-1 && g > 0 {
			told[g] = float64(len(items[g])-1) / float64(n)
		}
	}
	return told
}
