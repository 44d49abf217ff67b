package server

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"palate"
	"palate/store"
)

// page is how many records are read at a time.
const page = 10_000

// A full page of a board's votes is also kept packed, as a snapshot of its own: to read a
// million of them takes less than a second so, and ten from their table. Packs follow
// from the votes, and whatever erases votes erases the packs of their board.

// packKind is that of the pack of a board's k-th page.
func packKind(k int) string { return fmt.Sprintf("%s%04d", store.PackPrefix, k) }

// replay goes through the votes of a board in order: those that are packed, and those
// after them. room is told beforehand about how many there are.
func (s *Service) replay(ctx context.Context, board string, room func(int), each func(store.Vote)) error {
	after, packs, err := s.packs(ctx, board)
	if err != nil {
		return err
	}
	room((len(packs) + 1) * page)
	for _, votes := range packs {
		if err := unpack(votes, each); err != nil { // was checked when it was read
			return err
		}
	}
	for {
		votes, err := s.store.Votes(ctx, board, after, page)
		if err != nil {
			return err
		}
		for _, v := range votes {
			each(v)
			after = v.Seq
		}
		if len(votes) < page {
			return nil
		}
	}
}

// packs returns the packed pages of a board that are whole, and the last vote in them.
func (s *Service) packs(ctx context.Context, board string) (last int64, packs [][]byte, err error) {
	for {
		p, err := s.store.Snapshot(ctx, board, packKind(len(packs)))
		if errors.Is(err, store.ErrNotFound) {
			return last, packs, nil
		}
		if err != nil {
			return 0, nil, err
		}
		if !sound(p.Bytes) {
			s.log.Warn("packed votes not used", "board", board, "pack", len(packs))
			return last, packs, nil
		}
		packs, last = append(packs, p.Bytes), p.Seq
	}
}

// pack packs the full pages of a board's votes that are not packed yet.
func (s *Service) pack(ctx context.Context, board string) error {
	s.packing.Lock()
	defer s.packing.Unlock()
	action := s.heeded.Load() // of what is read after this, all is known up to there
	after, packs, err := s.packs(ctx, board)
	if err != nil {
		return err
	}
	for k := len(packs); ; k++ {
		votes, err := s.store.Votes(ctx, board, after, page)
		if err != nil || len(votes) < page {
			return err
		}
		after = votes[page-1].Seq
		if err := s.store.PutSnapshot(ctx, store.Snapshot{Board: board, Kind: packKind(k), Seq: after, Action: action, Bytes: packed(votes), Time: now()}); err != nil {
			return err
		}
	}
}

// packVersion begins a pack, and packSets one of votes of which some are about several items.
const packVersion, packSets = 1, 2

// packed is votes of one board in few bytes: their words, then numbers, each as the
// difference to that of the vote before where it grows, and a checksum. Boards and keys
// are left out.
func packed(votes []store.Vote) []byte {
	var words []string
	numbers := map[string]int32{}
	var body []byte
	add := func(x int64) { body = binary.AppendVarint(body, x) }
	word := func(w string) { add(int64(number(&words, numbers, w))) }
	var seq, at int64
	version := byte(packVersion)
	if slices.ContainsFunc(votes, func(v store.Vote) bool { return v.Set != "" }) {
		version = packSets
	}
	for _, v := range votes {
		add(v.Seq - seq)
		word(v.Voter)
		add(int64(v.Left))
		add(int64(v.Right))
		add(int64(v.Outcome))
		word(v.Reason)
		undoes := int64(0)
		if v.Undoes != 0 {
			undoes = v.Seq - v.Undoes
		}
		add(undoes)
		word(v.Policy)
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v.Propensity))
		add(v.Response.Microseconds())
		add(v.Time.UnixMicro() - at)
		seq, at = v.Seq, v.Time.UnixMicro()
		if version == packSets {
			way, items, places := v.Set.Parts()
			word(string(way))
			add(int64(len(items)))
			add(int64(len(places)))
			for _, x := range append(items, places...) {
				add(int64(x))
			}
		}
	}
	out := []byte{version}
	out = binary.AppendVarint(out, int64(len(words)))
	for _, w := range words {
		out = binary.AppendVarint(out, int64(len(w)))
		out = append(out, w...)
	}
	out = binary.AppendVarint(out, int64(len(votes)))
	out = append(out, body...)
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// sound reports whether a pack is as it was written.
func sound(pack []byte) bool {
	n := len(pack) - 4
	return n > 0 && (pack[0] == packVersion || pack[0] == packSets) && crc32.ChecksumIEEE(pack[:n]) == binary.LittleEndian.Uint32(pack[n:])
}

// unpack goes through the votes of a pack.
func unpack(pack []byte, each func(store.Vote)) error {
	u := &unpacker{rest: pack[1:max(1, len(pack)-4)]}
	words := make([]string, 0, 64)
	for range u.number(int64(len(pack))) {
		words = append(words, string(u.bytes(u.number(int64(len(u.rest))))))
	}
	word := func() string {
		if k := u.number(int64(len(words)) - 1); k >= 0 && !u.bad {
			return words[k]
		}
		return ""
	}
	var seq, at int64
	for range u.number(int64(len(pack))) {
		var v store.Vote
		seq += u.number(math.MaxInt64)
		v.Seq, v.Voter = seq, word()
		v.Left, v.Right = int(u.number(math.MaxInt32)), int(u.number(math.MaxInt32))
		v.Outcome, v.Reason = palate.Outcome(u.number(int64(palate.Skip))), word()
		if undoes := u.number(seq); undoes > 0 {
			v.Undoes = seq - undoes
		}
		v.Policy = word()
		if b := u.bytes(8); !u.bad {
			v.Propensity = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
		v.Response = time.Duration(u.number(math.MaxInt64/1000)) * time.Microsecond
		at += u.signed()
		v.Time = time.UnixMicro(at).UTC()
		if pack[0] == packSets {
			v.Set = u.set(word)
		}
		if u.bad {
			return fmt.Errorf("server: packed votes that are none")
		}
		each(v)
	}
	return nil
}

// unpacker reads the numbers of a pack.
type unpacker struct {
	rest []byte
	bad  bool // it ended too soon, or a number was not as it may be
}

func (u *unpacker) signed() int64 {
	x, n := binary.Varint(u.rest)
	if n <= 0 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[n:]
	return x
}

// number reads one from 0 to the most that it may be.
func (u *unpacker) number(most int64) int64 {
	x := u.signed()
	if x < 0 || x > most {
		u.bad = true
		return 0
	}
	return x
}

// set reads several items and their places; none is a pair.
func (u *unpacker) set(word func() string) store.Set {
	way := store.Way(word())
	numbers := [2][]int{make([]int, u.number(maxAnswer)), make([]int, u.number(maxAnswer))}
	for _, some := range numbers {
		for k := range some {
			some[k] = int(u.number(math.MaxInt32))
		}
	}
	items, places := numbers[0], numbers[1]
	switch {
	case len(items) == 0:
		return ""
	case len(places) == 0:
		places = nil
	case len(places) != len(items):
		u.bad = true
		return ""
	}
	return store.NewSet(way, items, places)
}

func (u *unpacker) bytes(n int64) []byte {
	if n > int64(len(u.rest)) {
		u.bad = true
		return nil
	}
	b := u.rest[:n]
	u.rest = u.rest[n:]
	return b
}
