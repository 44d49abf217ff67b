package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"palate"
	"palate/population"
)

// A shard is a file: a head, then the people's votes, the votes held out, and the names of the
// voters, each as bytes of its own.

const shardKind = "palshard"

// shardHead is the head of a shard.
type shardHead struct {
	Format   int                      `json:"format"`
	Shard    int                      `json:"shard"`
	Of       int                      `json:"of"`
	Items    int                      `json:"items"`
	Kinds    []population.Observation `json:"kinds"`
	Counted  bool                     `json:"counted"`
	Sorted   bool                     `json:"sorted"`
	Sections [3]int                   `json:"sections"` // bytes
	Sum      string                   `json:"sum"`      // checksum of the sections
}

// shard is some of the voters.
type shard struct {
	people  *population.People
	heldOut []palate.Tally
	users   []string
	sum     string
}

func shardFile(deal string, k, of int) string {
	return fmt.Sprintf("%s/shard-%05d-of-%05d", deal, k, of)
}

// bytes writes the shard.
func (s *shard) bytes(k, of int) ([]byte, error) {
	p := s.people
	h := shardHead{Format: format, Shard: k, Of: of, Items: p.NumItems(), Kinds: p.Kinds(), Counted: p.Counts() != nil, Sorted: p.KindOf() != nil}
	heldOut, err := pack(s.heldOut)
	if err != nil {
		return nil, err
	}
	users, err := pack(s.users)
	if err != nil {
		return nil, err
	}
	var body []byte
	for n, section := range [3][]byte{peopleBytes(p), heldOut, users} {
		h.Sections[n] = len(section)
		body = append(body, section...)
	}
	h.Sum = sum(body)
	s.sum = h.Sum
	return seal(shardKind, h, body)
}

// peopleBytes is the number of persons, then their users, where their items and pairs end, the items,
// the pairs, and the counts and kinds of these where there are any.
func peopleBytes(p *population.People) []byte {
	le, c := binary.LittleEndian, p.Columns()
	out := le.AppendUint64(nil, uint64(p.Len()))
	for k := range c.Owner.Len {
		out = le.AppendUint32(out, uint32(c.Owner.At(k)))
		out = le.AppendUint32(out, uint32(c.ItemStart.At(k+1)))
		out = le.AppendUint32(out, uint32(c.PairStart.At(k+1)))
	}
	for k := range c.Items.Len {
		out = le.AppendUint32(out, uint32(c.Items.At(k)))
	}
	for k := range c.Pairs.Len {
		out = le.AppendUint16(out, uint16(c.Pairs.At(k)))
	}
	for _, x := range p.Counts() {
		out = le.AppendUint64(out, math.Float64bits(x))
	}
	return append(out, p.KindOf()...)
}

// peopleOf reads what peopleBytes wrote.
func peopleOf(h shardHead, b []byte) (*population.People, error) {
	le := binary.LittleEndian
	short := fmt.Errorf("%d bytes are no people", len(b))
	if len(b) < 8 || le.Uint64(b) > uint64(len(b)/12) {
		return nil, short
	}
	n := int(le.Uint64(b))
	b = b[8:]
	a := population.Arrays{ItemStart: make([]int64, 1, n+1), PairStart: make([]int64, 1, n+1), Kinds: h.Kinds}
	for range n {
		a.Owner = append(a.Owner, int64(int32(le.Uint32(b))))
		a.ItemStart, a.PairStart = append(a.ItemStart, int64(le.Uint32(b[4:]))), append(a.PairStart, int64(le.Uint32(b[8:])))
		b = b[12:]
	}
	items, pairs := int(a.ItemStart[n]), int(a.PairStart[n])
	want := 4*items + 4*pairs
	if h.Counted {
		want += 8 * pairs
	}
	if h.Sorted {
		want += pairs
	}
	if len(b) != want {
		return nil, short
	}
	a.Items, a.Pairs = make([]int64, items), make([]int64, 2*pairs)
	for k := range a.Items {
		a.Items[k] = int64(le.Uint32(b[4*k:]))
	}
	b = b[4*items:]
	for k := range a.Pairs {
		a.Pairs[k] = int64(le.Uint16(b[2*k:]))
	}
	b = b[4*pairs:]
	if h.Counted {
		a.Count = make([]float64, pairs)
		for k := range a.Count {
			a.Count[k] = math.Float64frombits(le.Uint64(b[8*k:]))
		}
		b = b[8*pairs:]
	}
	if h.Sorted {
		a.Kind = b
	}
	return a.People(h.Items)
}

// openShard reads a shard of a deal, and checks that it is the one that was dealt. Names are read
// only of the whole.
func openShard(ctx context.Context, deal string, k, of int, dealt string, whole bool) (*shard, error) {
	path := shardFile(deal, k, of)
	data, err := readFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("shard %d is missing: %w; deal the votes again", k, err)
	}
	var h shardHead
	body, err := unseal(shardKind, data, &h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; deal the votes again", path, err)
	}
	n := h.Sections
	switch {
	case h.Format != format:
		return nil, fmt.Errorf("%s: it is of format %d, and this palate-cluster reads %d; deal the votes again", path, h.Format, format)
	case n[0]+n[1]+n[2] != len(body) || sum(body) != h.Sum:
		return nil, fmt.Errorf("%s: the checksum does not match: the file is damaged; deal the votes again", path)
	case h.Shard != k || h.Of != of || h.Sum != dealt:
		return nil, fmt.Errorf("%s: this shard is of another deal; deal the votes again", path)
	}
	s := &shard{sum: h.Sum}
	if s.people, err = peopleOf(h, body[:n[0]]); err == nil {
		body = body[n[0]:]
		err = unpack(body[:n[1]], &s.heldOut)
	}
	if err == nil && whole {
		err = unpack(body[n[1]:], &s.users)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; deal the votes again", path, err)
	}
	return s, nil
}
