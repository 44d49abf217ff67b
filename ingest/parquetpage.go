package ingest

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// parquetPage is a page of a column that holds no lists, on its way to cells.
type parquetPage struct {
	levels []byte // of each row: top where there is a value; nil: there always is
	top    byte
	rows   int // not handed out
	next   int // value to hand out next

	// One of these holds the values.
	words   *dictionary // the distinct values
	index   []int32     // which of words each value is
	numbers []int64
	data    []byte // text, cut at
	cuts    []uint32
	from    parquet.ValueReader // anything else
	buf     []parquet.Value

	spent parquet.Page // to be released when all is handed out; nil: cells point into it
	clean bool         // no cell needs a look at its bytes
}

// open goes on to the next page of the column, or returns io.EOF.
func (c *parquetColumn) open() error {
	if c.page.spent != nil {
		parquet.Release(c.page.spent)
		c.page.spent = nil
	}
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	p := parquetPage{levels: page.DefinitionLevels(), top: c.top, rows: int(page.NumRows()), buf: c.page.buf, clean: true}
	if bytes.Count(p.levels, []byte{p.top}) == len(p.levels) {
		p.levels = nil
	}
	values := page.Data()
	switch d := page.Dictionary(); {
	case d != nil:
		if c.dictionary != d {
			c.learn(d)
		}
		p.spent = page
		if c.number != noNumber {
			c.room = slices.Grow(c.room[:0], len(values.Int32()))
			for _, k := range values.Int32() {
				c.room = append(c.room, c.numbers[k])
			}
			p.numbers = c.room
			break
		}
		p.words, p.index, p.clean = c.words, values.Int32(), c.words.clean
	case c.number != noNumber:
		p.numbers, p.spent = c.rawOf(values), page
	case c.kind.Kind() == parquet.ByteArray:
		p.data, p.cuts = values.ByteArray()
		p.clean = plainASCII(p.data)
		if c.words == nil {
			c.words = &dictionary{clean: true}
		}
	default:
		p.from = page.Values()
		p.clean = c.kind.Kind() != parquet.FixedLenByteArray
	}
	c.page = p
	return nil
}

// rawOf returns the bits of the numbers of a page.
func (c *parquetColumn) rawOf(values encoding.Values) []int64 {
	switch c.kind.Kind() {
	case parquet.Int64:
		return values.Int64()
	case parquet.Double:
		c.room = slices.Grow(c.room[:0], len(values.Double()))
		for _, x := range values.Double() {
			c.room = append(c.room, int64(math.Float64bits(x)))
		}
	case parquet.Int32:
		c.room = slices.Grow(c.room[:0], len(values.Int32()))
		for _, x := range values.Int32() {
			c.room = append(c.room, int64(x))
		}
	}
	return c.room
}

// learn makes cells of a dictionary.
func (c *parquetColumn) learn(d parquet.Dictionary) {
	if c.words != nil {
		panic("a dictionary in the middle of a column") // see guard
	}
	c.dictionary = d
	if c.number != noNumber {
		c.numbers = make([]int64, d.Len())
		for i := range c.numbers {
			c.numbers[i] = raw(d.Index(int32(i)))
		}
		return
	}
	c.words = &dictionary{words: make([][]byte, d.Len()), clean: true}
	for i := range c.words.words {
		word := c.cell(d.Index(int32(i)))
		c.words.words[i] = word
		c.words.clean = c.words.clean && unreadable(word) == ""
	}
}

// fill takes the values of the next rows.
func (c *parquetColumn) fill(to *cellData) error {
	for at := 0; at < len(to.codes); {
		p := &c.page
		if p.rows == 0 {
			if err := c.open(); err == io.EOF {
				return io.ErrUnexpectedEOF
			} else if err != nil {
				return err
			}
			continue
		}
		n := min(p.rows, len(to.codes)-at)
		var levels []byte
		if p.levels != nil {
			levels, p.levels = p.levels[:n], p.levels[n:]
		}
		for i := 0; i < n; {
			there := n - i // rows from here on that have a value
			if levels != nil && p.from == nil {
				there = leading(levels[i:], p.top)
			}
			if there == 0 {
				to.set(at+i, nil)
				i++
			} else if err := c.put(to, at+i, there); err != nil {
				return err
			}
			i += there
		}
		at += n
		p.rows -= n
		to.clean = to.clean && p.clean
	}
	if c.words != nil {
		to.words, to.book = c.words.words, c.words
	}
	return nil
}

// leading counts the bytes at the start of levels that are top.
func leading(levels []byte, top byte) int {
	for i, level := range levels {
		if level != top {
			return i
		}
	}
	return len(levels)
}

// put hands out the next n values of the page, to row i and those after it.
func (c *parquetColumn) put(to *cellData, i, n int) error {
	p := &c.page
	switch {
	case p.words != nil:
		for k, code := range p.index[p.next : p.next+n] {
			_ = p.words.words[code] // a damaged file may have others
			to.codes[i+k] = code + 1
		}
		p.next += n
	case p.data != nil && c.repeats:
		for k := range n {
			cell, _ := c.take()
			if to.codes[i+k] = c.words.code(cell); to.codes[i+k] == 0 {
				to.set(i+k, cell)
			}
		}
	case p.numbers != nil:
		to.setNumbers(i, p.numbers[p.next:p.next+n])
		p.next += n
	default:
		for k := range n {
			cell, err := c.take()
			if err != nil {
				return err
			}
			to.set(i+k, cell)
		}
	}
	return nil
}

// take returns the next value of a page without a dictionary.
func (c *parquetColumn) take() ([]byte, error) {
	p := &c.page
	k := p.next
	p.next++
	if p.from == nil {
		return p.data[p.cuts[k]:p.cuts[k+1]:p.cuts[k+1]], nil
	}
	if k == len(p.buf) || p.next == 1 {
		if p.buf == nil {
			p.buf = make([]parquet.Value, 1024)
		}
		n, err := p.from.ReadValues(p.buf[:cap(p.buf)])
		if n == 0 {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		p.buf, k, p.next = p.buf[:n], 0, 1
	}
	return c.cell(p.buf[k]), nil
}

// plainASCII reports whether text is free of NUL and of bytes beyond ASCII.
func plainASCII(text []byte) bool {
	if bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	for ; len(text) >= 8; text = text[8:] {
		if binary.LittleEndian.Uint64(text)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, b := range text {
		if b >= 0x80 {
			return false
		}
	}
	return true
}
