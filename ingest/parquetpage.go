package ingest

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// parquetPage is a page of a column that holds no lists, on its way to cells.
type parquetPage struct {
	levels []byte // of each row: top where there is a value; nil: there always is
	top    byte
	rows   int // not handed out
	next   int // value to hand out next

	// One of these holds the values.
	words [][]byte // of the dictionary, and
	index []int32  // which of them
	data  []byte   // text, cut at
	cuts  []uint32
	from  parquet.ValueReader // anything else
	buf   []parquet.Value

	clean bool // no cell needs a look at its bytes
}

// open goes on to the next page of the column, or returns io.EOF.
func (c *parquetColumn) open() error {
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	// Pages are never released, so that cells may point into them.
	p := parquetPage{levels: page.DefinitionLevels(), top: c.top, rows: int(page.NumRows()), buf: c.page.buf, clean: true}
	values := page.Data()
	switch dictionary := page.Dictionary(); {
	case dictionary != nil:
		if c.dictionary != dictionary {
			c.learn(dictionary)
		}
		p.words, p.index, p.clean = c.words, values.Int32(), c.clean
	case c.kind.Kind() == parquet.ByteArray:
		p.data, p.cuts = values.ByteArray()
		p.clean = plainASCII(p.data)
	default:
		p.from = page.Values()
		p.clean = c.kind.Kind() != parquet.FixedLenByteArray
	}
	c.page = p
	return nil
}

// learn makes cells of a dictionary.
func (c *parquetColumn) learn(d parquet.Dictionary) {
	c.dictionary, c.words, c.clean = d, make([][]byte, d.Len()), true
	for i := range c.words {
		c.words[i] = c.cell(d.Index(int32(i)))
		c.clean = c.clean && unreadable(c.words[i]) == ""
	}
}

// cellData is a column of a block. Most text comes from dictionaries, and is numbers until somebody looks at it.
type cellData struct {
	codes []int32  // of each row, the number of the word in the dictionary, from 1; 0: it is in none, but in
	cells [][]byte // there, nil for none
	words [][]byte // the dictionary
	clean bool     // all cells are known to be readable
}

// reset makes room for so many rows.
func (d *cellData) reset(rows int) {
	d.codes = slices.Grow(d.codes[:0], rows)[:rows]
	d.cells, d.words, d.clean = d.cells[:0], nil, true
}

// set puts a cell that is in no dictionary.
func (d *cellData) set(i int, cell []byte) {
	if len(d.cells) == 0 {
		d.cells = slices.Grow(d.cells, len(d.codes))[:len(d.codes)]
	}
	d.codes[i], d.cells[i] = 0, cell
}

// at returns the cell of a row, and its code.
func (d *cellData) at(i int) ([]byte, int32) {
	if code := d.codes[i]; code > 0 {
		return d.words[code-1], code
	}
	return d.cells[i], 0
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
		for i := range n {
			switch null := levels != nil && levels[i] != p.top; {
			case p.words != nil && !null:
				_ = p.words[p.index[p.next]] // a damaged file may have others
				to.codes[at+i] = p.index[p.next] + 1
				p.next++
			case !null || p.from != nil: // a reader of values tells of nulls, too
				cell, err := c.take()
				if err != nil {
					return err
				}
				to.set(at+i, cell)
			default:
				to.set(at+i, nil)
			}
		}
		at += n
		p.rows -= n
		to.clean = to.clean && p.clean
	}
	to.words = c.words
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
