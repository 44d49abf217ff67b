package population

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"unsafe"
)

// draftItem and draftPair are the bytes of a person's item and of a pair, with
// count, kind and answer, in a draft.
const draftItem, draftPair = 4, 2 + 2 + 8 + 1 + 4

// columns says which of the columns there are that not all people have.
type columns struct{ count, kind, answer bool }

func (p *People) columns() columns { return columns{p.count != nil, p.kind != nil, p.answer != nil} }

func (c columns) or(o columns) columns {
	return columns{c.count || o.count, c.kind || o.kind, c.answer || o.answer}
}

// write appends all persons to a draft, one after the other.
func (p *People) write(w *bufio.Writer) error {
	le := binary.LittleEndian
	var b []byte
	for u := range p.Len() {
		b = b[:0]
		v := p.votes(u)
		for _, i := range p.Items(u) {
			b = le.AppendUint32(b, uint32(i))
		}
		for _, i := range v.win {
			b = le.AppendUint16(b, i)
		}
		for _, i := range v.lose {
			b = le.AppendUint16(b, i)
		}
		for k := range v.win {
			b = le.AppendUint64(b, math.Float64bits(v.countOf(k)))
		}
		for k := range v.win {
			b = append(b, v.kindOf(k))
		}
		for k := range v.win {
			b = le.AppendUint32(b, uint32(v.answerOf(k)))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// people returns people without persons yet, with room for so many items and
// pairs: beside other people on disk, or in memory when m is nil.
func (m *mapping) people(items, pairs int, has columns) (*People, error) {
	p := &People{itemStart: []int{0}, pairStart: []int{0}}
	if m == nil {
		p.item, p.win, p.lose = make([]int32, items), make([]uint16, pairs), make([]uint16, pairs)
		if has.count {
			p.count = make([]float64, pairs)
		}
		if has.kind {
			p.kind = make([]uint8, pairs)
		}
		if has.answer {
			p.answer = make([]int32, pairs)
		}
		return p, nil
	}
	size := 4*items + 4*pairs
	if has.count {
		size += 8 + 8*pairs
	}
	if has.answer {
		size += 4 * pairs
	}
	if has.kind {
		size += pairs
	}
	var err error
	if p.disk, err = m.beside(size); err != nil {
		return nil, err
	}
	free := p.disk.data
	p.item, free = carve[int32](free, items)
	p.win, free = carve[uint16](free, pairs)
	p.lose, free = carve[uint16](free, pairs)
	if has.count {
		free = free[(8-(4*items+4*pairs)%8)%8:]
		p.count, free = carve[float64](free, pairs)
	}
	if has.answer {
		p.answer, free = carve[int32](free, pairs)
	}
	if has.kind {
		p.kind, _ = carve[uint8](free, pairs)
	}
	return p, nil
}

// beside returns another mapping, which closes with this one.
func (m *mapping) beside(size int) (*mapping, error) {
	o, err := newMapping(m.dir, size)
	if err == nil {
		m.also = append(m.also, o)
	}
	return o, err
}

// settle lays the persons of a draft out by work, which is how they are read.
func (s *Spool) settle(p *People, draft *os.File, has columns) (*People, error) {
	out, err := s.maps.people(p.itemStart[p.Len()], p.NumPairs(), has)
	if err != nil {
		return nil, err
	}
	out.items, out.kinds = p.items, p.kinds
	le := binary.LittleEndian
	order, _ := p.byWork()
	var b []byte
	const batch = 4 * room
	since := 0
	for _, u := range order {
		n, q := p.itemStart[u+1]-p.itemStart[u], p.pairStart[u+1]-p.pairStart[u]
		b = append(b[:0], make([]byte, draftItem*n+draftPair*q)...)
		if _, err := draft.ReadAt(b, int64(draftItem*p.itemStart[u]+draftPair*p.pairStart[u])); err != nil {
			return nil, fmt.Errorf("population: votes on disk: %w", err)
		}
		at, to := out.itemStart[out.Len()], out.pairStart[out.Len()]
		for k := range n {
			out.item[at+k] = int32(le.Uint32(b[4*k:]))
		}
		win := b[4*n:]
		lose, count, kind, answer := win[2*q:], win[4*q:], win[12*q:], win[13*q:]
		for k := range q {
			out.win[to+k], out.lose[to+k] = le.Uint16(win[2*k:]), le.Uint16(lose[2*k:])
			if has.count {
				out.count[to+k] = math.Float64frombits(le.Uint64(count[8*k:]))
			}
			if has.kind {
				out.kind[to+k] = kind[k]
			}
			if has.answer {
				out.answer[to+k] = int32(le.Uint32(answer[4*k:]))
			}
		}
		out.owner = append(out.owner, p.owner[u])
		out.itemStart, out.pairStart = append(out.itemStart, at+n), append(out.pairStart, to+q)
		if since += n + q; since > batch {
			out.disk.release()
			since = 0
		}
	}
	out.disk.release()
	return out, nil
}

// carve takes n values from the front of some bytes.
func carve[T any](b []byte, n int) (values []T, rest []byte) {
	var t T
	if n == 0 {
		return nil, b
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), b[n*int(unsafe.Sizeof(t)):]
}

// siteRoom returns room for everybody's sites beside the votes.
func (p *People) siteRoom() (tau, nu []float64, m *mapping, err error) {
	n := p.NumPairs()
	if p.disk == nil {
		return make([]float64, n), make([]float64, n), nil, nil
	}
	if m, err = p.disk.beside(16 * n); err != nil {
		return nil, nil, nil, err
	}
	tau, rest := carve[float64](m.data, n)
	nu, _ = carve[float64](rest, n)
	return tau, nu, m, nil
}
