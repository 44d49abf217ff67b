package model

import (
	"fmt"
	"math"

	"palate"
	"palate/infer"
)

// answerNoise is the variance of what an answer about several items draws beside the utility
// of each: that of two is the noise of a vote.
const answerNoise = 0.5

// reading settles how votes are read, and observes them: whether voters are told apart, and
// whether answers about several items are taken for what they are. It returns what votes
// tell, pooled, the votes that are not of such answers, and the answers.
func (m *Single) reading(d *palate.Dataset) (told []palate.Tally, votes *palate.Dataset, answers []palate.Answer) {
	whole, why := m.options.Whole && d.HasGroups(), ""
	told, votes = d.Tallies(false), d
	if whole {
		told, votes = d.Tempered().Tallies(false), d.Tempered()
		why = m.takesNoAnswers(d)
	}
	tell, dense := m.tellsVoters(d, whole && why == "")
	if tell && !dense && why == "" {
		why = "voters are told apart along the graph of comparisons"
	}
	var by []int32
	if tell {
		by = d.Units()
	}
	if whole && why == "" {
		if answers, votes = d.Answers(by); answerWork(answers) > voterWork {
			answers, votes, why = nil, d.Tempered(), "they are too many, or too long"
		}
	}
	if whole && why != "" {
		if some, _ := d.Answers(nil); len(some) > 0 {
			m.remarks = append(m.remarks, fmt.Sprintf("Answers about several items are taken as pairs that weigh no more than they tell: %s.", why))
		}
	}
	if tell {
		m.obs = observe(votes.TalliesApart(palate.Apart{Group: votes.Units()}), answers, false, nil)
		if !dense {
			m.options.DenseLimit = 1 // along the graph, whatever the number of items
		}
	} else {
		rest := told
		if answers != nil {
			rest = votes.Tallies(false)
		}
		m.obs = observe(rest, answers, false, nil)
	}
	return told, votes, answers
}

// takesNoAnswers says why answers about several items cannot be taken as such; empty where
// they can.
func (m *Single) takesNoAnswers(d *palate.Dataset) string {
	o, most := &m.options, graphItems
	if d.ItemFeatures() != nil {
		most = denseItems
	}
	if o.DenseLimit > 0 {
		most = o.DenseLimit
	}
	switch _, ep := m.rule().(infer.EP); {
	case !ep || o.Schedule != nil:
		return "the rule of inference is not EP on whole sweeps"
	case o.Likelihood != Probit:
		return "the noise of a vote is not Gaussian"
	case o.Inducing > 0 || d.NumItems() > most:
		return fmt.Sprintf("there are more than %d items, or inducing points", most)
	}
	return ""
}

// answerWork is about how many multiplications a sweep over answers takes.
func answerWork(answers []palate.Answer) (work float64) {
	for _, a := range answers {
		work += 4 * math.Pow(float64(a.Items()), 3)
	}
	return work
}

// checkAnswers says what is wrong with answers that were read from a file.
func (o *observations) checkAnswers() error {
	done := map[int]bool{}
	for r, a := range o.answer {
		again := r > 0 && a >= 0 && o.answer[r-1] == a
		switch {
		case again && (o.count[r] != o.count[r-1] || o.group != nil && o.group[r] != o.group[r-1]):
			return fmt.Errorf("answer.npy: rows %d and %d of answer %d are of different voters or counts", r-1, r, a)
		case !again && done[a]:
			return fmt.Errorf("answer.npy: rows of answer %d are apart", a)
		case a >= 0:
			done[a] = true
		}
	}
	return nil
}
