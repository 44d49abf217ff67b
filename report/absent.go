package report

import "palate/model"

// NotHeld is why no votes are held out.
type NotHeld int

// The reasons not to hold votes out.
const (
	NotAsked     NotHeld = iota // nobody wanted it
	StoredModel                 // a model file has no votes
	VotesOnDisk                 // there are too many for the memory
	RatingsAlone                // there are no votes but ratings
	TooFewVotes
)

// Say says why, of so many votes, in a language.
func (n NotHeld) Say(language string, votes float64) string { return in(language).notHeld(n, votes) }

func (s speech) notHeld(n NotHeld, votes float64) string {
	switch n {
	case StoredModel:
		return s.Say("not-held-stored")
	case VotesOnDisk:
		return s.Say("not-held-disk")
	case RatingsAlone:
		return s.Say("not-held-ratings")
	case TooFewVotes:
		return s.Say("not-held-few", s.amount(votes))
	}
	return s.Say("not-held-unasked")
}

// NoTastes says why there is nothing to show of the tastes of a model's voters.
func NoTastes(m model.Model) string { return in("").noTastes(m) }

func (s speech) noTastes(m model.Model) string {
	switch {
	case m.NumUsers() == 0:
		return s.Say("no-tastes-one", m.Name())
	case m.NumItems() > tastesItems:
		return s.Say("no-tastes-many", s.Count(tastesItems))
	}
	return s.Say("no-tastes-same")
}

// NoSurvey says why there is nothing that surveys report of a model; empty where there is.
func NoSurvey(m model.Model) string { return in("").noSurvey(m) }

func (s speech) noSurvey(m model.Model) string {
	_, joint := m.(model.Joint)
	switch {
	case m.NumUsers() == 0:
		return s.Say("no-survey-one", m.Name())
	case m.NumItems() < 3:
		return s.Say("no-survey-few", s.Count(m.NumItems()))
	case !joint || m.Fit().Likelihood != model.Probit:
		return s.Say("no-survey-silent", m.Name())
	}
	return ""
}
