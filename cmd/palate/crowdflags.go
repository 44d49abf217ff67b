package main

import (
	"github.com/spf13/cobra"

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
	f.StringVar(&c.tastes, "tastes", "auto", "for "+modelsFor("tastes")+": how far voters may differ, by factors and by tastes of their own, `HOW`: auto (by votes held out), wide or narrow (both, expecting much or little), factors or own (one of them), same (not at all)")
	f.StringVar(&c.smoothness, "smoothness", "auto", "whether features explain utilities, `HOW`: auto, rough (each item has a part of its own) or smooth (features explain it all); --model crowd chooses by votes held out, other models are rough")
	f.IntVar(&c.factors, "factors", 0, "the most `FACTORS` of taste, for "+modelsFor("factors")+" (0: as needed)")
	f.BoolVar(&c.nugget, "nugget", false, "for "+modelsFor("nugget")+": a part of each item that its features do not explain, learnt beside what they do; texts always have it, and inducing points")
	f.BoolVar(&c.reliability, "reliability", false, "for "+modelsFor("reliability")+": tell careful voters from careless ones")
	f.BoolVar(&c.habits, "habits", false, "for "+modelsFor("habits")+": tell voters who call ties readily from those who do not")
	completes(cmd, "tastes", wordsOf(tastes())...)
	completes(cmd, "smoothness", wordsOf(smoothness())...)
}

// ofCrowd are the flags that only a crowd has.
func ofCrowd() []string {
	return []string{"nugget", "reliability", "habits", "tastes"}
}

// options adds what the flags say.
func (c *crowdFlags) options(o *model.Settings) (err error) {
	o.Factors, o.Nugget, o.Reliability, o.Habits = c.factors, c.nugget, c.reliability, c.habits
	if o.Tastes, err = choose("tastes", c.tastes, tastes()); err != nil {
		return err
	}
	o.Smoothness, err = choose("smoothness", c.smoothness, smoothness())
	return err
}
