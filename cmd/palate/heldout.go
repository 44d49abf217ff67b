package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"palate/evaluate"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// addFolds adds the flag of how many parts votes are held out in.
func addFolds(cmd *cobra.Command, folds *int) {
	cmd.Flags().IntVar(folds, "folds", 5, "`NUMBER` of parts in which votes are held out in turn, to see how well they are predicted (0: not at all)")
}

func checkFolds(folds int) error {
	if folds < 0 || folds == 1 {
		return cli.Usage("--folds %d: 0, or 2 and more", folds)
	}
	return nil
}

// Parts of the votes that a learning curve is drawn at, besides all of them, and
// the number of folds that it is drawn from.
const lessonFolds = 3

func lessonParts() []float64 { return []float64{1. / 16, 1. / 8, 1. / 4, 1. / 2} }

// lessonsOf returns the numbers of votes, of those to learn from, that a learning curve is
// drawn at besides all of them.
func lessonsOf(votes int) (numbers []int) {
	for _, part := range lessonParts() {
		if n := int(part * float64(votes)); n >= fewest {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// fitsOf is how many fits holding votes out takes.
func fitsOf(folds, methods, lessons int) int {
	return folds*methods + lessons*min(folds, lessonFolds)
}

// fewest is the number of votes below which there is nothing to learn from.
const fewest = 10

// enough held-out votes tell accuracy to a third of a percent; more would only
// take longer.
const enough = 20000

// curveBins is the number of points of a reliability curve, each of which is
// drawn with its interval.
const curveBins = 10

// errNotHeldOut is why there are no predictions of held-out votes.
type errNotHeldOut struct {
	why   report.NotHeld
	votes int
}

func (e errNotHeldOut) Error() string {
	return "nothing is held out: " + e.why.Say("", float64(e.votes))
}

// heldOut predicts the votes of a source, each by a model that has not seen it,
// and says for a curve how that improves with the number of votes.
func (s *settings) heldOut(ctx context.Context, src *source, o *model.Settings, folds int, curve bool, c *cli.Console) (*report.Held, error) {
	c.Plan(heldOutVotes, 0)
	switch {
	case src.votes == nil:
		return nil, errNotHeldOut{why: report.StoredModel}
	case src.votes.spool != nil:
		return nil, errNotHeldOut{why: report.VotesOnDisk}
	case src.votes.data.HasRatings():
		return nil, errNotHeldOut{why: report.RatingsAlone}
	case folds == 0:
		return nil, errNotHeldOut{why: report.NotAsked}
	case src.votes.data.NumVotes() < fewest*folds:
		return nil, errNotHeldOut{report.TooFewVotes, src.votes.data.NumVotes()}
	}
	d := src.votes.data
	parts, err := evaluate.Split(d, &evaluate.SplitOptions{Folds: folds, Seed: s.seed})
	if err != nil {
		return nil, err
	}
	mine := s.candidate(s.model, src.votes, o, map[string]int{})
	methods := []evaluate.Method{mine}
	for _, m := range evaluate.Yardsticks() {
		if m.Name != mine.Name {
			methods = append(methods, m)
		}
	}
	h := &report.Held{Parts: len(parts)}
	if d.NumVotes() > enough {
		parts = atMost(parts, enough, s.seed)
	}
	var lessons []int
	if curve {
		lessons = lessonsOf(len(parts[0].Train))
	}
	settings := &evaluate.Options{Bins: curveBins, Seed: s.seed, Progress: evaluating(c, fitsOf(len(parts), len(methods), len(lessons)))}
	defer c.Clear()
	if h.Result, err = evaluate.Run(ctx, d, parts, methods, settings); err != nil {
		return nil, err
	}
	if d.NumVotes() > enough {
		h.Parts, h.Of = len(parts), folds
	}
	for _, n := range lessons {
		r, err := evaluate.Run(ctx, d, fewer(parts, n, s.seed), methods[:1], settings)
		if err != nil {
			return nil, err
		}
		h.Lessons = append(h.Lessons, report.Lesson{Votes: float64(n), Score: r.Scores[0]})
	}
	if h.Lessons != nil {
		h.Lessons = append(h.Lessons, report.Lesson{Votes: float64(len(parts[0].Train)), Score: h.Result.Scores[0]})
	}
	return h, nil
}

// atMost leaves n of the votes to predict, drawn at random, in the first folds.
func atMost(folds []evaluate.Fold, n int, seed uint64) (out []evaluate.Fold) {
	rng := rand.New(rand.NewPCG(seed, 0x7e57))
	for _, f := range folds {
		if n == 0 {
			break
		}
		test := slices.Clone(f.Test)
		rng.Shuffle(len(test), func(i, j int) { test[i], test[j] = test[j], test[i] })
		f.Test = test[:min(n, len(test))]
		n -= len(f.Test)
		out = append(out, f)
	}
	return out
}

// fewer leaves n of the votes to learn from, drawn at random, in the first folds.
func fewer(folds []evaluate.Fold, n int, seed uint64) []evaluate.Fold {
	rng := rand.New(rand.NewPCG(seed, 0x1e55))
	var out []evaluate.Fold
	for _, f := range folds[:min(lessonFolds, len(folds))] {
		train := slices.Clone(f.Train)
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		out = append(out, evaluate.Fold{Train: train[:min(n, len(train))], Test: f.Test})
	}
	return out
}
