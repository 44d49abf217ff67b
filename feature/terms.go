package feature

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	maxTerms  = 8000 // of a block, the most frequent ones, so that a model file stays small
	blockRank = 50   // of a block; 50 did better than 100 and 200
)

// Terms is a block of features from the terms of texts, words or runs of characters. A text is a vector of
// (1 + log tf)·log(N/df), of length 1, from which the mean of the corpus is taken; its features are its
// coordinates on the leading eigenvectors of the corpus's Gram matrix, with a mean variance of 1/rank. Where texts come
// in groups, it is the mean of its group that is taken from a text, so that axes tell texts of a group apart.
type Terms struct {
	Terms []string `json:"terms"` // in alphabetical order
	DF    []int    `json:"df"`    // in how many texts of the corpus each is
	Texts int      `json:"texts"` // in the corpus
	Mean  Floats   `json:"mean"`  // of the corpus, one a term
	Axes  Floats   `json:"axes"`  // len(Terms) × Rank, row by row
	Rank  int      `json:"rank"`
	// Groups are the means of groups of texts; none where texts are all of one.
	Groups []TermGroup `json:"groups,omitempty"`
}

// TermGroup is the mean of the texts of a group, by its non-zeros.
type TermGroup struct {
	Name string `json:"name"`
	At   []int  `json:"at"`
	Mean Floats `json:"mean"`
}

func (g *TermGroup) mean() sparse { return sparse{g.At, g.Mean.widened()} }

// learnTerms makes a block from the terms of texts, of those in at least low and at most high texts. Texts are of the
// groups named, or all of one when groups is nil.
func learnTerms(ctx context.Context, texts *bags, groups []string, low, high int) (*Terms, error) {
	b := &Terms{Texts: len(texts.of)}
	df := texts.usage(everyone(b.Texts))
	var kept []int // numbers, which are in alphabetical order
	for k, n := range df {
		if n >= low && n <= high {
			kept = append(kept, k)
		}
	}
	slices.SortFunc(kept, func(x, y int) int { return cmp.Or(df[y]-df[x], x-y) })
	kept = kept[:min(len(kept), maxTerms)]
	slices.Sort(kept)
	for _, k := range kept {
		b.Terms, b.DF = append(b.Terms, texts.names[k]), append(b.DF, df[k])
	}
	rows := b.vectors(texts)
	b.Mean = make(Floats, len(b.Terms))
	whole := meanOf(rows)
	for k, at := range whole.at {
		b.Mean[at] = float32(whole.x[k])
	}
	of, means := make([]int, b.Texts), []sparse{b.mean()}
	if groups != nil {
		means = nil
		for g, members := range grouped(groups) {
			mean := meanOf(pick(rows, members))
			for _, i := range members {
				of[i] = g
			}
			b.Groups = append(b.Groups, TermGroup{groups[members[0]], mean.at, narrowed(mean.x)})
			means = append(means, b.Groups[g].mean())
		}
	}
	var err error
	b.Axes, b.Rank, err = principalAxes(ctx, rows, of, means, len(b.Terms))
	return b, err
}

// everyone lists n texts.
func everyone(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// grouped lists the members of each group, by first member.
func grouped(groups []string) (members [][]int) {
	at := map[string]int{}
	for i, name := range groups {
		g, ok := at[name]
		if !ok {
			g = len(members)
			at[name] = g
			members = append(members, nil)
		}
		members[g] = append(members[g], i)
	}
	return members
}

// mean of the corpus.
func (b *Terms) mean() (mean sparse) { return sparse{everyone(len(b.Mean)), b.Mean.widened()} }

// places returns where each of some names in alphabetical order is among the terms, −1 when it is not.
func (b *Terms) places(names []string) []int {
	out := make([]int, len(names))
	k := 0
	for i, name := range names {
		for k < len(b.Terms) && b.Terms[k] < name {
			k++
		}
		out[i] = -1
		if k < len(b.Terms) && b.Terms[k] == name {
			out[i] = k
		}
	}
	return out
}

// usage returns in how many texts each term is: those of the corpus and some added to it. It is 1 for terms that are not
// among those kept.
func (b *Terms) usage(texts *bags, added []int) []float64 {
	df := make([]float64, len(texts.names))
	places := b.places(texts.names)
	for k, n := range texts.usage(added) {
		if df[k] = float64(n); places[k] >= 0 {
			df[k] += float64(b.DF[places[k]])
		}
		df[k] = max(1, df[k])
	}
	return df
}

// vectors weighs the terms of texts; a vector has length 1, or 0 when no term is known.
func (b *Terms) vectors(texts *bags) []sparse {
	places := b.places(texts.names)
	rarity := make([]float64, len(b.Terms))
	for k, df := range b.DF {
		rarity[k] = math.Log(float64(b.Texts) / float64(df))
	}
	out := make([]sparse, len(texts.of))
	for i, uses := range texts.of {
		v, norm := &out[i], 0.0
		for _, u := range uses {
			if k := places[u.term]; k >= 0 {
				x := (1 + math.Log(float64(u.times))) * rarity[k]
				v.at, v.x = append(v.at, k), append(v.x, x)
				norm += x * x
			}
		}
		if norm = math.Sqrt(norm); norm > 0 {
			for k := range v.x {
				v.x[k] /= norm
			}
		}
	}
	return out
}

// onAxes adds times v to its coordinates on the axes.
func (b *Terms) onAxes(dst []float64, times float64, v sparse) {
	for k, at := range v.at {
		x := times * v.x[k]
		for j, a := range b.Axes[at*b.Rank : (at+1)*b.Rank] {
			dst[j] += x * float64(a)
		}
	}
}

func (b *Terms) check() error {
	switch {
	case len(b.DF) != len(b.Terms) || len(b.Mean) != len(b.Terms):
		return fmt.Errorf("%d counts and %d means for %d terms", len(b.DF), len(b.Mean), len(b.Terms))
	case b.Rank < 0 || len(b.Axes) != b.Rank*len(b.Terms):
		return fmt.Errorf("%d numbers in %d axes of %d terms", len(b.Axes), b.Rank, len(b.Terms))
	case !slices.IsSorted(b.Terms):
		return fmt.Errorf("terms out of order")
	}
	for _, g := range b.Groups {
		if len(g.At) != len(g.Mean) || !slices.IsSorted(g.At) || len(g.At) > 0 && (g.At[0] < 0 || g.At[len(g.At)-1] >= len(b.Terms)) {
			return fmt.Errorf("group %q: %d means at %d of %d terms", g.Name, len(g.Mean), len(g.At), len(b.Terms))
		}
	}
	for k, n := range b.DF {
		if n < 1 || n > b.Texts {
			return fmt.Errorf("term %q in %d of %d texts", b.Terms[k], n, b.Texts)
		}
	}
	return nil
}
