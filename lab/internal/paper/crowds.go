package paper

import (
	"context"

	"palate/infer"
	"palate/model"
)

// crowds are the crowd model and what CROWD §6.1 leaves out of it in turn.
func crowds() []Method {
	return []Method{
		{Name: "crowd", About: "a consensus and factors by which voters differ, with a true bound", Fit: fitCrowd(model.CrowdOptions{})},
		{Name: `crowd\u`, About: "the same without features of voters", Fit: fitCrowd(model.CrowdOptions{VoterFeatures: model.WithoutFeatures})},
		{Name: `crowd\u\x`, Aliases: []string{"crowd-BMF"}, About: "the same without features of voters and items", Lacks: NewItems, Fit: fitCrowd(model.CrowdOptions{VoterFeatures: model.WithoutFeatures, ItemFeatures: model.WithoutFeatures})},
		{Name: "crowd-plain", About: "the crowd model without voters' own tastes, as CROWD has it", Fit: fitCrowd(model.CrowdOptions{Tastes: model.FactorTastes, ConsensusScale: authorsConsensus()})},
		{Name: "crowd-alike", About: "the crowd model with nothing that tells voters apart", Fit: fitCrowd(model.CrowdOptions{VoterFeatures: model.WithoutFeatures, Tastes: model.SameTastes})},
		{Name: "crowd-beside", About: "crowd, where texts to predict tell with the others which words are usual", Fit: fitBeside},
	}
}

func fitCrowd(o model.CrowdOptions) func(context.Context, Task) (Predictor, error) {
	return func(ctx context.Context, t Task) (Predictor, error) {
		o.Seed = t.Seed
		if t.Data == "convarg" {
			o = forArguments(o, t.Seed)
		}
		m, err := model.FitCrowd(ctx, t.Train, &o)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// forArguments are the options where voters have three votes in the median: nothing to learn factors or own tastes from.
// The bound of the training topics is higher with classes of voters, by about 300. The model as CROWD has it keeps its
// factors, in stochastic steps, since whole sweeps take minutes.
func forArguments(o model.CrowdOptions, seed uint64) model.CrowdOptions {
	switch {
	case o.Tastes == model.SameTastes:
	case o.Tastes == model.FactorTastes:
		o.Inducing, o.Steps, o.Passes, o.Seed = usualPoints, model.Steps{Batch: usualBatch}, usualPasses, seed
	default:
		o.Tastes, o.Reliability, o.Habits = model.SameTastes, true, true
	}
	return o
}

func fitBeside(ctx context.Context, t Task) (Predictor, error) {
	if t.Beside != nil {
		t.Train = t.Beside
	}
	return fitCrowd(model.CrowdOptions{})(ctx, t)
}

// authorsConsensus is the prior of the consensus's inverse scale in the runs of CROWD's
// authors.
func authorsConsensus() infer.Gamma { return infer.Gamma{Shape: 1, Rate: 100} }
