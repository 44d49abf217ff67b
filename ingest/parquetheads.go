package ingest

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"
)

// largestPage is how large a page may be unpacked, unless it is large packed.
const largestPage = 64 << 20

// most is how many values a file may have: a few bytes may stand for any number of equal ones.
func (t *parquetTable) most() int64 { return min(t.limit, max(1e6, 1000*int64(len(t.data)))) }

// checkPages looks at the headers of the pages of a column in a row group. The decoder makes room for what they
// claim before it looks at anything else, and no program survives the lack of memory.
func (t *parquetTable) checkPages(group int, c *parquetColumn) error {
	g := &t.f.Metadata().RowGroups[group]
	m := &g.Columns[c.leaf].MetaData
	from, size := m.DataPageOffset, int64(len(t.data))
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 0 || from > size || m.TotalCompressedSize < 0 {
		return fmt.Errorf("column %s: pages at byte %d of %d", c.name, from, size)
	}
	pages := t.data[from:min(size, from+min(m.TotalCompressedSize, size))]
	most := g.NumRows
	if c.list {
		most = t.most()
	}
	for values := int64(0); len(pages) > 0 && (c.list || values < g.NumRows); {
		var head meta.PageHeader
		r := bytes.NewReader(pages)
		if err := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(r)).Decode(&head); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
		pages = pages[len(pages)-r.Len():]
		packed, unpacked := int64(head.CompressedPageSize), int64(head.UncompressedPageSize)
		var n, words int64
		if h := head.DataPageHeader; h != nil {
			n = int64(h.NumValues)
		}
		if h := head.DataPageHeaderV2; h != nil {
			n += int64(h.NumValues)
		}
		if h := head.DictionaryPageHeader; h != nil {
			words = int64(h.NumValues)
		}
		switch {
		case packed < 0 || packed > int64(len(pages)):
			return fmt.Errorf("column %s: a page of %d bytes where there are %d", c.name, packed, len(pages))
		case unpacked < 0 || unpacked > min(t.limit, max(largestPage, 1000*packed)):
			return fmt.Errorf("column %s: a page of %d bytes unpacked, %d packed", c.name, unpacked, packed)
		case n < 0 || n > most || words > t.most():
			return fmt.Errorf("column %s: a page of %d values in a group of %d rows", c.name, max(n, words), g.NumRows)
		}
		pages = pages[packed:]
		values += n
	}
	return nil
}
