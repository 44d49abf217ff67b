package kernel

import (
	"fmt"
	"math"
)

// Spec is a kernel as data, for model files. Params are log-parameters of the
// kernel itself; those of its terms are in the terms.
type Spec struct {
	Type    string    `json:"type"`
	Shape   string    `json:"shape,omitempty"`
	Combine string    `json:"combine,omitempty"`
	Params  []float64 `json:"params,omitempty"`
	Terms   []Spec    `json:"terms,omitempty"`
	// Graph holds the links of a graph kernel, after symmetrising.
	Graph *GraphSpec `json:"graph,omitempty"`
	// Table holds the upper triangle of a covariance, row by row.
	Table []float64 `json:"table,omitempty"`
}

// SpecOf returns the specification of a kernel of this package.
func SpecOf(k Kernel) Spec {
	switch k := k.(type) {
	case *Stationary:
		return Spec{Type: "stationary", Shape: k.shape.String(), Combine: k.combine.String(), Params: k.Params()}
	case *Linear:
		return Spec{Type: "linear", Params: k.Params()}
	case Identity:
		return Spec{Type: "identity"}
	case *Links:
		return Spec{Type: "links", Shape: k.spread.String(), Params: k.Params(), Graph: k.graph.spec()}
	case *Table:
		return Spec{Type: "table", Table: k.triangle()}
	case *scaledKernel:
		return Spec{Type: "scale", Params: []float64{k.logVariance}, Terms: []Spec{SpecOf(k.kernel)}}
	case *sumKernel:
		return Spec{Type: "sum", Terms: specsOf(k.terms)}
	case *productKernel:
		return Spec{Type: "product", Terms: specsOf(k.terms)}
	}
	panic(fmt.Sprintf("kernel: no specification for %T", k))
}

func specsOf(t terms) []Spec {
	specs := make([]Spec, len(t))
	for i, k := range t {
		specs[i] = SpecOf(k)
	}
	return specs
}

// FromSpec returns the kernel that s specifies.
func FromSpec(s Spec) (Kernel, error) {
	for i, p := range s.Params {
		if math.IsNaN(p) || math.IsInf(p, 0) {
			return nil, fmt.Errorf("kernel: %s: log-parameter %d is %v", s.Type, i, p)
		}
	}
	build, ok := map[string]func(Spec, []Kernel) (Kernel, error){
		"stationary": stationaryFrom,
		"linear":     func(s Spec, _ []Kernel) (Kernel, error) { return &Linear{s.Params}, s.shape(-1, 0) },
		"identity":   func(s Spec, _ []Kernel) (Kernel, error) { return Identity{}, s.shape(0, 0) },
		"links":      linksFrom,
		"table":      tableFrom,
		"scale":      scaleFrom,
		"sum":        func(s Spec, t []Kernel) (Kernel, error) { return &sumKernel{t}, s.shape(0, -1) },
		"product":    func(s Spec, t []Kernel) (Kernel, error) { return &productKernel{t}, s.shape(0, -1) },
	}[s.Type]
	if !ok {
		return nil, fmt.Errorf("kernel: unknown type %q", s.Type)
	}
	terms := make([]Kernel, len(s.Terms))
	for i, term := range s.Terms {
		var err error
		if terms[i], err = FromSpec(term); err != nil {
			return nil, err
		}
	}
	s.Params = append([]float64(nil), s.Params...)
	k, err := build(s, terms)
	if err != nil {
		return nil, err
	}
	return k, nil
}

func stationaryFrom(s Spec, _ []Kernel) (Kernel, error) {
	shape, err := parseShape(s.Shape)
	if err != nil {
		return nil, err
	}
	combine, err := parseCombination(s.Combine)
	if err != nil {
		return nil, err
	}
	return &Stationary{shape, combine, s.Params}, s.shape(-1, 0)
}

func scaleFrom(s Spec, t []Kernel) (Kernel, error) {
	if err := s.shape(1, 1); err != nil {
		return nil, err
	}
	return &scaledKernel{s.Params[0], t[0]}, nil
}

// shape checks the numbers of parameters and terms; −1 means one or more.
func (s Spec) shape(params, terms int) error {
	if fits(len(s.Params), params) && fits(len(s.Terms), terms) {
		return nil
	}
	return fmt.Errorf("kernel: %s with %d parameters and %d terms", s.Type, len(s.Params), len(s.Terms))
}

func fits(n, want int) bool { return n == want || want < 0 && n > 0 }
