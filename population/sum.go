package population

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Sum adds up the statistics of numbered shards, to the same bits in whatever order and
// grouping they come: two are added only where they are the halves of an even stretch of
// shards, 0 and 1, 2 and 3, then 0…1 and 2…3, and so on. The zero value is a sum of none.
// It holds what has no other half yet, which is little where shards come roughly in order.
type Sum struct{ stretches []stretch }

// stretch is the statistics of count shards, a power of two, from first on, a multiple of it.
type stretch struct {
	first, count int
	told         *Statistics
}

// Add takes the statistics of a shard in, which are the sum's from then on.
func (s *Sum) Add(shard int, told *Statistics) error { return s.take(stretch{shard, 1, told}) }

// Merge takes another sum in, which is not to be used afterwards.
func (s *Sum) Merge(o *Sum) error {
	for _, x := range o.stretches {
		if err := s.take(x); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sum) take(x stretch) error {
	for {
		at, _ := slices.BinarySearchFunc(s.stretches, x.first, func(y stretch, first int) int { return y.first - first })
		if at > 0 && s.stretches[at-1].first+s.stretches[at-1].count > x.first ||
			at < len(s.stretches) && s.stretches[at].first < x.first+x.count {
			return fmt.Errorf("population: shards %d to %d are there twice", x.first, x.first+x.count-1)
		}
		half := at // where the other half would be
		if x.first/x.count%2 == 1 {
			half--
		}
		if half < 0 || half >= len(s.stretches) || s.stretches[half].first != x.first^x.count || s.stretches[half].count != x.count {
			s.stretches = slices.Insert(s.stretches, at, x)
			return nil
		}
		left, right := s.stretches[half], x
		if left.first > right.first {
			left, right = right, left
		}
		if err := left.told.Add(right.told); err != nil {
			return err
		}
		s.stretches = slices.Delete(s.stretches, half, half+1)
		x = stretch{left.first, 2 * x.count, left.told}
	}
}

// Held is how many statistics the sum holds, those that are added up counted once.
func (s *Sum) Held() int { return len(s.stretches) }

// Total returns the statistics of all shards, of which there are so many; the sum is not
// to be used afterwards. Shards that are missing are an error.
func (s *Sum) Total(shards int) (*Statistics, error) {
	next := 0
	var total *Statistics
	for _, x := range s.stretches {
		if x.first != next {
			break
		}
		if next += x.count; total == nil {
			total = x.told
		} else if err := total.Add(x.told); err != nil {
			return nil, err
		}
	}
	if next != shards || total == nil {
		return nil, fmt.Errorf("population: of %d shards %d has told nothing", shards, next)
	}
	return total, nil
}

// MarshalBinary writes the sum: of every stretch where it is, how many bytes follow, and
// these.
func (s *Sum) MarshalBinary() ([]byte, error) {
	var out []byte
	for _, x := range s.stretches {
		b, err := x.told.MarshalBinary()
		if err != nil {
			return nil, err
		}
		for _, n := range []int{x.first, x.count, len(b)} {
			out = binary.LittleEndian.AppendUint64(out, uint64(n))
		}
		out = append(out, b...)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sum) UnmarshalBinary(b []byte) error {
	s.stretches = nil
	for len(b) > 0 {
		var n [3]uint64
		if len(b) < 8*len(n) {
			return fmt.Errorf("population: %d bytes at the end of a sum", len(b))
		}
		for k := range n {
			n[k] = binary.LittleEndian.Uint64(b[8*k:])
		}
		b = b[8*len(n):]
		first, count, size := n[0], n[1], n[2]
		if size > uint64(len(b)) || count == 0 || count&(count-1) != 0 || first%count != 0 || first > math.MaxInt32 || count > math.MaxInt32 {
			return fmt.Errorf("population: a sum with %d bytes for %d shards from %d on", size, count, first)
		}
		told := &Statistics{}
		if err := told.UnmarshalBinary(b[:size]); err != nil {
			return err
		}
		if err := s.take(stretch{int(first), int(count), told}); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}
