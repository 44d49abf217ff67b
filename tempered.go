package palate

// Tempered returns the dataset in which votes of one answer weigh no more than the answer tells. All pairs of a
// ranking of k items are k(k−1)/2 votes, but k−1 of them tell the whole of it, so that each weighs 2/k; in
// general the votes of a group that names k items weigh k−1 together, and votes of a group that are fewer keep
// their weight, as do votes on their own. Skips are not counted.
func (d *Dataset) Tempered() *Dataset {
	c := &d.votes
	if c.group == nil {
		return d
	}
	votes := make([]int, d.groups+1)
	items := make([]map[int32]bool, d.groups+1)
	for k := range c.len() {
		if g := c.group[k]; g > 0 && c.outcome[k] != Skip {
			if items[g] == nil {
				items[g] = map[int32]bool{}
			}
			votes[g]++
			items[g][c.left[k]], items[g][c.right[k]] = true, true
		}
	}
	s := *d
	s.votes.weight = make([]float64, c.len())
	for k := range c.len() {
		w := 1.0
		if c.weight != nil {
			w = c.weight[k]
		}
		if g := c.group[k]; g > 0 && votes[g] > len(items[g])-1 {
			w *= float64(len(items[g])-1) / float64(votes[g])
		}
		s.votes.weight[k] = w
	}
	s.votes.weight = unless(1, s.votes.weight)
	return &s
}
