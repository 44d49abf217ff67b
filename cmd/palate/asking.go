package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/active"
	"palate/internal/cli"
)

// asking are the flags of how pairs are chosen.
type asking struct {
	policy, goal      string
	tooClose, explore float64
	until             float64
}

func (a *asking) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	names := policies()
	f.StringVar(&a.policy, "policy", "", "`POLICY` to choose by: "+strings.Join(names, ", ")+" (default: that of the goal)")
	completes(cmd, "policy", names...)
	f.StringVar(&a.goal, "goal", "", "`GOAL` of asking: ranking, top-first, best or top-K (default: the policy's, or ranking)")
	goalFlag(cmd)
	f.Float64Var(&a.tooClose, "too-close", 0, "leave out pairs that probably differ by less than this `MARGIN`, in noise units")
	f.Float64Var(&a.explore, "explore", 0, "`PROBABILITY` of asking a pair at random")
	f.Float64Var(&a.until, "until", 0.95, "it is enough to be this `SURE` of the goal, from 0 to 1")
}

// policies are what --policy may say.
func policies() (names []string) {
	for _, p := range active.Policies() {
		names = append(names, p.Name)
	}
	return names
}

// policy finds one by its name.
func policy(name string) (active.Policy, error) {
	p, err := active.Find(name)
	if err != nil {
		return p, notOneOf("--policy", name, policies())
	}
	return p, nil
}

// options turns flags into options.
func (a *asking) options() (*active.Options, error) {
	p := active.Default()
	if a.goal != "" {
		goal, err := active.ParseGoal(a.goal)
		if err != nil {
			return nil, err
		}
		p = active.For(goal)
	}
	if a.policy != "" {
		named, err := policy(a.policy)
		if err != nil {
			return nil, err
		}
		if a.goal != "" {
			named.Goal = p.Goal
		}
		p = named
	}
	if !(a.tooClose >= 0) || !(a.explore >= 0 && a.explore <= 1) {
		return nil, cli.Usage("--too-close %v, --explore %v: not below 0, and --explore not above 1", a.tooClose, a.explore)
	}
	if !(a.until >= 0 && a.until <= 1) {
		return nil, cli.Usage("--until %v is not from 0 to 1", a.until)
	}
	return &active.Options{Policy: p, TooClose: a.tooClose, Explore: a.explore, Exclude: active.Pairs{}}, nil
}
