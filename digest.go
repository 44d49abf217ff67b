package palate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"iter"
	"math"
	"slices"
)

// Digest returns a fingerprint of all the dataset holds: identifiers, votes in order, features, properties of votes. Equal
// datasets have equal digests on every machine.
func (d *Dataset) Digest() string {
	c := &d.votes
	return d.digest(func(h *digester) {
		digest(h, c.left, func(x int32) uint64 { return uint64(uint32(x)) })
		digest(h, c.right, func(x int32) uint64 { return uint64(uint32(x)) })
		digest(h, c.outcome, func(x Outcome) uint64 { return uint64(x) })
		digest(h, c.user, func(x int32) uint64 { return uint64(uint32(x)) })
		digest(h, c.weight, math.Float64bits)
		digest(h, c.time, func(x int64) uint64 { return uint64(x) })
	}, func(h *digester) {
		digest(h, c.group, func(x int32) uint64 { return uint64(uint32(x)) })
	}, c.group != nil)
}

// DigestOf returns the digest as if the dataset held these votes instead of its own. It goes through them once
// for each of their columns.
func (d *Dataset) DigestOf(votes iter.Seq2[int, Vote]) string {
	n := 0
	var users, weights, times, groups bool
	for _, v := range votes {
		n++
		users, weights, times, groups = users || v.User != -1, weights || v.Weight != 1, times || !v.Time.IsZero(), groups || v.Group != 0
	}
	column := func(h *digester, there bool, word func(Vote) uint64) {
		if !there {
			h.word(0)
			return
		}
		h.word(uint64(n))
		for _, v := range votes {
			h.word(word(v))
		}
	}
	return d.digest(func(h *digester) {
		column(h, true, func(v Vote) uint64 { return uint64(uint32(v.Left)) })
		column(h, true, func(v Vote) uint64 { return uint64(uint32(v.Right)) })
		column(h, true, func(v Vote) uint64 { return uint64(v.Outcome) })
		column(h, users, func(v Vote) uint64 { return uint64(uint32(v.User)) })
		column(h, weights, func(v Vote) uint64 { return math.Float64bits(v.Weight) })
		column(h, times, func(v Vote) uint64 { return uint64(microseconds(v.Time)) })
	}, func(h *digester) {
		column(h, true, func(v Vote) uint64 { return uint64(uint32(v.Group)) })
	}, groups)
}

// digest hashes everything, the votes' columns by two functions.
func (d *Dataset) digest(votes, groups func(*digester), grouped bool) string {
	h := digester{Hash: sha256.New()}
	h.text([]string{"palate dataset 1"})
	h.text(d.items.ids)
	h.text(d.users.ids)
	votes(&h)
	for _, f := range []*Features{d.itemFeatures, d.userFeatures} {
		if f == nil {
			h.word(0)
			continue
		}
		h.word(1)
		h.text(f.Names)
		digest(&h, f.Data, math.Float64bits)
	}
	if grouped { // these are last, and only when there, so that votes without them keep their digest
		groups(&h)
	}
	if d.votes.rating != nil {
		digest(&h, d.votes.rating, math.Float64bits)
	}
	for _, p := range d.votes.properties {
		h.text(append([]string{p.Name}, p.Levels...))
		digest(&h, p.Left, math.Float64bits)
		digest(&h, p.Right, math.Float64bits)
	}
	h.flush()
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// digester hashes lengths and values as little-endian words, gathered into large writes.
type digester struct {
	hash.Hash
	buf []byte
}

func (h *digester) flush() {
	h.Write(h.buf)
	h.buf = h.buf[:0]
}

func (h *digester) word(x uint64) {
	if len(h.buf) >= 1<<14 {
		h.flush()
	}
	h.buf = binary.LittleEndian.AppendUint64(h.buf, x)
}

func (h *digester) text(s []string) {
	h.word(uint64(len(s)))
	for _, t := range s {
		h.word(uint64(len(t)))
		h.buf = append(h.buf, t...)
	}
}

func digest[T any](h *digester, col []T, bits func(T) uint64) {
	h.word(uint64(len(col)))
	const words = 1 << 11
	for part := range slices.Chunk(col, words) {
		h.flush()
		h.buf = slices.Grow(h.buf, 8*words)[:8*len(part)]
		for i, x := range part {
			binary.LittleEndian.PutUint64(h.buf[8*i:], bits(x))
		}
	}
}
