package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"palate"
	"palate/infer"
	"palate/likelihood"
)

// habitClasses is into how many classes voters are sorted by the share of their votes that
// are ties, where rows are not told apart by voter.
const habitClasses = 32

// habitual reports whether voters differ in how they call ties: where several are named,
// by EP, as the draws of those who lapse are not log-concave, unless a margin was given.
func (m *Single) habitual(d *palate.Dataset) bool {
	_, ep := m.rule().(infer.EP)
	return ep && m.obs.ties && m.obs.answer == nil && m.options.Threshold == 0 && d.NumUsers() > 1
}

// habitsOf numbers the habits of users, and of nobody last: each has one where rows are
// told apart by voter, else voters of like shares of ties have one.
func (m *Single) habitsOf(d *palate.Dataset) []int {
	votes, ties := make([]float64, d.NumUsers()+1), make([]float64, d.NumUsers()+1)
	for _, t := range d.Tallies(true) {
		u := t.User
		if u < 0 {
			u = d.NumUsers()
		}
		votes[u] += t.Weight
		if t.Tie {
			ties[u] += t.Weight
		}
	}
	return classesOf(votes, ties, m.obs.group != nil)
}

// observer returns a function that observes votes again, with what it tells apart already,
// with the habits of users, of nobody last, and with what else bears on votes, if there are
// any, and with sides; answers about several items beside them stay as they are.
func (m *Single) observer(d *palate.Dataset, answers []palate.Answer, habits []int, more *covariates) func(sides bool) *observations {
	told := m.obs.group != nil
	return func(sides bool) *observations {
		by := palate.Apart{Sides: sides}
		if told {
			by.Group = d.Units()
		}
		classes := 1
		if more.any() {
			by.Class, classes = slices.Clone(more.class), len(more.values)
		}
		if habits != nil {
			if by.Class == nil {
				by.Class = make([]int32, d.NumVotes())
			}
			for k, v := range d.Votes() {
				if v.User < 0 {
					v.User = len(habits) - 1
				}
				by.Class[k] += int32(classes * max(0, habits[v.User])) // of skips alone there is none
			}
		}
		tallies := d.TalliesApart(by)
		o := observe(tallies, answers, sides, more)
		if habits != nil {
			for _, t := range tallies {
				o.habit = append(o.habit, t.Class/classes)
			}
		}
		return o
	}
}

// Voters returns the names of those whose habits of calling ties the model knows, in the
// order of the numbers by which Prefer is asked of them; none where all have the same.
func (m *Single) Voters() []string { return m.voters }

// classesOf numbers the habits of voters; −1 for those without votes. Each voter has one,
// or where there are many those whose shares of ties are near each other.
func classesOf(votes, ties []float64, each bool) []int {
	class := make([]int, len(votes))
	var voters []int
	var all, tied float64
	for u, n := range votes {
		if class[u] = -1; n > 0 {
			class[u] = len(voters)
			voters = append(voters, u)
			all, tied = all+n, tied+ties[u]
		}
	}
	if each || len(voters) <= habitClasses {
		return class
	}
	share := func(u int) float64 { return (ties[u] + 4*tied/all) / (votes[u] + 4) }
	slices.SortStableFunc(voters, func(a, b int) int { return cmp.Compare(share(a), share(b)) })
	before := 0.0
	next, last := -1, -1
	for _, u := range voters {
		if c := int(habitClasses * before / all); c != last {
			next, last = next+1, c
		}
		class[u] = next
		before += votes[u]
	}
	return class
}

// newHabits begins with what the shares of ties say.
func (o *observations) newHabits() *likelihood.Habits {
	n := slices.Max(o.habit) + 1
	votes, ties := make([]float64, n), make([]float64, n)
	for r, h := range o.habit {
		c := o.count[r]
		if o.power != nil {
			c *= o.power[r]
		}
		votes[h] += c
		if o.outcome[r] == tied {
			ties[h] += c
		}
	}
	return likelihood.NewHabits(ties, votes)
}

// habitRounds are those of learning habits and all else in turn, habitSteps the steps that
// habits take in each, and sameHabits the change below which they are done.
const (
	habitRounds = 6
	habitSteps  = 4
	sameHabits  = 0.02
)

// habitTolerance is that of inference while habits are learnt: ties that may be lapses make
// sites settle slowly.
const habitTolerance = 1e-4

// gridTolerance is that of inference at scales that are only drawn from.
func (m *Single) gridTolerance() float64 {
	if m.voting.habits != nil {
		return max(habitTolerance, m.tolerance())
	}
	return m.tolerance()
}

// renewHabits moves the habits of voters uphill, at what is known of each row without it, and the
// common margin, whose logarithm is x[at], along. It returns by how much they changed.
func (s *search) renewHabits(forms []infer.Form, x []float64, at int) (change float64) {
	o := s.m.obs
	rows := make([][]int, len(s.habits.Of))
	for r, h := range o.habit {
		if !math.IsNaN(forms[r].Var) {
			rows[h] = append(rows[h], r)
		}
	}
	for range habitSteps {
		_, v, _, _ := s.at(x)
		shared, count := math.Sqrt(1-v.repeat), v.counts(o)
		common, moved := s.habits.Renew(func(voter int, h likelihood.Habit) (sum float64) {
			win, tie := v.as(h, 0)
			left := [2]likelihood.Scalar{win, tie}
			if v.repeat > 0 {
				left[0], left[1] = v.as(h, shared)
			}
			for _, r := range rows[voter] {
				l := [2]likelihood.Scalar{win, tie}[o.outcome[r]]
				if v.together(o, r) {
					l = left[o.outcome[r]]
				}
				f := forms[r]
				sum += count[r] * likelihood.Tilt(v.at(l, o, r), f.Mean, f.Var+f.Residual).LogZ
			}
			return sum
		})
		x[at] = min(max(x[at]+math.Log(common), s.params[at].lo), s.params[at].hi)
		change = max(change, moved)
		if moved < 0.1*sameHabits {
			break
		}
	}
	return change
}

// climbWithHabits climbs over the hyper-parameters, at the habits that shares of ties
// suggest or that there are already, then over habits, which hardly move the others.
func (s *search) climbWithHabits(ctx context.Context, from []float64, rough bool) ([]float64, error) {
	defer func(was float64) { s.rough = was }(s.rough)
	s.rough = max(s.rough, habitTolerance)
	x, err := s.climbOnce(ctx, from, rough)
	if err != nil {
		return nil, err
	}
	x = slices.Clone(x)
	at := slices.IndexFunc(s.params, func(p parameter) bool { return p.name == "tie threshold" })
	for range habitRounds {
		var forms []infer.Form
		if s.graph != nil {
			forms = s.graph.Forms()
		} else {
			_, r, err := s.value(ctx, x)
			if err != nil {
				return nil, err
			}
			forms = r.Forms()
		}
		change := s.renewHabits(forms, x, at)
		if s.graph != nil {
			s.graph.Set(s.graphProblem(x))
			if _, err := s.graph.Settle(ctx, s.m.tolerance()); err != nil {
				return nil, err
			}
			s.start = s.graph.Sites()
		}
		if change < sameHabits {
			break
		}
	}
	return x, nil
}
