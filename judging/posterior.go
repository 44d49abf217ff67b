package judging

import (
	"gonum.org/v1/gonum/stat"

	"palate/model"
)

// PosteriorReliability is the expected squared correlation of a board's scores with the
// truth: the share of the variance of utilities that the scores have. It is what the model
// believes, and not the scale separation reliability.
func PosteriorReliability(b *model.Board) float64 {
	var scores []float64
	var open float64
	rows := b.Groups[0].Rows
	for _, row := range rows {
		scores = append(scores, row.Score)
		open += row.SD * row.SD / float64(len(rows))
	}
	known := stat.Variance(scores, nil)
	return known / (known + open)
}
