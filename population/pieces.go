package population

// Pieces hands on what the sum holds, cut into pieces of at most size numbers each, besides a few in the first. Each
// is a sum of its own, of statistics of some shards from first on: those of one number add up on whatever
// machine, and Joined are what the whole would add up to, to the same bits. They share their numbers with the sum.
func (s *Sum) Pieces(size int, take func(first, piece int, s *Sum) error) error {
	for _, x := range s.stretches {
		for n, told := range x.told.pieces(size) {
			if err := take(x.first, n, &Sum{[]stretch{{x.first, x.count, told}}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pieces are statistics themselves.
func (s *Statistics) pieces(size int) []*Statistics {
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

// Joined puts the totals of all pieces together again, in their order.
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
