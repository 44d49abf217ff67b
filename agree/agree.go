package agree

import (
	"cmp"
	"context"
	"fmt"

	"palate"
)

// Options are the settings of Analyse; nil means the defaults.
type Options struct {
	// Unsided says that left and right are not sides on which items were shown.
	Unsided bool
	Level   float64 // of intervals; 0 stands for 0.95
	// Clusters is the largest number of clusters to look for; 0 stands for 5.
	Clusters int
	Seed     uint64
}

// Interval is an estimate between its bounds, NaN where there is none.
type Interval struct{ Value, Lo, Hi float64 }

// Agreement is how far the voters of a dataset agree.
type Agreement struct {
	Level float64
	Alpha Interval // Krippendorff's, over pairs
	Pairs int      // that two voters or more judged
	Sided bool     // whether voters' sides are known
	Ties  bool     // whether somebody called one
	// Voters are those who cast a vote, in order of their users.
	Voters []Voter
	// Items are all items that were voted on, the most disputed first.
	Items []Item
	// Clusters are the largest first; there is always one at least.
	Clusters []Cluster
	// ClusterGain is by how much BIC prefers them to one cluster; 0 for one.
	ClusterGain float64
	// ClusterChance is the probability of each number of clusters that was tried, that of one
	// first, as BIC weighs them.
	ClusterChance []float64
}

// Voter is how one voter votes.
type Voter struct {
	User  int
	ID    string
	Votes float64
	// Agrees is the share of decided votes in which the favourite of the others
	// was picked, and Expected the share of somebody who votes as they do.
	Agrees   Interval
	Expected float64
	// Reliability is how far votes follow the consensus: 1 as those of others, 0
	// not at all.
	Reliability Interval
	// Ties is the share of votes that are ties.
	Ties Interval
	// Left is the chance to pick the left of two equal items; NaN where sides are
	// not known.
	Left Interval
	// Repeated counts pairs that were judged more than once, and Contradicted those
	// of them that were not always judged the same.
	Repeated, Contradicted int
	Cluster                int     // index of the most probable cluster
	Membership             float64 // probability of that cluster
	Dissents               []Dissent
	Spammer                bool   // suspected
	Remark                 string // empty: nothing unusual
}

// Dissent is an item that a voter rates otherwise than the consensus, by so many
// standard deviations: up when Z is positive.
type Dissent struct {
	Item  int
	ID    string
	Votes float64
	Z     float64
}

// Item is how far voters differ on an item: 1 as much as chance, more for more.
type Item struct {
	Item   int
	ID     string
	Voters int
	Spread float64
}

// Cluster is a set of voters with a ranking of their own.
type Cluster struct {
	Voters  int     // who are most probably in it
	Share   float64 // of all voters, by probability
	Ranking []int   // items, best first
	Scores  []float64
}

// Analyse compares the voters of d. Votes without a voter count for the consensus.
func Analyse(ctx context.Context, d *palate.Dataset, o *Options) (*Agreement, error) {
	opt := *cmp.Or(o, &Options{})
	opt.Level = cmp.Or(opt.Level, 0.95)
	opt.Clusters = cmp.Or(opt.Clusters, 5)
	d = d.Tempered()
	voters := byVoter(d)
	if len(voters) < 2 {
		return nil, fmt.Errorf("agree: %d voters; it takes two to agree", len(voters))
	}
	s, err := consensus(ctx, d, voters, opt.Seed)
	if err != nil {
		return nil, err
	}
	a := &Agreement{Level: opt.Level, Sided: !opt.Unsided}
	if a.Alpha, a.Pairs, err = alpha(ctx, d, opt); err != nil {
		return nil, err
	}
	a.Voters = make([]Voter, len(voters))
	residuals := newResiduals(d.NumItems(), len(voters))
	for k, v := range voters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.Voters[k] = v.judge(d, s[k], a.Sided, opt.Level)
		a.Ties = a.Ties || a.Voters[k].Ties.Value > 0
		a.Voters[k].Dissents = residuals.voter(k, v.votes, s[k], d)
	}
	a.Items = residuals.items(d)
	m, err := a.cluster(ctx, d, voters, residuals, opt)
	if err != nil {
		return nil, err
	}
	return a, a.remark(ctx, d, voters, m)
}

// voter is a user with decided votes.
type voter struct {
	user  int
	votes []int
}

func byVoter(d *palate.Dataset) []voter {
	votes := make([][]int, d.NumUsers())
	for k, v := range d.Votes() {
		if v.User >= 0 && v.Outcome != palate.Skip {
			votes[v.User] = append(votes[v.User], k)
		}
	}
	var out []voter
	for u, list := range votes {
		if len(list) > 0 {
			out = append(out, voter{u, list})
		}
	}
	return out
}
