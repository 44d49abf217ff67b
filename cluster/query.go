package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"palate/population"
)

const queryKind = "palquery"

// queryHead is the head of a query, behind which mean and factors of the population stand.
type queryHead struct {
	Format    int             `json:"format"`
	Items     int             `json:"items"`
	Factors   int             `json:"factors"`
	Scale     float64         `json:"scale"`
	Threshold float64         `json:"threshold"`
	Tolerance float64         `json:"tolerance"`
	Want      population.Want `json:"want"`
}

func queryBytes(q population.Query) ([]byte, error) {
	p := q.Prior
	if p.Items.K != nil || p.F > 0 {
		return nil, fmt.Errorf("features of items and voters have no place here: fit with palate on one machine")
	}
	h := queryHead{format, p.Items.N, p.D, p.Scale, q.Threshold, q.Tolerance, q.Want}
	return seal(queryKind, h, floatBytes(p.T), floatBytes(p.A))
}

func queryOf(data []byte) (population.Query, error) {
	var h queryHead
	body, err := unseal(queryKind, data, &h)
	if err == nil && (h.Format != format || len(body) != 8*h.Items*(1+h.Factors)) {
		err = fmt.Errorf("it is of format %d with %d bytes", h.Format, len(body))
	}
	if err != nil {
		return population.Query{}, fmt.Errorf("a query: %w", err)
	}
	x := floatsOf(body)
	p := &population.LowRank{Items: population.NewItems(h.Items, nil, nil, nil), Scale: h.Scale, D: h.Factors, T: x[:h.Items], A: x[h.Items:]}
	return population.Query{Prior: p, Threshold: h.Threshold, Tolerance: h.Tolerance, Want: h.Want}, nil
}

func queryFile(fit string, evaluation int) string {
	return fmt.Sprintf("%s/query-%05d", fit, evaluation)
}

// readQuery reads a query, which has the checksum if one is given.
func readQuery(ctx context.Context, path, checksum string) (population.Query, error) {
	data, err := readFile(ctx, path)
	if err != nil {
		return population.Query{}, fmt.Errorf("what is asked of the shards is missing: %w; run the fit again", err)
	}
	if checksum != "" && sum(data) != checksum {
		return population.Query{}, fmt.Errorf("%s: the checksum does not match: it is damaged, or another fit is at work in the same folder", path)
	}
	return queryOf(data)
}

func floatBytes(x []float64) []byte {
	out := make([]byte, 8*len(x))
	for k, v := range x {
		binary.LittleEndian.PutUint64(out[8*k:], math.Float64bits(v))
	}
	return out
}

func floatsOf(b []byte) []float64 {
	out := make([]float64, len(b)/8)
	for k := range out {
		out[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
	}
	return out
}
