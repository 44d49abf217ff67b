package server

import (
	"slices"
	"strings"
	"time"

	"palate/model"
)

// fitMoving fits utilities that move to the votes of a board whose owner says that they may;
// nil where there is nothing to see of that yet: all votes are of one period.
func (s *Service) fitMoving(m *moment) (*model.Moving, error) {
	if m.about.Settings.Over == "" {
		return nil, nil
	}
	d, err := m.dataset(nil)
	if err != nil || d.NumVotes() == 0 {
		return nil, err
	}
	fit, err := model.FitMoving(s.ctx, d.Tempered(), &model.MovingOptions{Periods: model.Periods{Unit: m.about.Settings.Over}})
	if err != nil { // as when all votes are of one period: the ranking is that of utilities that stay
		s.log.Debug("utilities are not seen to move", "board", m.about.ID, "error", err)
		return nil, s.ctx.Err()
	}
	return fit, nil
}

// current is the model of utilities that move, about the period that it is now; nil where they
// do not. The caller holds the lock.
func (l *live) current() *model.Moving {
	l.freeze.Lock()
	defer l.freeze.Unlock()
	if l.moving == nil {
		return nil
	}
	then, _ := l.moving.Period()
	at := l.moving.At(time.Now())
	if now, _ := at.Period(); !now.Equal(then) {
		l.moving = at
	}
	return l.moving
}

// checkOver says what is wrong with the unit of time over which utilities may move.
func checkOver(unit string) error {
	if unit != "" && !slices.Contains(model.PeriodUnits(), unit) {
		return invalid("%q is not one of %s", unit, strings.Join(model.PeriodUnits(), ", "))
	}
	return nil
}
