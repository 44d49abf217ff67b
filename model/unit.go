package model

// Units is a model whose board of everybody is in other units than those of voters: of the noise
// of a new voter's vote, tastes included.
type Units interface {
	// Unit returns how many units of everybody's board one of a voter's own is, 1 at most.
	Unit() float64
}

var (
	_ Units = (*Single)(nil)
	_ Units = (*Population)(nil)
	_ Units = (*Crowd)(nil)
	_ Units = (*Average)(nil)
)

// Unit is that of voters told apart; 1 where votes are pooled.
func (m *Single) Unit() float64 { return m.dependence.unit() }

// Unit is that of the members by their weights.
func (m *Population) Unit() float64 { return m.family.Unit() }

// Unit is that of the part that says what everybody likes.
func (m *Average) Unit() float64 {
	if u, ok := m.parts[0].(Units); ok {
		return u.Unit()
	}
	return 1
}
