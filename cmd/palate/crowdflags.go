package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/crowd"
	"palate/model"
)

// crowdFlags are the flags of --model crowd.
type crowdFlags struct {
	factors                     int
	nugget, reliability, habits bool
	tastes, smoothness          string
}

func tastes() []choice[model.Tastes] {
	all := []choice[model.Tastes]{{"auto", model.ChosenTastes}}
	for _, t := range []model.Tastes{model.WideTastes, model.NarrowTastes, model.FactorTastes, model.OwnTastes, model.SameTastes} {
		all = append(all, choice[model.Tastes]{t.String(), t})
	}
	return all
}

func smoothness() []choice[model.Smoothness] {
	return []choice[model.Smoothness]{{"auto", model.ChosenSmoothness}, {"rough", model.Rough}, {"smooth", model.Smooth}}
}

func (c *crowdFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.tastes, "tastes", "auto", "for --model crowd: how far voters may differ, by factors and by tastes of their own, `HOW`: auto (by votes held out), wide or narrow (both, expecting much or little), factors or own (one of them), same (not at all)")
	f.StringVar(&c.smoothness, "smoothness", "auto", "whether features explain utilities, `HOW`: auto, rough (each item has a part of its own) or smooth (features explain it all); --model crowd chooses by votes held out, other models are rough")
	f.IntVar(&c.factors, "factors", 0, "the most `FACTORS` of taste, for --model crowd (0: as needed, negative: none), population (0: as needed) and those of COLLAB's family that have some (0: 10)")
	f.BoolVar(&c.nugget, "nugget", false, "for --model crowd: a part of each item that its features do not explain, learnt beside what they do; texts always have it, and inducing points")
	f.BoolVar(&c.reliability, "reliability", false, "for --model crowd: tell careful voters from careless ones")
	f.BoolVar(&c.habits, "habits", false, "for --model crowd: tell voters who call ties readily from those who do not")
	completes(cmd, "tastes", wordsOf(tastes())...)
	completes(cmd, "smoothness", wordsOf(smoothness())...)
}

// ofCrowd are the flags that only a crowd has.
func ofCrowd() []string {
	return []string{"nugget", "reliability", "habits", "tastes"}
}

// hasFactors reports whether a model has factors of taste.
func hasFactors(model string) bool {
	return model == "crowd" || model == "population" || strings.Contains(model, "VU")
}

func (c *crowdFlags) options() (o model.CrowdOptions, err error) {
	o.Crowd = crowd.Options{Factors: c.factors, Nugget: c.nugget, Reliability: c.reliability, Habits: c.habits}
	if o.Tastes, err = choose("tastes", c.tastes, tastes()); err != nil {
		return o, err
	}
	o.Smoothness, err = choose("smoothness", c.smoothness, smoothness())
	return o, err
}
