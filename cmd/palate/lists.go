package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/internal/wording"
)

// listFormats are those of lists of any length, which are written row by row.
func listFormats() []string { return []string{"csv", "jsonl", "parquet"} }

// listing says how a list is written.
type listing struct {
	format, out string
}

func (l *listing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.format, "format", "", "`FORMAT`, when the name does not tell: "+strings.Join(listFormats(), ", "))
	completes(cmd, "format", listFormats()...)
	f.StringVarP(&l.out, "output", "o", "-", "write to this `FILE`")
}

// listWriter writes rows in the format that was asked for or that the name of the output tells,
// and what ends the list and puts it into place. A row of CSV has the names of head, and the
// cells of a row.
func listWriter[T any](l listing, to *cli.Output, head []string, cells func(T) []string) (add func(T) error, finish func(context.Context) error) {
	w := bufio.NewWriterSize(to, 1<<16)
	add, end := rowWriter(l, w, head, cells)
	return add, func(ctx context.Context) error {
		if err := cmp.Or(end(), w.Flush()); err != nil {
			return err
		}
		return to.Commit(ctx)
	}
}

func rowWriter[T any](l listing, w io.Writer, head []string, cells func(T) []string) (add func(T) error, end func() error) {
	format := l.format
	for _, f := range listFormats() {
		if l.format == "" && strings.HasSuffix(l.out, "."+f) {
			format = f
		}
	}
	switch format {
	case "jsonl":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return func(r T) error { return e.Encode(r) }, func() error { return nil }
	case "parquet":
		p := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy))
		return func(r T) error { _, err := p.Write([]T{r}); return err }, p.Close
	}
	out := csv.NewWriter(w)
	first := out.Write(head)
	return func(r T) error { return out.Write(cells(r)) }, func() error {
		out.Flush()
		return cmp.Or(first, out.Error())
	}
}

// decimals shows a number of a list.
func decimals(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// numbersOf are the numbers of those who are named, or of all count of them.
func numbersOf(named []string, count int, number func(id string) (int, bool), missing string, ids []string) (found []int, err error) {
	if slices.Equal(named, []string{"all"}) {
		for k := range count {
			found = append(found, k)
		}
		return found, nil
	}
	for _, id := range named {
		k, ok := number(id)
		if !ok {
			return nil, fmt.Errorf(missing+"%s", id, wording.DidYouMean(id, slices.Values(ids)))
		}
		found = append(found, k)
	}
	return found, nil
}
