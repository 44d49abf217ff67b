package population

// Pieces cuts the statistics into pieces of at most size numbers each, besides a few in the first. They are
// statistics themselves: those of groups, cut alike, add up piece by piece, on whatever machine each piece is, and
// Joined are what the whole would add up to, to the same bits. They share their numbers with the statistics.
func (s *Statistics) Pieces(size int) []*Statistics {
	first := *s
	pieces, room := []*Statistics{&first}, size
	for _, x := range first.lists() {
		*x = nil
	}
	for k, x := range s.lists() {
		for rest := *x; len(rest) > 0; {
			if room == 0 {
				pieces, room = append(pieces, &Statistics{}), size
			}
			n := min(room, len(rest))
			*pieces[len(pieces)-1].lists()[k] = rest[:n:n]
			rest, room = rest[n:], room-n
		}
	}
	return pieces
}

// Joined puts pieces together again, in their order.
func Joined(pieces []*Statistics) *Statistics {
	s := &Statistics{}
	if len(pieces) > 0 {
		*s = *pieces[0]
	}
	for k, x := range s.lists() {
		*x = nil
		for _, p := range pieces {
			*x = append(*x, *p.lists()[k]...)
		}
	}
	return s
}
