package server

import (
	"sync"
	"time"

	"palate"
	"palate/model"
)

// taste is the population of a board's voters, from which each is inferred. It
// is learnt when somebody asks for it, and again when there is enough news.
type taste struct {
	mu      sync.Mutex // held while it is learnt for the first time
	model   *model.Population
	records int // that it was learnt from
	changes int64
	busy    bool // being learnt again
}

// When the population is learnt again: after so many votes in proportion.
const tasteShare = 10

// population returns what is known of the voters. The first one is waited for;
// later ones are made in the background.
func (s *Service) population(l *live) (*model.Population, error) {
	t := &l.taste
	t.mu.Lock()
	defer t.mu.Unlock()
	l.mu.RLock()
	records, changes := len(l.records), l.changes
	l.mu.RUnlock()
	if t.model == nil || t.changes != changes {
		m, err := s.learnPopulation(l)
		if err != nil {
			return nil, err
		}
		t.model, t.records, t.changes = m, records, changes
		return m, nil
	}
	if !t.busy && (records-t.records)*tasteShare > t.records {
		t.busy = true
		s.done.Go(func() {
			m, err := s.learnPopulation(l)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.busy = false
			if err == nil && t.changes == changes {
				t.model, t.records = m, records
			}
			if err != nil && s.ctx.Err() == nil {
				s.log.Error("population not learnt", "board", l.id, "error", err)
			}
		})
	}
	return t.model, nil
}

func (s *Service) learnPopulation(l *live) (*model.Population, error) {
	l.mu.RLock()
	d, err := l.dataset(nil)
	l.mu.RUnlock()
	if err != nil || d.NumVotes() == 0 {
		return nil, err
	}
	began := time.Now()
	m, err := model.FitPopulation(s.ctx, d, nil)
	s.meter.populations.observe(time.Since(began))
	return m, err
}

// taster returns a voter's own utilities: the voter's votes as they are now,
// folded into the population.
func (s *Service) taster(l *live, voter string) (model.Predictor, error) {
	m, err := s.population(l)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if m == nil { // nobody has voted
		return l.model.Frozen(), nil
	}
	var votes []palate.Vote
	if b := l.ballots[voter]; b != nil {
		for _, k := range b.records {
			v := l.records[k]
			known := max(v.Left, v.Right) < m.NumItems()
			tie := v.Outcome == palate.Tie && m.Fit().Threshold == 0 // it has not learnt of ties yet
			// A voter whose votes do not count for others has a ranking of their own.
			if known && !tie && l.ended[v.Seq] == 0 && v.Outcome != palate.Skip {
				votes = append(votes, asVote(v))
			}
		}
	}
	person, err := m.FoldIn(votes, nil)
	if err != nil {
		return nil, err
	}
	return person.Alone(), nil
}

// person returns what to choose a voter's pairs by: nil for the consensus.
func (s *Service) person(l *live, voter string) (model.Predictor, error) {
	l.mu.RLock()
	personal := l.about.Settings.Goal == Personal
	l.mu.RUnlock()
	if !personal {
		return nil, nil
	}
	return s.taster(l, voter)
}
