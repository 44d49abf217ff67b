package paper

import (
	"context"

	"palate/crowd"
	"palate/model"
)

// crowds are the crowd model and what CROWD §6.1 leaves out of it in turn. Voter features are in none of them yet, so
// that the whole model and \u are one.
func crowds() []Method {
	return []Method{
		{Name: "crowd", Aliases: []string{`crowd\u`}, About: "a consensus and factors by which voters differ, with a true bound", Fit: fitCrowd(model.CrowdOptions{})},
		{Name: `crowd\u\x`, Aliases: []string{"crowd-BMF"}, About: "the same without item features", Fit: fitCrowd(model.CrowdOptions{NoFeatures: true})},
		{Name: "crowd-plain", About: "the same without voters' own tastes, as CROWD has it", Fit: fitCrowd(model.CrowdOptions{Crowd: crowd.Options{NoOwn: true}})},
	}
}

func fitCrowd(o model.CrowdOptions) func(context.Context, Task) (Predictor, error) {
	return func(ctx context.Context, t Task) (Predictor, error) {
		o.Seed = t.Seed
		if t.Data == "convarg" {
			o.Crowd.Factors, o.Crowd.NoOwn, o.Crowd.Reliability = -1, true, true
		}
		m, err := model.FitCrowd(ctx, t.Train, &o)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}
