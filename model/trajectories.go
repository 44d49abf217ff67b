package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Trajectories are how scores went, from the first period with votes to the last.
type Trajectories struct {
	Level  float64
	Unit   string // what a period is
	Starts []time.Time
	Labels []string
	Items  []Path // best at the end first, group after group
}

// Path is how the score of an item went: one number a period, less the mean of its group, with
// the ends of an interval.
type Path struct {
	Item          int
	ID            string
	Group         int // of Model.Groups
	Score, Lo, Hi []float64
}

// trajectoryDraws is how many draws trajectories take, and mostShown how many periods they have at most.
const (
	trajectoryDraws = 400
	mostShown       = 120
)

// Trajectories returns how scores went, at the level of intervals and by the seed of the options. Of
// very many periods it has some.
func (m *Moving) Trajectories(ctx context.Context, o *BoardOptions) (*Trajectories, error) {
	opt := *cmp.Or(o, &BoardOptions{})
	opt.Level = cmp.Or(opt.Level, 0.95)
	first, last := m.Range()
	all := m.calendar.between(first, last) + 1
	c := &Trajectories{Level: opt.Level, Unit: m.Unit()}
	var times []float64
	for k, at := 0, first; !at.After(last); k, at = k+1, m.calendar.next(at) {
		if all > mostShown && k*mostShown/all == (k-1)*mostShown/all && k > 0 && at.Before(last) {
			continue
		}
		c.Starts, c.Labels, times = append(c.Starts, at), append(c.Labels, m.calendar.label(at)), append(times, m.calendar.middle(at))
	}
	d, err := m.drawsAt(ctx, times, trajectoryDraws, rand.New(rand.NewPCG(opt.Seed, trajectoryStream)))
	if err != nil {
		return nil, err
	}
	draws, _ := d.F.Dims()
	for g, items := range m.groups {
		from := len(c.Items)
		for _, i := range items {
			c.Items = append(c.Items, Path{Item: i, ID: m.ids[i], Group: g})
		}
		for t := range times {
			scores := scoresAt(d, items, t, len(times))
			for k := range items {
				p := &c.Items[from+k]
				var mean float64
				for _, x := range scores[k] {
					mean += x / float64(draws)
				}
				slices.Sort(scores[k])
				lo, hi := ends(scores[k], opt.Level)
				p.Score, p.Lo, p.Hi = append(p.Score, mean), append(p.Lo, min(lo, mean)), append(p.Hi, max(hi, mean))
			}
		}
		slices.SortStableFunc(c.Items[from:], func(x, y Path) int {
			if a, b := x.Score[len(times)-1], y.Score[len(times)-1]; a != b {
				if a > b {
					return -1
				}
				return 1
			}
			return 0
		})
	}
	return c, nil
}

// trajectoryStream keeps the randomness of courses apart from that of boards.
const trajectoryStream = 0xc0a25e

// scoresAt are the scores of the items of a group at one of some times, by item and draw.
func scoresAt(d Draws, items []int, time, times int) [][]float64 {
	draws, _ := d.F.Dims()
	out := make([][]float64, len(items))
	for k := range out {
		out[k] = make([]float64, draws)
	}
	for r := range draws {
		row := d.F.RawRowView(r)
		var mean float64
		for _, i := range items {
			mean += row[i*times+time] / float64(len(items))
		}
		for k, i := range items {
			out[k][r] = row[i*times+time] - mean
		}
	}
	return out
}

// ends are those of the interval of sorted draws at a level.
func ends(sorted []float64, level float64) (lo, hi float64) {
	n := len(sorted)
	out := int((1 - level) / 2 * float64(n))
	return sorted[out], sorted[n-1-out]
}

// Moves are how far the scores of all items moved since an earlier period, by item.
type Moves struct {
	Since string // the name of the period
	Level float64
	Of    []Move
}

// Move is how far the score of an item moved: less the mean of its group at both times, with an
// interval, and the probability that it rose.
type Move struct {
	By, Lo, Hi float64
	Rose       float64
}

// still is the least move of a score that is one: less is rounding.
const still = 1e-5

// Moves returns how far scores moved from the period in which a time lies to the one that the
// model is about.
func (m *Moving) Moves(ctx context.Context, since time.Time, o *BoardOptions) (*Moves, error) {
	opt := *cmp.Or(o, &BoardOptions{})
	opt.Level = cmp.Or(opt.Level, 0.95)
	from := m.calendar.start(since)
	if !from.Before(m.now) {
		return nil, fmt.Errorf("model: %s is not before %s: what moved is seen from an earlier %s", m.calendar.label(from), m.calendar.label(m.now), m.Unit())
	}
	d, err := m.drawsAt(ctx, []float64{m.calendar.middle(from), m.at()}, boardDraws, rand.New(rand.NewPCG(opt.Seed, trajectoryStream)))
	if err != nil {
		return nil, err
	}
	draws, _ := d.F.Dims()
	out := &Moves{Since: m.calendar.label(from), Level: opt.Level, Of: make([]Move, len(m.ids))}
	for _, items := range m.groups {
		was, is := scoresAt(d, items, 0, 2), scoresAt(d, items, 1, 2)
		for k, i := range items {
			by, x := is[k], &out.Of[i]
			for r := range by {
				by[r] -= was[k][r]
				x.By += by[r] / float64(draws)
				switch {
				case by[r] > still:
					x.Rose += 1 / float64(draws)
				case by[r] >= -still: // nothing moves, as far as this draw goes
					x.Rose += 0.5 / float64(draws)
				}
			}
			slices.Sort(by)
			lo, hi := ends(by, opt.Level)
			x.Lo, x.Hi, x.Rose = min(lo, x.By), max(hi, x.By), min(x.Rose, 1)
		}
	}
	return out, nil
}
