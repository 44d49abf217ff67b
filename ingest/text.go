package ingest

import (
	"fmt"
	"math"
	"strings"
)

// textPrefix marks columns of running text, groupPrefix the column that says which texts are about the same.
const (
	textPrefix  = "text:"
	groupPrefix = "group:"
)

// TextEncoder turns running text into features: how it is written, its words, and its runs of three and four letters.
// What it knows of the corpus comes from the table it was made from, and stays with the encoder.
type TextEncoder struct {
	Mean     []float64 `json:"mean"` // of how the corpus is written
	SD       []float64 `json:"sd"`
	ClipMean []float64 `json:"clip_mean"` // again, after values beyond four deviations were cut
	ClipSD   []float64 `json:"clip_sd"`
	Words    *Terms    `json:"words"`
	Grams    *Terms    `json:"grams"`
	lookups  *lookups
}

// clip is how many deviations from the mean a surface feature may be.
const clip = 4

// learnText makes the encoder of a corpus, in which texts are of the groups named, or all of one when groups is nil.
func learnText(corpus, groups []string) *TextEncoder {
	n := len(corpus)
	terms, grams := make([][]string, n), make([][]string, n)
	for i, text := range corpus {
		terms[i], grams[i] = words(text), gramsOf(text)
	}
	t := &TextEncoder{Words: learnTerms(terms, groups, 2, n), Grams: learnTerms(grams, groups, 8, n/2), lookups: newLookups()}
	vectors := make([]sparse, n)
	for i := range corpus {
		vectors[i] = t.Words.vector(terms[i])
	}
	means := t.Words.means(vectors, groups)
	rows := make([][]float64, n)
	for i, text := range corpus {
		rows[i] = surface(text, t.lookups, t.Words.df, typical(vectors[i], means[i]))
	}
	t.Mean, t.SD = standards(rows)
	for _, row := range rows {
		for k := range row {
			row[k] = clipped((row[k] - t.Mean[k]) / t.SD[k])
		}
	}
	t.ClipMean, t.ClipSD = standards(rows)
	return t
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

// gramsOf returns the runs of three and four letters of a text, blanks at the edges of words included.
func gramsOf(text string) []string {
	var grams []string
	r := []rune(" " + strings.Join(words(text), " ") + " ")
	for _, n := range []int{3, 4} {
		for i := 0; i+n <= len(r); i++ {
			grams = append(grams, string(r[i:i+n]))
		}
	}
	return grams
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

// blocks returns the numbers of features of each kind: how it is written, words, runs of letters.
func (t *TextEncoder) blocks() []int { return []int{len(surfaceNames()), t.Words.Rank, t.Grams.Rank} }

// encode hands the features of every text to put.
func (t *TextEncoder) encode(texts, groups []string, put func(i int, x []float64)) {
	n := len(surfaceNames())
	terms, grams := make([]sparse, len(texts)), make([]sparse, len(texts))
	for i, text := range texts {
		terms[i], grams[i] = t.Words.vector(words(text)), t.Grams.vector(gramsOf(text))
	}
	usage := t.Words.usage(texts, groups)
	wordMeans, gramMeans := t.Words.means(terms, groups), t.Grams.means(grams, groups)
	centres := map[*sparse][]float64{}
	centre := func(b *Terms, mean *sparse) []float64 {
		c, ok := centres[mean]
		if !ok {
			c = make([]float64, b.Rank)
			b.onAxes(c, -1, *mean)
			centres[mean] = c
		}
		return c
	}
	for i, text := range texts {
		x := make([]float64, t.width())
		for k, s := range surface(text, t.lookups, usage[i], typical(terms[i], wordMeans[i])) {
			s = clipped((s - t.Mean[k]) / t.SD[k])
			x[k] = (s - t.ClipMean[k]) / t.ClipSD[k] / math.Sqrt(float64(n))
		}
		ofWords, ofGrams := x[n:n+t.Words.Rank], x[n+t.Words.Rank:]
		copy(ofWords, centre(t.Words, wordMeans[i]))
		copy(ofGrams, centre(t.Grams, gramMeans[i]))
		t.Words.onAxes(ofWords, 1, terms[i])
		t.Grams.onAxes(ofGrams, 1, grams[i])
		put(i, x)
	}
}

// check finds fault with an encoder that was read, or prepares it.
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
	t.lookups = newLookups()
	return nil
}
