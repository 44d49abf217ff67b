package ingest

import "encoding/binary"

// local numbers identifiers in order of appearance.
type local struct {
	index map[string]int32
	ids   []string
	near  []int32 // one more than the number of an identifier by its mark; 0: none
}

// nearMarks is the number of marks, which tell most identifiers of a block apart.
const nearMarks = 1 << 12

func newLocal() local { return local{index: map[string]int32{}, near: make([]int32, nearMarks)} }

func (l *local) add(id []byte) int32 {
	near := &l.near[mark(id)]
	if k := *near - 1; k >= 0 && l.ids[k] == string(id) {
		return k
	}
	k, ok := l.index[string(id)]
	if !ok {
		s := string(id)
		k = int32(len(l.ids))
		l.ids = append(l.ids, s)
		l.index[s] = k
	}
	*near = k + 1
	return k
}

// mark is a number below nearMarks, by the length of an identifier and its first and last bytes.
func mark(id []byte) uint32 {
	var head, tail uint64
	switch n := len(id); {
	case n >= 8:
		head, tail = binary.LittleEndian.Uint64(id), binary.LittleEndian.Uint64(id[n-8:])
	case n >= 4:
		head, tail = uint64(binary.LittleEndian.Uint32(id)), uint64(binary.LittleEndian.Uint32(id[n-4:]))
	default:
		for _, c := range id {
			head = head<<8 | uint64(c)
		}
	}
	h := (head ^ uint64(len(id))<<56) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ tail) * 0xd6e8feb86659fd93
	return uint32(h >> 52)
}

// fresh numbers something without an identifier.
func (l *local) fresh() int32 {
	l.ids = append(l.ids, "")
	return int32(len(l.ids) - 1)
}

func (l *local) reset() {
	clear(l.index)
	clear(l.ids)
	clear(l.near)
	l.ids = l.ids[:0]
}
