package palate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// Digest returns a fingerprint of all the dataset holds: identifiers, votes in order, features. Equal
// datasets have equal digests on every machine.
func (d *Dataset) Digest() string {
	h := digester{Hash: sha256.New()}
	h.text([]string{"palate dataset 1"})
	h.text(d.items.ids)
	h.text(d.users.ids)
	c := &d.votes
	digest(&h, c.left, func(x int32) uint64 { return uint64(uint32(x)) })
	digest(&h, c.right, func(x int32) uint64 { return uint64(uint32(x)) })
	digest(&h, c.outcome, func(x Outcome) uint64 { return uint64(x) })
	digest(&h, c.user, func(x int32) uint64 { return uint64(uint32(x)) })
	digest(&h, c.weight, math.Float64bits)
	digest(&h, c.time, func(x int64) uint64 { return uint64(x) })
	for _, f := range []*Features{d.itemFeatures, d.userFeatures} {
		if f == nil {
			h.word(0)
			continue
		}
		h.word(1)
		h.text(f.Names)
		digest(&h, f.Data, math.Float64bits)
	}
	if c.group != nil { // last, and only when there, so that votes without groups keep their digest
		digest(&h, c.group, func(x int32) uint64 { return uint64(uint32(x)) })
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
	for _, x := range col {
		h.word(bits(x))
	}
}
