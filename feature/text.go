package feature

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate/ingest"
)

// textPrefix marks columns of running text, groupPrefix the column that says which texts are about the same.
const (
	textPrefix  = "text:"
	groupPrefix = "group:"
)

// TextEncoder turns running text into features: how it is written, its words, and its runs of three and four characters.
// What it knows of the corpus comes from the table it was made from, and stays with the encoder.
type TextEncoder struct {
	Mean     []float64 `json:"mean"` // of how the corpus is written
	SD       []float64 `json:"sd"`
	ClipMean []float64 `json:"clip_mean"` // again, after values beyond four deviations were cut
	ClipSD   []float64 `json:"clip_sd"`
	Words    *Terms    `json:"words"`
	Grams    *Terms    `json:"grams"`
}

// groupsOf returns the cells of a table's column of groups, nil when there is none.
func groupsOf(t *ingest.Table) []string {
	for j, name := range t.Columns {
		if strings.HasPrefix(strings.ToLower(name), groupPrefix) {
			groups := make([]string, len(t.IDs))
			for i := range groups {
				groups[i] = t.Cell(i, j)
			}
			return groups
		}
	}
	return nil
}

// clip is how many deviations from the mean a surface feature may be.
const clip = 4

// learnText makes the encoder of a corpus, in which texts are of the groups named, or all of one when groups is nil.
func learnText(ctx context.Context, c *corpus, groups []string) (t *TextEncoder, err error) {
	n := len(c.style)
	t = &TextEncoder{}
	if t.Words, err = learnTerms(ctx, &c.words, groups, 2, n); err != nil {
		return nil, err
	}
	if t.Grams, err = learnTerms(ctx, &c.grams, groups, 8, n/2); err != nil {
		return nil, err
	}
	var rows [][]float64
	t.each(c, groups, func(_ int, x []float64) { rows = append(rows, x[:len(surfaceNames())]) })
	t.Mean, t.SD = standards(rows)
	for _, row := range rows {
		for k := range row {
			row[k] = clipped((row[k] - t.Mean[k]) / t.SD[k])
		}
	}
	t.ClipMean, t.ClipSD = standards(rows)
	return t, nil
}

func clipped(x float64) float64 { return max(-clip, min(clip, x)) }

// standards returns mean and standard deviation of each column, 1 for a constant.
func standards(rows [][]float64) (mean, sd []float64) {
	w := len(surfaceNames())
	mean, sd = make([]float64, w), make([]float64, w)
	for k := range w {
		for _, row := range rows {
			mean[k] += row[k] / float64(len(rows))
		}
		for _, row := range rows {
			d := row[k] - mean[k]
			sd[k] += d * d / float64(len(rows))
		}
		if sd[k] = math.Sqrt(sd[k]); !(sd[k] > 1e-9*(1+math.Abs(mean[k]))) {
			sd[k] = 1
		}
	}
	return mean, sd
}

func (t *TextEncoder) width() int { return len(surfaceNames()) + t.Words.Rank + t.Grams.Rank }

// names of the features of a column.
func (t *TextEncoder) names(column string) []string {
	var all []string
	for _, s := range surfaceNames() {
		all = append(all, column+"."+s)
	}
	for k := range t.Words.Rank {
		all = append(all, fmt.Sprintf("%s.word%d", column, k+1))
	}
	for k := range t.Grams.Rank {
		all = append(all, fmt.Sprintf("%s.gram%d", column, k+1))
	}
	return all
}

// blocks returns the numbers of features of each kind: how long it is, the first of surfaceNames, how it is written otherwise, words,
// runs of characters.
func (t *TextEncoder) blocks() []int {
	return []int{1, len(surfaceNames()) - 1, t.Words.Rank, t.Grams.Rank}
}

// encode hands the features of every text to put.
func (t *TextEncoder) encode(c *corpus, groups []string, put func(i int, x []float64)) {
	n := len(surfaceNames())
	t.each(c, groups, func(i int, x []float64) {
		for k, s := range x[:n] {
			s = clipped((s - t.Mean[k]) / t.SD[k])
			x[k] = (s - t.ClipMean[k]) / t.ClipSD[k] / math.Sqrt(float64(n))
		}
		put(i, x)
	})
}

// each hands the features of every text to put, group by group, those of how it is written as they are. A group that
// the encoder has not seen is taken as if it had: texts less their own mean, words counted with those of the corpus. A
// text that stands alone is taken less the mean of all.
func (t *TextEncoder) each(c *corpus, groups []string, put func(i int, x []float64)) {
	words, grams := t.Words.vectors(&c.words), t.Grams.vectors(&c.grams)
	known := t.Words.usage(&c.words, nil)
	allWords, allGrams := t.Words.mean(), t.Grams.mean()
	parts, seen := [][]int{everyone(len(c.style))}, map[string]int{}
	apart := len(t.Words.Groups) > 0 && groups != nil
	if apart {
		parts = grouped(groups)
		for g := range t.Words.Groups {
			seen[t.Words.Groups[g].Name] = g
		}
	}
	for _, part := range parts {
		ofWords, ofGrams, df := allWords, allGrams, known
		if apart {
			if g, ok := seen[groups[part[0]]]; ok {
				ofWords, ofGrams = t.Words.Groups[g].mean(), t.Grams.Groups[g].mean()
			} else {
				df = t.Words.usage(&c.words, part)
				if len(part) > 1 {
					ofWords, ofGrams = meanOf(pick(words, part)), meanOf(pick(grams, part))
				}
			}
		}
		origin := make([]float64, t.width())
		onWords, onGrams := t.split(origin)
		t.Words.onAxes(onWords, -1, ofWords)
		t.Grams.onAxes(onGrams, -1, ofGrams)
		for _, i := range part {
			x := slices.Clone(origin)
			onWords, onGrams := t.split(x)
			t.Words.onAxes(onWords, 1, words[i])
			t.Grams.onAxes(onGrams, 1, grams[i])
			rare, logDF := rarity(c.words.of[i], df)
			copy(x, append(slices.Clip(c.style[i]), rare, logDF, words[i].dot(ofWords)))
			put(i, x)
		}
	}
}

// split returns the features of words and of runs of characters.
func (t *TextEncoder) split(x []float64) (words, grams []float64) {
	x = x[len(surfaceNames()):]
	return x[:t.Words.Rank], x[t.Words.Rank:]
}

// check finds fault with an encoder that was read.
func (t *TextEncoder) check() error {
	n := len(surfaceNames())
	for _, x := range [][]float64{t.Mean, t.SD, t.ClipMean, t.ClipSD} {
		if len(x) != n {
			return fmt.Errorf("statistics of %d features of writing, there are %d", len(x), n)
		}
	}
	for k := range n {
		if !(t.SD[k] > 0) || !(t.ClipSD[k] > 0) {
			return fmt.Errorf("feature %s has standard deviation %v", surfaceNames()[k], t.SD[k])
		}
	}
	if t.Words == nil || t.Grams == nil {
		return fmt.Errorf("no terms")
	}
	if err := t.Words.check(); err != nil {
		return err
	}
	if err := t.Grams.check(); err != nil {
		return err
	}
	if !slices.EqualFunc(t.Words.Groups, t.Grams.Groups, func(a, b TermGroup) bool { return a.Name == b.Name }) {
		return fmt.Errorf("words and runs of characters of different groups")
	}
	return nil
}
