package qr

import "fmt"

// Code is a QR code: a square of modules.
type Code struct {
	Size  int
	black []bool
	fixed []bool // modules that hold no data
}

// Black reports whether the module in a column and a row is dark; outside the code none
// is.
func (c *Code) Black(x, y int) bool {
	return x >= 0 && y >= 0 && x < c.Size && y < c.Size && c.black[y*c.Size+x]
}

func (c *Code) set(x, y int, black bool) {
	c.black[y*c.Size+x], c.fixed[y*c.Size+x] = black, true
}

// blocks says how the codewords of a version at level M are split: check words a block,
// then blocks and data words of each, of one kind and of another.
type blocks struct{ check, n1, data1, n2, data2 int }

// versions is the table of versions, from 1.
func versions() []blocks {
	return []blocks{
		{10, 1, 16, 0, 0}, {16, 1, 28, 0, 0}, {26, 1, 44, 0, 0}, {18, 2, 32, 0, 0}, {24, 2, 43, 0, 0},
		{16, 4, 27, 0, 0}, {18, 4, 31, 0, 0}, {22, 2, 38, 2, 39}, {22, 3, 36, 2, 37}, {26, 4, 43, 1, 44},
		{30, 1, 50, 4, 51}, {22, 6, 36, 2, 37}, {22, 8, 37, 1, 38}, {24, 4, 40, 5, 41}, {24, 5, 41, 5, 42},
	}
}

// aligned are the rows and columns of alignment patterns, by version from 1.
func aligned() [][]int {
	return [][]int{
		nil, {6, 18}, {6, 22}, {6, 26}, {6, 30}, {6, 34}, {6, 22, 38}, {6, 24, 42}, {6, 26, 46}, {6, 28, 50},
		{6, 30, 54}, {6, 32, 58}, {6, 34, 62}, {6, 26, 46, 66}, {6, 26, 48, 70},
	}
}

// Encode returns the code of a text, of the least version that holds it.
func Encode(text string) (*Code, error) {
	for k, b := range versions() {
		version := k + 1
		count := 8 // bits of the length
		if version > 9 {
			count = 16
		}
		room := b.n1*b.data1 + b.n2*b.data2
		if 4+count+8*len(text) > 8*room {
			continue
		}
		return draw(version, spread(b, words(text, count, room))), nil
	}
	return nil, fmt.Errorf("qr: a text of %d bytes; 412 are the most", len(text))
}

// words are the data words of a text: its mode, its length, its bytes, the end, and what
// fills the rest.
func words(text string, count, room int) []byte {
	var bits []bool
	put := func(x, n int) {
		for k := n - 1; k >= 0; k-- {
			bits = append(bits, x>>k&1 == 1)
		}
	}
	put(4, 4)
	put(len(text), count)
	for _, c := range []byte(text) {
		put(int(c), 8)
	}
	put(0, min(4, 8*room-len(bits)))
	put(0, (8-len(bits)%8)%8)
	out := make([]byte, 0, room)
	for k := 0; k < len(bits); k += 8 {
		var x byte
		for _, bit := range bits[k : k+8] {
			x <<= 1
			if bit {
				x |= 1
			}
		}
		out = append(out, x)
	}
	for fill := byte(0xec); len(out) < room; fill ^= 0xec ^ 0x11 {
		out = append(out, fill)
	}
	return out
}

// spread splits data words into blocks, adds their check words, and mixes them.
func spread(b blocks, data []byte) []byte {
	var parts, checks [][]byte
	g := generator(b.check)
	for k := range b.n1 + b.n2 {
		n := b.data1
		if k >= b.n1 {
			n = b.data2
		}
		parts, checks = append(parts, data[:n]), append(checks, remainder(data[:n], g))
		data = data[n:]
	}
	var out []byte
	for _, of := range [][][]byte{parts, checks} {
		for k := range len(of[len(of)-1]) {
			for _, part := range of {
				if k < len(part) {
					out = append(out, part[k])
				}
			}
		}
	}
	return out
}

// times multiplies in GF(256) modulo x⁸ + x⁴ + x³ + x² + 1.
func times(a, b byte) byte {
	var p int
	for k := 7; k >= 0; k-- {
		p = p<<1 ^ (p>>7)*0x11d
		p ^= int(b>>k&1) * int(a)
	}
	return byte(p)
}

// generator is the polynomial (x − 1)(x − α)…(x − αⁿ⁻¹), without its leading 1.
func generator(n int) []byte {
	g := make([]byte, n)
	g[n-1] = 1
	root := byte(1)
	for range n {
		for k := range n {
			g[k] = times(g[k], root)
			if k+1 < n {
				g[k] ^= g[k+1]
			}
		}
		root = times(root, 2)
	}
	return g
}

// remainder is the Reed–Solomon check of data words.
func remainder(data, g []byte) []byte {
	r := make([]byte, len(g))
	for _, d := range data {
		f := d ^ r[0]
		copy(r, r[1:])
		r[len(r)-1] = 0
		for k := range r {
			r[k] ^= times(g[k], f)
		}
	}
	return r
}
