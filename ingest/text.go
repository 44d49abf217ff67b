package ingest

import (
	"fmt"
	"math"
	"strings"
)

// textPrefix marks columns of running text.
const textPrefix = "text:"

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

// learnText makes the encoder of a corpus.
func learnText(corpus []string) *TextEncoder {
	n := len(corpus)
	terms, grams := make([][]string, n), make([][]string, n)
	for i, text := range corpus {
		terms[i], grams[i] = words(text), gramsOf(text)
	}
	t := &TextEncoder{Words: learnTerms(terms, 2, n), Grams: learnTerms(grams, 8, n/2), lookups: newLookups()}
	rows := make([][]float64, n)
	for i, text := range corpus {
		rows[i] = surface(text, t.lookups, t.Words.df, t.Words.typical(t.Words.vector(terms[i])))
	}
	t.Mean, t.SD = standards(rows)
	for _, row := range rows {
		for k := range row {
			row[k] = clipped((row[k] - t.Mean[k]) / t.SD[k])
		}
	}
	t.ClipMean, t.ClipSD = standards(rows)
	t.prepare()
	return t
}

// prepare works out what is not kept in files.
func (t *TextEncoder) prepare() {
	t.lookups = newLookups()
	t.Words.prepare()
	t.Grams.prepare()
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

func (t *TextEncoder) encodeTo(dst []float64, text string) {
	v := t.Words.vector(words(text))
	n := len(surfaceNames())
	for k, x := range surface(text, t.lookups, t.Words.df, t.Words.typical(v)) {
		x = clipped((x - t.Mean[k]) / t.SD[k])
		dst[k] = (x - t.ClipMean[k]) / t.ClipSD[k] / math.Sqrt(float64(n))
	}
	t.Words.encodeTo(dst[n:n+t.Words.Rank], v)
	t.Grams.encodeTo(dst[n+t.Words.Rank:], t.Grams.vector(gramsOf(text)))
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
	t.prepare()
	return nil
}
