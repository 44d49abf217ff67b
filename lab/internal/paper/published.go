package paper

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

//go:embed testdata/*.json
var publications embed.FS

// Publication is a paper with the figures it printed.
type Publication struct {
	Short    string // as comments in the code cite it
	Citation string
	Note     string
	Figures  []Printed
}

// Printed is one row of a published table.
type Printed struct {
	Paper       string `json:"-"` // short name
	Table       string
	Data, Split string
	Method      string // as printed
	Setting     string // of the method, where the table has several
	Model       string // our words for the method, separated by spaces; empty: there are none
	Acc, CE     *float64
	Bits, Tau   *float64
	CPU         *float64 `json:"cpu_s"`
}

// Published is what was published for a row.
type Published struct {
	Method string // "best" when it is the best of each column
	From   string
	Figures
}

// best reports whether the figures are not those of one method, or none.
func (p Published) best() bool { return p.Method == "best" || p.Method == "" }

// publication reads the figures of a paper by its short name.
func publication(short string) (*Publication, error) {
	text, err := publications.ReadFile(path.Join("testdata", short+".json"))
	if err != nil {
		return nil, fmt.Errorf("paper: published figures of %s: %w", short, err)
	}
	p := &Publication{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("paper: published figures of %s: %w", short, err)
	}
	for k := range p.Figures {
		p.Figures[k].Paper = p.Short
	}
	return p, nil
}

func (p *Printed) figures() Figures {
	f := noFigures()
	for m, x := range map[Measure]*float64{Acc: p.Acc, CE: p.CE, Bits: p.Bits, Tau: p.Tau, CPU: p.CPU} {
		if x != nil {
			f[m] = *x
		}
	}
	switch { // the one loss in the other's unit
	case !math.IsNaN(f[CE]) && math.IsNaN(f[Bits]):
		f[Bits] = f[CE] / math.Ln2
	case !math.IsNaN(f[Bits]) && math.IsNaN(f[CE]):
		f[CE] = f[Bits] * math.Ln2
	}
	return f
}

// printed returns the rows that the papers have on a set.
func printed(papers []*Publication, data, split string) (rows []Printed) {
	for _, p := range papers {
		for _, f := range p.Figures {
			if f.Data == data && f.Split == split {
				rows = append(rows, f)
			}
		}
	}
	return rows
}

// published finds what the papers printed for one of our models: the method it stands for, in the first paper that
// has it, at the setting with the least loss; else, but for yardsticks, the best of each column over all papers.
func published(papers []*Publication, data, split string, m Method) Published {
	for _, p := range papers {
		var found []Printed
		for _, f := range printed([]*Publication{p}, data, split) {
			if slices.ContainsFunc(strings.Fields(f.Model), m.is) {
				found = append(found, f)
			}
		}
		if len(found) > 0 {
			best := slices.MinFunc(found, func(a, b Printed) int {
				x, y := a.figures(), b.figures()
				switch {
				case x[CE] < y[CE]:
					return -1
				case x[CE] > y[CE]:
					return 1
				}
				return 0
			})
			return Published{best.Method, best.Paper, best.figures()}
		}
	}
	if m.Yardstick {
		return Published{Figures: noFigures()}
	}
	all, from := Published{Figures: noFigures()}, []string(nil)
	for _, p := range papers {
		for _, row := range printed([]*Publication{p}, data, split) {
			f := row.figures()
			for _, k := range []Measure{Acc, CE, Bits, Tau} { // the time is that of a machine we do not have
				if better(k, f[k], all.Figures[k]) {
					all.Figures[k] = f[k]
				}
			}
			all.Method = "best"
		}
		if all.Method != "" {
			from = append(from, p.Short)
		}
	}
	all.From = strings.Join(from, ", ")
	return all
}

// better reports whether x is better than y, which any number is than NaN.
func better(m Measure, x, y float64) bool {
	if math.IsNaN(x) || math.IsNaN(y) {
		return !math.IsNaN(x)
	}
	if m.ascending() {
		return x > y
	}
	return x < y
}
