package model

import (
	"fmt"
	"slices"

	"palate/likelihood"
)

// tieHabits is what model.json says of how voters differ in calling ties: the deviation of
// the logarithms of their margins, the mean share of pairs that they call a tie whatever
// they are, and who they are. Arrays have the habits.
type tieHabits struct {
	Spread float64  `json:"margin_spread"`
	Lapse  float64  `json:"lapse"`
	Voters []string `json:"voters"`
}

func (m *Single) tieHabits() *tieHabits {
	h := m.voting.habits
	if h == nil {
		return nil
	}
	return &tieHabits{h.Spread, h.Lapse, m.voters}
}

// saveHabits writes the habits, that of every voter and that of every row.
func (m *Single) saveHabits(a *arrayWriter) {
	h := m.voting.habits
	if h == nil {
		return
	}
	margin, lapse := make([]float64, len(h.Of)), make([]float64, len(h.Of))
	for k, x := range h.Of {
		margin[k], lapse[k] = x.Margin, x.Lapse
	}
	a.floats("habit_margin", margin, len(margin))
	a.floats("habit_lapse", lapse, len(lapse))
	numbers := func(name string, x []int) {
		out := make([]int64, len(x))
		for k, i := range x {
			out[k] = int64(i)
		}
		writeArray(a, name, out, len(out))
	}
	numbers("voter_habit", m.habitOf)
	numbers("habit", m.obs.habit)
}

// loadHabits reads what saveHabits wrote.
func (m *Single) loadHabits(a *arrayReader, t *tieHabits) {
	if t == nil || a.err != nil {
		return
	}
	margin, _ := readArray[float64](a, "habit_margin")
	lapse := a.floats("habit_lapse", len(margin))
	numbers := func(name string, n int) (out []int) {
		x, _ := readArray[int64](a, name)
		if a.err == nil && len(x) != n {
			a.err = fmt.Errorf("%s.npy: %d entries where there should be %d", name, len(x), n)
		}
		for k, i := range x {
			if a.err == nil && (i < -1 || i >= int64(len(margin)) || name == "habit" && i < 0) {
				a.err = fmt.Errorf("%s.npy: element %d is %d of %d", name, k, i, len(margin))
			}
			out = append(out, int(i))
		}
		return out
	}
	m.voters, m.habitOf, m.obs.habit = t.Voters, numbers("voter_habit", len(t.Voters)), numbers("habit", m.obs.rows.Len())
	bad := func(x likelihood.Habit) bool { return !(x.Margin > 0 && x.Lapse >= 0 && x.Lapse < 1) }
	h := &likelihood.Habits{Spread: t.Spread, Lapse: t.Lapse}
	for k := range min(len(margin), len(lapse)) {
		h.Of = append(h.Of, likelihood.Habit{Margin: margin[k], Lapse: lapse[k]})
	}
	if a.err == nil && (slices.ContainsFunc(h.Of, bad) || bad(likelihood.Habit{Margin: h.Spread, Lapse: h.Lapse})) {
		a.err = fmt.Errorf("model.json: tie_habits: spread %g, lapse %g, and of the voters some are no margins or lapses", h.Spread, h.Lapse)
	}
	m.voting.habits = h
}
