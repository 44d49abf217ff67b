package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate"
	"palate/metric"
)

// Score is how well votes were predicted that were not learnt from. Ties are left out.
type Score struct {
	Votes        float64 `json:"votes"`
	Ties         float64 `json:"ties"`
	NewVoters    float64 `json:"new_voters"` // votes of voters who are not in the fit
	Accuracy     float64 `json:"accuracy"`
	CrossEntropy float64 `json:"cross_entropy"` // nats a vote
	Brier        float64 `json:"brier"`
}

// Evaluate scores a fit on votes in files, or, where there are none, on those that were held out when votes were dealt.
func (f *Fit) Evaluate(ctx context.Context, r Runner, votes []string, o Reading) (*Score, error) {
	d := f.deal
	if len(votes) == 0 && d.HoldOut == 0 {
		return nil, fmt.Errorf("%s: no votes were held out: deal them with --hold-out, or name files of votes", d.folder)
	}
	files, err := expand(ctx, votes)
	if err != nil {
		return nil, err
	}
	folder := d.folder + "/score"
	err = r.run(ctx, "evaluate", func(s beam.Scope) {
		blocks := beam.ParDo(s, &emptyFn{}, numbers(s, len(d.Shards)))
		if len(files) > 0 {
			read := &readFn{Sources: files, Reading: o, Shards: len(d.Shards), Folder: folder, Items: d.Items, Stamp: stamp()}
			given, _ := beam.ParDo2(s, read, numbers(s, len(files)))
			blocks = beam.Flatten(s, blocks, given)
		}
		writing(s, &scoreFn{user: user{Deal: d.folder, Stamp: stamp()}, Folder: folder, Given: len(files) > 0}, beam.GroupByKey(s, blocks))
	})
	if err != nil {
		return nil, err
	}
	var all Score
	for k := range d.Shards {
		data, err := readFile(ctx, scoreFile(folder, k))
		if err != nil {
			return nil, err
		}
		var s Score
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		all.Votes, all.Ties, all.NewVoters = all.Votes+s.Votes, all.Ties+s.Ties, all.NewVoters+s.NewVoters
		all.Accuracy, all.CrossEntropy, all.Brier = all.Accuracy+s.Accuracy*s.Votes, all.CrossEntropy+s.CrossEntropy*s.Votes, all.Brier+s.Brier*s.Votes
	}
	if all.Votes == 0 {
		return nil, fmt.Errorf("%s: there is no vote to score by", d.folder)
	}
	all.Accuracy, all.CrossEntropy, all.Brier = all.Accuracy/all.Votes, all.CrossEntropy/all.Votes, all.Brier/all.Votes
	for _, done := range []string{"/*.json", "/read/*"} {
		if err := remove(ctx, folder+done); err != nil {
			return nil, err
		}
	}
	return &all, nil
}

func scoreFile(folder string, k int) string { return fmt.Sprintf("%s/%05d.json", folder, k) }

// scoreFn scores the votes of a shard's voters.
type scoreFn struct {
	user
	Folder string
	Given  bool // votes come from files
}

func (f *scoreFn) ProcessElement(ctx context.Context, k int, next func(*[]byte) bool) (int, error) {
	m, x, err := f.voters(ctx, k)
	if err != nil {
		return k, failed("%w", err)
	}
	tallies, users := x.heldOut, x.users
	if f.Given {
		d, err := votesOf(f.fit.deal.Items, next)
		if err != nil {
			return k, failed("%w", err)
		}
		tallies, users = d.Tallies(true), nil
		for u := range d.NumUsers() {
			users = append(users, d.UserID(u))
		}
	}
	s := scoreOf(tallies, func(t palate.Tally) (p float64, known bool) {
		u := -1
		if t.User >= 0 {
			if who, err := m.User(users[t.User]); err == nil {
				u = who
			}
		}
		return m.Prefer(u, t.A, t.B), u >= 0
	})
	data, err := json.Marshal(s)
	if err == nil {
		err = writeFile(ctx, scoreFile(f.Folder, k), data)
	}
	return k, failed("%w", err)
}

func scoreOf(tallies []palate.Tally, prefer func(palate.Tally) (float64, bool)) (s Score) {
	var p, y, w []float64
	for _, t := range tallies {
		if t.Tie {
			s.Ties += t.Weight
			continue
		}
		q, known := prefer(t)
		if s.Votes += t.Weight; !known {
			s.NewVoters += t.Weight
		}
		p, y, w = append(p, q), append(y, 1), append(w, t.Weight)
	}
	if s.Votes > 0 {
		s.Accuracy, s.CrossEntropy, s.Brier = metric.Accuracy(p, y, w), metric.CrossEntropy(p, y, w), metric.Brier(p, y, w)
	}
	return s
}

func init() { beam.RegisterDoFn(&scoreFn{}) }
