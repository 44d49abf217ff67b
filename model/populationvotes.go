package model

import (
	"fmt"
	"slices"

	"palate"
	"palate/population"
)

// gather sorts the votes by person, holds some out, and counts.
func (m *Population) gather(d *palate.Dataset) (people *population.People, heldOut []palate.Tally, err error) {
	o := &m.options
	n := d.NumItems()
	if !(o.HoldOut >= 0 && o.HoldOut < 1) {
		return nil, nil, fmt.Errorf("model: a share of %v of the votes held out is not from 0 to 1", o.HoldOut)
	}
	var cast, told float64
	keep := func(t population.Told) population.Told {
		if o.HoldOut > 0 {
			var out []palate.Tally
			t.Tallies, t.Answers, out = population.HoldOut(t.Tallies, t.Answers, o.HoldOut, o.Seed)
			heldOut = append(heldOut, m.learntTallies(out)...)
		}
		_, ties := m.count(t.Tallies)
		m.ties += ties
		for _, a := range t.Answers {
			_, ties := m.count(a.Tallies())
			m.ties += ties
		}
		t.Tallies, t.Answers = m.learntTallies(t.Tallies), m.learntAnswers(t.Answers)
		return t
	}
	sided, err := m.sided(d)
	if err != nil {
		return nil, nil, err
	}
	total := d.NumVotes()
	if o.Votes == nil {
		answers, rest := m.split(d)
		t := population.Told{Tallies: sided, Answers: answers}
		if sided == nil {
			t.Tallies = rest.Tallies(true)
		}
		cast, told = palate.Told(rest.Votes(), answers...)
		t = keep(t)
		people, err = population.NewPeople(n, t.Tallies, t.Answers...)
	} else {
		var whole func([]palate.Answer) bool
		if o.Whole {
			whole = m.takesAnswers
		}
		people, err = o.Votes.spool.People(n, sided != nil, whole, func(t population.Told) population.Told {
			c, of := palate.Told(slices.All(t.Votes), t.Answers...)
			cast, told = cast+c, told+of
			return keep(t)
		})
		m.digest, m.groups = knownDigest(d.DigestOf(o.Votes.Votes())), d.ComponentsOf(o.Votes.Votes())
		if err == nil {
			err = o.Votes.spool.Err()
		}
		total = o.Votes.spool.Len()
	}
	if err == nil && people.Len() == 0 {
		err = fmt.Errorf("model: no votes to learn from: %d votes, all skipped", total)
	}
	if o.Whole && cast > 0 {
		o.Redundancy = cast / told
	}
	return people, heldOut, err
}

// split takes answers about several items out of votes, where they are taken as such.
func (m *Population) split(d *palate.Dataset) ([]palate.Answer, *palate.Dataset) {
	if !m.options.Whole || !d.HasGroups() {
		return nil, d
	}
	answers, rest := d.SplitAnswers(usersOf(d))
	if !m.takesAnswers(answers) {
		return nil, d
	}
	return answers, rest
}

// takesAnswers reports whether answers about several items are taken as such.
func (m *Population) takesAnswers(answers []palate.Answer) bool {
	takes := population.TakesAnswers(answers)
	m.asPairs = m.asPairs || !takes
	return takes
}

// Remarks are on answers about several items that are not taken as such.
func (m *Population) Remarks() []string {
	if !m.asPairs {
		return nil
	}
	return []string{"Answers about several items are taken as votes between pairs of each voter's own: some are about more than 50 items, or say as much of each as ratings do."}
}

// usersOf are those who cast the votes.
func usersOf(d *palate.Dataset) []int32 {
	users := make([]int32, d.NumVotes())
	for k, v := range d.Votes() {
		users[k] = int32(v.User)
	}
	return users
}

// learntAnswers are what is learnt from of answers.
func (m *Population) learntAnswers(answers []palate.Answer) (out []palate.Answer) {
	if !m.withoutTies {
		return answers
	}
	for _, a := range answers {
		a.Said = slices.DeleteFunc(slices.Clone(a.Said), func(c palate.Comparison) bool { return c.Tie })
		if len(a.Said) > 0 {
			out = append(out, a)
		}
	}
	return out
}
