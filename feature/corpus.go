package feature

import (
	"context"
	"slices"
	"strings"

	"palate/ingest"
)

// corpus is texts taken apart, once for all that is asked of them.
type corpus struct {
	style        [][]float64 // of each text, see style
	words, grams bags
}

// bags are texts by the terms that they use.
type bags struct {
	names []string // of terms, in alphabetical order
	of    [][]use  // of each text, ascending
}

// use is how often a text uses a term.
type use struct{ term, times int32 }

func newCorpus(ctx context.Context, texts []string) (*corpus, error) {
	c := &corpus{}
	known := newLookups()
	words, grams := numbering{}, numbering{}
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := wordsOf(text)
		c.style = append(c.style, style(text, w, known))
		c.words.of = append(c.words.of, words.count(slices.Values(w)))
		c.grams.of = append(c.grams.of, grams.count(gramsOf(text)))
	}
	words.settle(&c.words)
	grams.settle(&c.grams)
	return c, nil
}

// corpusOf returns the texts of column j of a table. Those of its rows, and of rows taken from it, are taken apart
// only once.
func corpusOf(ctx context.Context, t *ingest.Table, j int) (*corpus, error) {
	whole, rows := t.Origin()
	if rows != nil {
		c, err := corpusOf(ctx, whole, j)
		if err != nil {
			return nil, err
		}
		return c.pick(rows), nil
	}
	type column int
	c, err := t.Memo(column(j), func() (any, error) {
		texts := make([]string, len(t.IDs))
		for i := range texts {
			texts[i] = t.Cell(i, j)
		}
		return newCorpus(ctx, texts)
	})
	if err != nil {
		return nil, err
	}
	return c.(*corpus), nil
}

// pick returns some of the texts.
func (c *corpus) pick(rows []int) *corpus {
	out := &corpus{words: bags{names: c.words.names}, grams: bags{names: c.grams.names}}
	for _, i := range rows {
		out.style = append(out.style, c.style[i])
		out.words.of = append(out.words.of, c.words.of[i])
		out.grams.of = append(out.grams.of, c.grams.of[i])
	}
	return out
}

// gramsOf yields the runs of three and four characters of a text in lower case, one blank between words and at its ends.
func gramsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text := " " + strings.Join(strings.Fields(strings.ToLower(text)), " ") + " "
		var starts []int
		for at := range text {
			starts = append(starts, at)
		}
		starts = append(starts, len(text))
		for _, n := range []int{3, 4} {
			for i := 0; i+n < len(starts); i++ {
				if !yield(text[starts[i]:starts[i+n]]) {
					return
				}
			}
		}
	}
}

// numbering gives terms numbers, in the order in which they come.
type numbering map[string]int32

// count returns the terms of a text, each once.
func (n numbering) count(terms func(yield func(string) bool)) (uses []use) {
	var all []int32
	for term := range terms {
		k, ok := n[term]
		if !ok {
			k = int32(len(n))
			n[strings.Clone(term)] = k
		}
		all = append(all, k)
	}
	slices.Sort(all)
	for _, k := range all {
		if last := len(uses) - 1; last >= 0 && uses[last].term == k {
			uses[last].times++
		} else {
			uses = append(uses, use{k, 1})
		}
	}
	return uses
}

// settle numbers the terms of bags in alphabetical order.
func (n numbering) settle(b *bags) {
	for name := range n {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)
	to := make([]int32, len(n))
	for k, name := range b.names {
		to[n[name]] = int32(k)
	}
	for _, uses := range b.of {
		for k := range uses {
			uses[k].term = to[uses[k].term]
		}
		slices.SortFunc(uses, func(a, b use) int { return int(a.term) - int(b.term) })
	}
}

// usage returns in how many of some texts each term is.
func (b *bags) usage(texts []int) []int {
	df := make([]int, len(b.names))
	for _, i := range texts {
		for _, u := range b.of[i] {
			df[u.term]++
		}
	}
	return df
}
