package qr

import (
	"fmt"
	"math"
	"strings"
)

// draw puts words into the code of a version, under the mask with the lowest penalty.
func draw(version int, data []byte) *Code {
	var best *Code
	least := math.MaxInt
	for mask := range 8 {
		c := under(mask, version, data)
		if p := c.penalty(); p < least {
			best, least = c, p
		}
	}
	return best
}

// under is the code under one mask.
func under(mask, version int, data []byte) *Code {
	c := frame(version)
	c.fill(data, mask)
	c.format(mask)
	return c
}

// frame is a code with all patterns that hold no data.
func frame(version int) *Code {
	n := 17 + 4*version
	c := &Code{Size: n, black: make([]bool, n*n), fixed: make([]bool, n*n)}
	for k := range n {
		c.set(6, k, k%2 == 0)
		c.set(k, 6, k%2 == 0)
	}
	for _, at := range [][2]int{{3, 3}, {n - 4, 3}, {3, n - 4}} {
		c.ring(at[0], at[1], 4)
	}
	at := aligned()[version-1]
	for i, x := range at {
		for j, y := range at {
			if corner := i == 0 && j == 0 || i == 0 && j == len(at)-1 || i == len(at)-1 && j == 0; !corner {
				c.ring(x, y, 2)
			}
		}
	}
	c.format(0) // keeps the place
	if version >= 7 {
		bits := version<<12 | check(version, 12, 0x1f25)
		for k := range 18 {
			black := bits>>k&1 == 1
			c.set(n-11+k%3, k/3, black)
			c.set(k/3, n-11+k%3, black)
		}
	}
	return c
}

// ring draws squares around a centre: a finder pattern reaches 4 modules, its white rim
// included, an alignment pattern 2.
func (c *Code) ring(x, y, reach int) {
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			if x+dx >= 0 && y+dy >= 0 && x+dx < c.Size && y+dy < c.Size {
				far := max(dx, -dx, dy, -dy)
				c.set(x+dx, y+dy, far != 4 && far != 2 || reach == 2 && far == 2)
			}
		}
	}
	if reach == 2 {
		for _, d := range [][2]int{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}} {
			c.set(x+d[0], y+d[1], false)
		}
	}
}

// check is the remainder of some bits by a polynomial of a degree.
func check(bits, degree, polynomial int) int {
	r := bits
	for range degree {
		r = r<<1 ^ (r>>(degree-1))*polynomial
	}
	return r
}

// format writes the level, M, and the mask, twice.
func (c *Code) format(mask int) {
	bits := (mask<<10 | check(mask, 10, 0x537)) ^ 0x5412 // the bits of M are 00
	n := c.Size
	for k := range 15 {
		black := bits>>k&1 == 1
		switch {
		case k < 6:
			c.set(8, k, black)
		case k < 8:
			c.set(8, k+1, black)
		case k == 8:
			c.set(7, 8, black)
		default:
			c.set(14-k, 8, black)
		}
		if k < 8 {
			c.set(n-1-k, 8, black)
		} else {
			c.set(8, n-15+k, black)
		}
	}
	c.set(8, n-8, true)
}

// fill puts words in, two columns at a time from the right, up and down, under a mask.
func (c *Code) fill(data []byte, mask int) {
	k := 0
	for right := c.Size - 1; right > 0; right -= 2 {
		if right == 6 {
			right--
		}
		for v := range c.Size {
			y := v
			if (right+1)&2 == 0 {
				y = c.Size - 1 - v
			}
			for x := right; x > right-2; x-- {
				if c.fixed[y*c.Size+x] {
					continue
				}
				bit := k < 8*len(data) && data[k/8]>>(7-k%8)&1 == 1
				c.black[y*c.Size+x] = bit != masked(mask, x, y)
				k++
			}
		}
	}
}

// masked reports whether a mask turns a module over.
func masked(mask, x, y int) bool {
	switch mask {
	case 0:
		return (x+y)%2 == 0
	case 1:
		return y%2 == 0
	case 2:
		return x%3 == 0
	case 3:
		return (x+y)%3 == 0
	case 4:
		return (x/3+y/2)%2 == 0
	case 5:
		return x*y%2+x*y%3 == 0
	case 6:
		return (x*y%2+x*y%3)%2 == 0
	}
	return ((x+y)%2+x*y%3)%2 == 0
}

// penalty is how hard a code is to read: runs, squares, what looks like a finder pattern,
// and an uneven share of black.
func (c *Code) penalty() int {
	n, sum, black := c.Size, 0, 0
	for _, at := range []func(i, j int) bool{c.Black, func(i, j int) bool { return c.Black(j, i) }} {
		for j := range n {
			run := 0
			for i := range n {
				if i > 0 && at(i, j) == at(i-1, j) {
					run++
				} else {
					run = 1
				}
				if run == 5 {
					sum += 3
				} else if run > 5 {
					sum++
				}
			}
			for i := 0; i+11 <= n; i++ {
				var bits int
				for k := range 11 {
					bits <<= 1
					if at(i+k, j) {
						bits |= 1
					}
				}
				if bits == 0b10111010000 || bits == 0b00001011101 {
					sum += 40
				}
			}
		}
	}
	for y := range n {
		for x := range n {
			b := c.Black(x, y)
			if b {
				black++
			}
			if x+1 < n && y+1 < n && b == c.Black(x+1, y) && b == c.Black(x, y+1) && b == c.Black(x+1, y+1) {
				sum += 3
			}
		}
	}
	share := 100 * black / (n * n)
	return sum + 10*(max(share-50, 50-share)/5)
}

// SVG is a picture of the code with its white margin, black on white whatever the page
// around it.
func (c *Code) SVG() string {
	var b strings.Builder
	n := c.Size + 8
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="`, n, n, n, n)
	for y := range c.Size {
		for x := range c.Size {
			if c.Black(x, y) {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+4, y+4)
			}
		}
	}
	return b.String() + `"/></svg>`
}
