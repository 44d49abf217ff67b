package population

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"time"

	"palate"
	"palate/internal/atomicfile"
)

// Spool takes votes to disk, for more of them than fit in memory: first one
// after the other as they come, then sorted by person (People).
type Spool struct {
	dir   string
	file  *os.File
	w     *bufio.Writer
	n     int
	count []int64 // votes of each user, the unknown first
	group []int32 // of every group of votes, whose they are; severalUsers: not of one
	items []int32 // new numbers of items and of users, see Renumber; nil: as they are
	users []int32
	chunk int64    // votes sorted at a time
	maps  *mapping // of nothing, but all others close with it
	err   error
}

// NewSpool keeps votes in a folder, that of temporary files when it is empty.
// Its files have no names: they vanish with Close or with the process.
func NewSpool(dir string) (*Spool, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := unnamed(dir)
	if err != nil {
		return nil, err
	}
	return &Spool{dir: dir, file: f, w: bufio.NewWriterSize(f, 1<<20), chunk: 1 << 20, maps: &mapping{dir: dir}}, nil
}

func unnamed(dir string) (*os.File, error) {
	f, err := atomicfile.Unnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("population: votes on disk: %w", err)
	}
	return f, nil
}

// Close gives the disk back. People of the spool, and what was learnt from
// them, are not to be used afterwards.
func (s *Spool) Close() error {
	s.maps.close()
	return s.file.Close()
}

// Len returns the number of votes.
func (s *Spool) Len() int { return s.n }

// NumGroups returns the largest number of a group of votes.
func (s *Spool) NumGroups() int { return max(0, len(s.group)-1) }

// record is a vote on disk.
const record = 40

func encode(b []byte, v palate.Vote) {
	le := binary.LittleEndian
	le.PutUint32(b, uint32(int32(v.User)))
	le.PutUint32(b[4:], uint32(v.Left))
	le.PutUint32(b[8:], uint32(v.Right))
	le.PutUint32(b[12:], uint32(v.Group))
	le.PutUint32(b[16:], uint32(v.Outcome))
	le.PutUint32(b[20:], 0)
	if v.Unsided {
		le.PutUint32(b[20:], 1)
	}
	le.PutUint64(b[24:], math.Float64bits(v.Weight))
	t := int64(math.MinInt64)
	if !v.Time.IsZero() {
		t = v.Time.UnixMicro()
	}
	le.PutUint64(b[32:], uint64(t))
}

// severalUsers stands for the users of a group that has more than one.
const severalUsers = math.MinInt32

// Renumber gives the items and users of all votes so far other numbers, as
// palate.Builder.SortNames returns them. Votes are not added afterwards.
func (s *Spool) Renumber(items, users []int32) {
	count := make([]int64, len(users)+1)
	for u, n := range s.count {
		if u > 0 {
			u = int(users[u-1]) + 1
		}
		count[u] = n
	}
	s.count, s.items, s.users = count, items, users
}

func decode(b []byte) palate.Vote {
	le := binary.LittleEndian
	v := palate.Vote{
		User: int(int32(le.Uint32(b))), Left: int(le.Uint32(b[4:])), Right: int(le.Uint32(b[8:])), Group: int(le.Uint32(b[12:])),
		Outcome: palate.Outcome(le.Uint32(b[16:])), Unsided: le.Uint32(b[20:]) != 0, Weight: math.Float64frombits(le.Uint64(b[24:])),
	}
	if t := int64(le.Uint64(b[32:])); t != math.MinInt64 {
		v.Time = time.UnixMicro(t).UTC()
	}
	return v
}

// Add appends a vote.
func (s *Spool) Add(v palate.Vote) error {
	for len(s.count) < v.User+2 {
		s.count = append(s.count, 0)
	}
	s.count[v.User+1]++
	s.n++
	if v.Group > 0 {
		for len(s.group) <= v.Group {
			s.group = append(s.group, -2)
		}
		if of := &s.group[v.Group]; *of == -2 {
			*of = int32(v.User)
		} else if *of != int32(v.User) {
			*of = severalUsers
		}
	}
	var b [record]byte
	encode(b[:], v)
	if _, err := s.w.Write(b[:]); err != nil {
		return fmt.Errorf("population: votes on disk: %w", err)
	}
	return nil
}

// Votes goes through the votes in the order in which they were added. When the
// disk fails it ends early, and Err says why.
func (s *Spool) Votes() iter.Seq2[int, palate.Vote] {
	return func(yield func(int, palate.Vote) bool) {
		if s.err = s.w.Flush(); s.err != nil {
			return
		}
		r := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, int64(s.n)*record), 1<<20)
		var b [record]byte
		for k := range s.n {
			if _, s.err = io.ReadFull(r, b[:]); s.err != nil {
				return
			}
			v := decode(b[:])
			if s.items != nil {
				v.Left, v.Right = int(s.items[v.Left]), int(s.items[v.Right])
				if v.User >= 0 {
					v.User = int(s.users[v.User])
				}
			}
			if !yield(k, v) {
				return
			}
		}
	}
}

// Err returns what went wrong in Votes.
func (s *Spool) Err() error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("population: votes on disk: %w", s.err)
}

// People returns the people whose votes those are, on disk, the same as
// NewPeople of the votes' tallies, by sides or not, and of answers about several items
// where whole is set and wants all that there are. each, if set, is handed tallies and
// answers some persons at a time, with the votes that they are of, and returns those to
// keep. A person's votes, and those of all unknown persons, must fit in memory.
func (s *Spool) People(items int, sides bool, whole func([]palate.Answer) bool, each func(Told) Told) (*People, error) {
	sorted, starts, err := s.byRange()
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	read := func(k int) ([]palate.Vote, error) {
		b := make([]byte, (starts[k+1]-starts[k])*record)
		if _, err := sorted.ReadAt(b, starts[k]*record); err != nil {
			return nil, fmt.Errorf("population: votes on disk: %w", err)
		}
		return s.decoded(b), nil
	}
	for k := 0; whole != nil && k < len(starts)-1; k++ {
		votes, err := read(k)
		if err != nil {
			return nil, err
		}
		if answers, _ := palate.AnswersOf(votes); !whole(answers) {
			whole = nil
		}
	}
	draft, err := unnamed(s.dir)
	if err != nil {
		return nil, err
	}
	defer draft.Close()
	w := bufio.NewWriterSize(draft, 1<<20)
	p := &People{items: items, itemStart: []int{0}, pairStart: []int{0}, kinds: []Observation{{Power: 1}}}
	var has columns
	for k := range len(starts) - 1 {
		votes, err := read(k)
		if err != nil {
			return nil, err
		}
		told := Told{Votes: votes}
		if whole != nil {
			told.Answers, told.Votes = palate.AnswersOf(votes)
		}
		told.Tallies = tallied(told.Votes, sides)
		if each != nil {
			told = each(told)
		}
		part, err := gather(items, told.Tallies, told.Answers, p.kinds)
		if err != nil {
			return nil, err
		}
		p.kinds = part.kinds
		has = has.or(part.columns())
		if err := part.write(w); err != nil {
			return nil, fmt.Errorf("population: votes on disk: %w", err)
		}
		i0, p0 := p.itemStart[len(p.itemStart)-1], p.pairStart[len(p.pairStart)-1]
		for u := range part.Len() {
			p.itemStart, p.pairStart = append(p.itemStart, i0+part.itemStart[u+1]), append(p.pairStart, p0+part.pairStart[u+1])
		}
		p.owner = append(p.owner, part.owner...)
	}
	if err := w.Flush(); err != nil {
		return nil, fmt.Errorf("population: votes on disk: %w", err)
	}
	return s.settle(p, draft, has)
}

// Told is what some persons said: answers about several items, and other votes, also as
// tallies.
type Told struct {
	Votes   []palate.Vote
	Tallies []palate.Tally
	Answers []palate.Answer
}

// decoded reads votes. Those of a group of several users are on their own.
func (s *Spool) decoded(b []byte) (votes []palate.Vote) {
	for ; len(b) > 0; b = b[record:] {
		v := decode(b)
		if v.Group > 0 && s.group[v.Group] == severalUsers {
			v.Group = 0
		}
		votes = append(votes, v)
	}
	return votes
}

// byRange writes the votes to another file by ranges of users, of about a chunk
// each, in which they keep their order; starts are those of the ranges.
func (s *Spool) byRange() (sorted *os.File, starts []int64, err error) {
	starts = []int64{0}
	of := make([]int, len(s.count)) // the range of each user
	var at, size int64
	for u, n := range s.count {
		if size > 0 && size+n > s.chunk {
			starts = append(starts, at)
			size = 0
		}
		of[u] = len(starts) - 1
		at, size = at+n, size+n
	}
	starts = append(starts, at)
	if sorted, err = unnamed(s.dir); err != nil {
		return nil, nil, err
	}
	const buffered = 1 << 16
	rooms, next := make([][]byte, len(starts)-1), slices.Clone(starts)
	flush := func(k int) {
		if err == nil && len(rooms[k]) > 0 {
			_, err = sorted.WriteAt(rooms[k], next[k]*record)
			next[k] += int64(len(rooms[k]) / record)
			rooms[k] = rooms[k][:0]
		}
	}
	var b [record]byte
	for _, v := range s.Votes() {
		k := of[v.User+1]
		encode(b[:], v)
		if rooms[k] = append(rooms[k], b[:]...); len(rooms[k]) > buffered {
			flush(k)
		}
	}
	for k := range rooms {
		flush(k)
	}
	if err = errors.Join(err, s.Err()); err != nil {
		sorted.Close()
		return nil, nil, fmt.Errorf("population: votes on disk: %w", err)
	}
	return sorted, starts, nil
}

// tallied counts equal votes, in the order of palate.Dataset.Tallies.
func tallied(votes []palate.Vote, sides bool) (out []palate.Tally) {
	for _, v := range votes {
		t := palate.Tally{User: v.User, A: v.Left, B: v.Right, Weight: v.Weight, Tie: v.Outcome == palate.Tie}
		if sides && !v.Unsided {
			t.Side = 1
		}
		switch {
		case v.Outcome == palate.Skip:
			continue
		case v.Outcome == palate.Right, t.Tie && t.A > t.B:
			t.A, t.B, t.Side = t.B, t.A, -t.Side
		}
		out = append(out, t)
	}
	order := func(a, b palate.Tally) int {
		c := cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
		switch {
		case c != 0 || a.Tie == b.Tie && a.Side == b.Side:
			return c
		case a.Tie == b.Tie: // sides that are not known first, then right, then left
			return cmp.Compare(3*a.Side*a.Side+a.Side, 3*b.Side*b.Side+b.Side)
		case a.Tie: // wins first
			return 1
		}
		return -1
	}
	slices.SortFunc(out, func(a, b palate.Tally) int { return cmp.Or(order(a, b), cmp.Compare(a.Weight, b.Weight)) })
	n := 0
	for _, t := range out {
		if n > 0 && order(out[n-1], t) == 0 {
			out[n-1].Weight += t.Weight
			continue
		}
		out[n] = t
		n++
	}
	return out[:n]
}
