package crowd

import (
	"fmt"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/likelihood"
	"palate/population"
)

// An answer about several items draws u_i = f_i + ε_i of each, ε_i ~ N(0, σ²) with σ² = ½, and
// compares what it drew. With T the precisions of the sites of its comparisons, B their forms
// and K = (I + σ²BᵀTB)⁻¹, it tells the utilities of its items the precision (I − K)/σ². BᵀTB is
// the Laplacian of a graph, so that no entry of K is negative and its rows sum to one: what the
// answer tells is what votes between all pairs of its items would, each with a site of precision
// K_ij/σ². So an answer about k items is k(k−1)/2 votes, and all that knows votes goes on with
// votes. EP finds their sites by the answer as a whole (package population). The bound knows no
// more of an answer than pairs that follow from it, which weigh no more together than it tells;
// about other pairs it says nothing, until EP does.
//
// The logarithm of an answer's probability bends by at most 1/σ² along differences of its
// items, which is 1/(kσ²) along each pair.

// drawnNoise is σ².
const drawnNoise = 0.5

// answered is an answer among the votes of a voter.
type answered struct {
	copies float64 // how often it was given
	items  []int32
	pair   int      // where its comparisons begin among the pairs of the people
	said   [][2]int // its comparisons, by places in items
	vote   int      // where the pairs of its items begin among the votes
}

// vote of the pair of places i < j among the answer's items.
func (a *answered) voteOf(i, j int) int {
	k := len(a.items)
	return a.vote + i*k - i*(i+1)/2 + j - i - 1
}

// TakesAnswers reports whether answers about several items, beside votes, are taken as such,
// which is by EP in the end, of voters with tastes of their own for all items that they compare.
func (o *Options) TakesAnswers(tallies []palate.Tally, answers []palate.Answer) bool {
	return !o.NoOwn && !o.ByBound && !o.Nugget && !o.Reliability && !o.Habits && o.Stochastic == nil && fewItems(tallies, answers)
}

// fewItems reports whether answers are short enough, and all voters have tastes of their own for
// all items that they compare.
func fewItems(tallies []palate.Tally, answers []palate.Answer) bool {
	of := map[int]map[int]bool{}
	see := func(user, a, b int) {
		if of[user] == nil {
			of[user] = map[int]bool{}
		}
		of[user][a], of[user][b] = true, true
	}
	for _, t := range tallies {
		see(t.User, t.A, t.B)
	}
	for _, a := range answers {
		for _, c := range a.Said {
			see(a.User, c.A, c.B)
		}
	}
	for user, items := range of {
		if user >= 0 && len(items) > mostOwn {
			return false
		}
	}
	return population.TakesAnswers(answers)
}

// kindOf numbers kinds of votes, and adds new ones.
func (v *Votes) kindOf(k population.Observation) uint8 {
	i := slices.Index(v.kinds, k)
	if i < 0 {
		i = len(v.kinds)
		v.kinds = append(v.kinds, k)
	}
	return uint8(i)
}

// silence is the kind of votes of which the bound knows nothing.
var silence = population.Observation{Power: 0}

// addAnswer appends the pairs of an answer's items to the votes of a voter, pairs that rows are
// found by.
func (v *Votes) addAnswer(a palate.Answer, pair int, rowOf func(win, lose int) int32) answered {
	out := answered{copies: a.Weight, pair: pair, vote: len(v.row)}
	for _, c := range a.Said {
		out.items = append(out.items, int32(c.A), int32(c.B))
	}
	slices.Sort(out.items)
	out.items = slices.Compact(out.items)
	place := func(i int) int { at, _ := slices.BinarySearch(out.items, int32(i)); return at }
	for _, c := range a.Said {
		out.said = append(out.said, [2]int{place(c.A), place(c.B)})
	}
	type key struct{ i, j int }
	follows := map[key]palate.Tally{}
	for _, t := range a.Tallies() {
		follows[key{min(t.A, t.B), max(t.A, t.B)}] = t
	}
	bend := a.Weight / (drawnNoise * float64(len(out.items)))
	for i, x := range out.items {
		for _, y := range out.items[i+1:] {
			t, ok := follows[key{int(x), int(y)}]
			if !ok {
				t = palate.Tally{A: int(x), B: int(y)}
			}
			count, kind := 1.0, silence
			if ok {
				var power float64
				count, power = likelihood.Counted(t.Weight)
				kind = population.Observation{Tie: t.Tie, Power: power}
			}
			v.row, v.count, v.kind = append(v.row, rowOf(t.A, t.B)), append(v.count, count), append(v.kind, v.kindOf(kind))
			for len(v.bent) < len(v.row)-1 {
				v.bent = append(v.bent, 0)
			}
			v.bent = append(v.bent, bend/count)
		}
	}
	return out
}

// writeSites notes the slope and the curvature of every vote of voter u at the sites of EP.
func (s *stretching) writeSites(person *population.Person, u int) {
	forms, first := person.Forms(), s.pairs[u]
	slope := func(pair int) float64 { return s.voters.Nu[pair] - s.voters.Tau[pair]*forms[pair-first] }
	answers := s.answersOf(u)
	loose := len(forms)
	if len(answers) > 0 {
		loose = answers[0].pair - first
	}
	for t := range loose {
		p := s.start[u] + t
		s.d1[p], s.d2[p] = slope(first+t), -s.voters.Tau[first+t]
	}
	for n := range answers {
		a := &answers[n]
		k := len(a.items)
		prec, keep := make([]float64, k*k), make([]float64, k*k)
		for i := range k {
			prec[i*k+i] = 1
		}
		for r, at := range a.said {
			i, j, t := max(at[0], at[1]), min(at[0], at[1]), drawnNoise*s.voters.Tau[a.pair+r]
			prec[i*k+i] += t
			prec[j*k+j] += t
			prec[i*k+j] -= t
		}
		if _, ok := num.Invert(keep, prec, k); !ok {
			panic("crowd: an identity and more is not positive definite")
		}
		for i := range k {
			for j := i + 1; j < k; j++ {
				p := a.voteOf(i, j)
				s.d1[p], s.d2[p] = 0, -a.copies*keep[j*k+i]/(drawnNoise*s.count[p])
			}
		}
		for r, at := range a.said {
			p := a.voteOf(min(at[0], at[1]), max(at[0], at[1]))
			x := a.copies * slope(a.pair+r) / s.count[p]
			if index, _ := s.Votes.rows.Row(int(s.row[p])); index[0] != int(a.items[at[0]]) {
				x = -x
			}
			s.d1[p] += x
		}
	}
}

// answersOf returns the answers of voter u about several items.
func (v *Votes) answersOf(u int) []answered {
	if v.answers == nil {
		return nil
	}
	return v.answers[u]
}

// voteOfPair returns the vote that a pair of the people is, of voter u.
func (v *Votes) voteOfPair(u, pair int) int {
	for _, a := range v.answersOf(u) {
		if r := pair - a.pair; r >= 0 && r < len(a.said) {
			return a.voteOf(min(a.said[r][0], a.said[r][1]), max(a.said[r][0], a.said[r][1]))
		}
	}
	return v.start[u] + pair - v.pairs[u]
}

// checkAnswers reports answers that NewVotes does not take.
func checkAnswers(items int, answers []palate.Answer) error {
	for k, a := range answers {
		for _, c := range a.Said {
			if uint(c.A) >= uint(items) || uint(c.B) >= uint(items) || c.A == c.B {
				return fmt.Errorf("crowd: answer %d: items %d and %d of %d", k, c.A, c.B, items)
			}
		}
	}
	return nil
}
