package paper

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Query is a query of a retrieval benchmark with its judged documents.
type Query struct {
	ID        string
	Docs      []string
	Features  *mat.Dense
	Relevance []float64 // 0: not, 1: partially, 2: definitely
}

// relevant tells the documents that are relevant at all.
func (q *Query) relevant() []bool {
	r := make([]bool, len(q.Relevance))
	for i, x := range q.Relevance {
		r[i] = x > 0
	}
	return r
}

func ohsumedArchive() archive {
	return archive{name: "letor_ohsumed", unpacks: "OHSUMED", home: "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/"}
}

// readOHSUMED reads OHSUMED as LETOR 2.0 has it: lines "rel qid:Q 1:v … 25:v #docid = D", sorted by query. Queries with
// nothing relevant are left out.
func readOHSUMED(f Folder) ([]*Query, error) {
	t, err := f.open(ohsumedArchive(), "OHSUMED.txt.gz", "OHSUMED.txt")
	if err != nil {
		return nil, err
	}
	defer t.close()
	const features = 25
	var queries []*Query
	var rows []float64
	end := func() {
		if n := len(queries); n > 0 {
			q := queries[n-1]
			q.Features = mat.NewDense(len(q.Docs), features, rows)
			rows = nil
		}
	}
	for {
		ok, err := t.next(" ", features+2)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		rel, err := t.whole(0, "relevance", 3)
		if err != nil {
			return nil, err
		}
		id, isQuery := strings.CutPrefix(t.row[1], "qid:")
		if !isQuery {
			return nil, t.fault("qid", "%q has no qid:", t.row[1])
		}
		if n := len(queries); n == 0 || queries[n-1].ID != id {
			end()
			queries = append(queries, &Query{ID: id})
		}
		q := queries[len(queries)-1]
		for k := range features {
			number, value, ok := strings.Cut(t.row[2+k], ":")
			x, err := strconv.ParseFloat(value, 64)
			if !ok || number != strconv.Itoa(k+1) || err != nil {
				return nil, t.fault("feature "+strconv.Itoa(k+1), "%q is not %d:NUMBER", t.row[2+k], k+1)
			}
			rows = append(rows, x)
		}
		q.Docs = append(q.Docs, t.row[len(t.row)-1])
		q.Relevance = append(q.Relevance, float64(rel))
	}
	end()
	// Average precision says nothing where nothing is relevant.
	queries = slices.DeleteFunc(queries, func(q *Query) bool { return !slices.Contains(q.relevant(), true) })
	if len(queries) == 0 {
		return nil, t.fault("relevance", "no query has a relevant document")
	}
	return queries, nil
}

// standardise gives the columns mean 0 and variance 1, cut off at ±4; a constant column becomes 0.
func standardise(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d, nil)
	for j := range d {
		var m, v float64
		for i := range n {
			m += x.At(i, j) / float64(n)
		}
		for i := range n {
			v += (x.At(i, j) - m) * (x.At(i, j) - m) / float64(n)
		}
		if v < 1e-20 {
			continue
		}
		for i := range n {
			out.Set(i, j, math.Max(-4, math.Min(4, (x.At(i, j)-m)/math.Sqrt(v))))
		}
	}
	return out
}
