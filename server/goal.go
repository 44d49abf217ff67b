package server

import (
	"cmp"
	"fmt"
	"strings"

	"palate/active"
	"palate/store"
)

// Personal and Coverage are the goals that active has no goal for: each voter's
// own ranking, and the same number of votes for every item.
const (
	Personal = "personal"
	Coverage = "coverage"
)

// policyOf returns the policy of a goal that was checked.
func policyOf(goal string) active.Policy {
	if goal == Coverage {
		return active.Policy{Name: "coverage", Strategy: active.Coverage{}, Goal: active.Ranking()}
	}
	return active.For(goalOf(goal))
}

// goalOf returns what a goal wants of the ranking.
func goalOf(goal string) active.Goal {
	g, err := active.ParseGoal(goal)
	if err != nil { // Personal or Coverage
		return active.Ranking()
	}
	return g
}

// withDefaults fills in settings, and says what is wrong with them.
func withDefaults(set store.Settings) (store.Settings, error) {
	set.Goal = cmp.Or(set.Goal, "ranking")
	if set.Goal != Coverage && set.Goal != Personal {
		if _, err := active.ParseGoal(set.Goal); err != nil {
			return set, invalid("goal %q is not one of ranking, top-first, best, top-K, personal and coverage", set.Goal)
		}
	}
	switch {
	case set.Explore == 0:
		set.Explore = 0.1
	case set.Explore < 0: // none
		set.Explore = 0
	}
	set.Level = cmp.Or(set.Level, 0.95)
	if !(set.Explore >= 0 && set.Explore <= 1) || !(set.Level > 0 && set.Level < 1) || set.Novice < 0 {
		return set, invalid("explore %g and level %g are shares, novice %d a number of votes", set.Explore, set.Level, set.Novice)
	}
	return set, in("ask", cmp.Or(checkAsking(&set), checkOver(set.Over)))
}

// progress says how far a goal is.
func progress(set store.Settings, settled float64) Progress {
	p := Progress{Goal: set.Goal, Settled: settled, Level: set.Level, Done: settled >= set.Level}
	what := "the ranking"
	switch g := goalOf(set.Goal).String(); {
	case g == "best":
		what = "the best item"
	case strings.HasPrefix(g, "top-"):
		what = "the top " + strings.TrimPrefix(g, "top-")
	}
	if p.Done {
		p.Says = fmt.Sprintf("%s is settled at %.0f %%.", strings.ToUpper(what[:1])+what[1:], 100*set.Level)
	} else {
		p.Says = fmt.Sprintf("%s is not settled yet: %.0f %%, where %.0f %% are asked for.", strings.ToUpper(what[:1])+what[1:], 100*settled, 100*set.Level)
	}
	return p
}
