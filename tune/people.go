package tune

import (
	"context"
	"slices"
)

// Person is what one of several voters likes.
type Person struct {
	Voter   string
	Answers int
	Best    Point // of their own utility
	// Over is the own best point against the best of all, to this voter.
	Over Comparison
}

// Yields reports that the best point of all is a compromise to the person: it is believed, with
// a chance of 95 %, that they like another better.
func (p *Person) Yields() bool { return p.Over.Gain.Lo > 0 && p.Over.Gain.Mean > littleNoise }

// Voters lists who is named in answers and numbers, in the order in which they come first.
func (l *Log) Voters() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, v := range l.Values {
		add(v.Voter)
	}
	for _, d := range l.Duels {
		add(d.Voter)
	}
	return names
}

// People says what each of several voters likes, beside a point such as the best of all; nobody
// where fewer than two are named. When ctx ends before it is done it returns the error of
// ctx.
func (s *Search) People(ctx context.Context, of Point) (people []Person, err error) {
	names := s.Log.Voters()
	if len(names) < 2 {
		return nil, ctx.Err()
	}
	if err := s.fit(ctx); err != nil {
		return nil, err
	}
	for _, name := range names {
		one := *s
		one.Voter = name
		p := Person{Voter: name}
		for i := 0; i < len(s.Log.Duels); i += s.Log.answer(i) {
			if s.Log.Duels[i].Voter == name {
				p.Answers++
			}
		}
		if p.Best, err = one.Best(ctx); err != nil {
			return nil, err
		}
		if p.Over, err = one.Compare(ctx, p.Best, of); err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	return people, nil
}
