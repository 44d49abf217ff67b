package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/feature"
	"palate/infer"
	"palate/ingest"
	"palate/kernel"
	"palate/model"
)

// TestFlagsAreOptions fits models by command and by the library: a flag is the
// option of its name, to the last bit, and makes a difference.
func TestFlagsAreOptions(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command := func(args ...string) {
		t.Helper()
		if code := run(args); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	command("simulate", "--model", "crowd", "--users", "12", "--items", "25", "--features", "3", "--votes", "160", "--seed", "2", "--items-out", at("items.csv"), "-o", at("votes.csv"))
	links := []kernel.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 2}, {From: 2, To: 0, Weight: 1}, {From: 3, To: 4, Weight: 3}, {From: 4, To: 7, Weight: 1}}

	b := palate.NewBuilder()
	votes, err := os.Open(at("votes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer votes.Close()
	if _, err := ingest.Votes(t.Context(), "votes.csv", votes, b, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	b.SortNames()
	text := "from,to,weight\n"
	for _, e := range links {
		text += fmt.Sprintf("%s,%s,%v\n", b.ItemID(e.From), b.ItemID(e.To), e.Weight)
	}
	if err := os.WriteFile(at("links.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	items, err := os.Open(at("items.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer items.Close()
	if _, err := feature.Items(t.Context(), "items.csv", items, b, feature.Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	graph, err := kernel.NewGraph(d.NumItems(), links)
	if err != nil {
		t.Fatal(err)
	}

	single := func(o model.Options) (model.Model, error) {
		if o.Rule == nil {
			o.Rule = infer.EP{}
		}
		return model.FitSingle(context.Background(), d, &o)
	}
	linked := func(s kernel.Spread) func() (model.Model, error) {
		return func() (model.Model, error) { return single(model.Options{Links: graph, LinkKernel: s}) }
	}
	one := func(o model.Options) func() (model.Model, error) {
		return func() (model.Model, error) { return single(o) }
	}
	many := func(o model.CrowdOptions) func() (model.Model, error) {
		o.Tastes, o.Factors = model.WideTastes, 2
		if o.Smoothness == model.ChosenSmoothness {
			o.Smoothness = model.Rough
		}
		return func() (model.Model, error) { return model.FitCrowd(context.Background(), d, &o) }
	}
	each := func(o model.PopulationOptions) func() (model.Model, error) {
		return func() (model.Model, error) { return model.FitPopulation(context.Background(), d, &o) }
	}
	joint := func(o model.TensorOptions) func() (model.Model, error) {
		return func() (model.Model, error) { return model.FitTensor(context.Background(), d, &o) }
	}
	duels := func(o model.DuelOptions) func() (model.Model, error) {
		return func() (model.Model, error) { return model.FitDuelVotes(context.Background(), d, &o) }
	}
	given := infer.Gamma{Shape: 3, Rate: 30}
	smooth := model.Options{Smoothness: model.Smooth, Inducing: 6}
	stepping := func(s infer.Stochastic) model.Options {
		o := smooth
		o.Schedule = s
		return o
	}
	published := stepping(infer.Stochastic{Batch: 20, Delay: 4, Forget: 0.7})
	published.Rule, published.ScalePrior = infer.Linearised{}, given
	voters := func(s model.Steps) model.CrowdOptions { return model.CrowdOptions{Steps: s} }
	priors := model.CrowdOptions{ConsensusScale: given, FactorScale: given, OwnScale: given}
	features := func(f model.FeatureKernel) model.CrowdOptions { return model.CrowdOptions{Features: &f} }

	const base = "--model single"
	const crowdBase = "--model crowd --tastes wide --smoothness rough --factors 2"
	const steps = base + " --smoothness smooth --inducing 6 --batch 20"
	table := map[string]func() (model.Model, error){
		base:                               one(model.Options{}),
		"--model linked --links links.csv": linked(kernel.Diffusion),
		"--model linked --links links.csv --link-kernel laplacian":  linked(kernel.Laplacian),
		"--model linked --links links.csv --link-kernel normalised": linked(kernel.Normalised),
		base + " --combine product":                                 one(model.Options{Features: &model.FeatureKernel{Combination: kernel.SoftAnd}}),
		base + " --combine sum":                                     one(model.Options{Features: &model.FeatureKernel{Combination: kernel.SoftOr}}),
		base + " --kernel se":                                       one(model.Options{Features: &model.FeatureKernel{Shape: kernel.SE}}),
		base + " --lengths median-times-d":                          one(model.Options{Features: &model.FeatureKernel{Median: kernel.MedianTimesD}}),
		base + " --lengths median-over-d":                           one(model.Options{Features: &model.FeatureKernel{Median: kernel.MedianOverD}}),
		base + " --lengths median-reference":                        one(model.Options{Features: &model.FeatureKernel{Median: kernel.MedianReference}}),
		base + " --lengths learnt":                                  one(model.Options{Features: &model.FeatureKernel{}, Lengths: model.LearntLengths}),
		base + " --scale-prior 3,30":                                one(model.Options{ScalePrior: given}),
		base + " --smoothness smooth":                               one(model.Options{Smoothness: model.Smooth}),
		steps:                                                       one(stepping(infer.Stochastic{Batch: 20})),
		steps + " --delay 4":                                        one(stepping(infer.Stochastic{Batch: 20, Delay: 4})),
		steps + " --forget 0.7":                                     one(stepping(infer.Stochastic{Batch: 20, Forget: 0.7})),
		steps + " --delay 4 --forget 0.7 --rule linearised --scale-prior 3,30": one(published),
		crowdBase:                                       many(model.CrowdOptions{}),
		crowdBase + " --combine sum":                    many(features(model.FeatureKernel{Combination: kernel.SoftOr})),
		crowdBase + " --kernel se":                      many(features(model.FeatureKernel{Shape: kernel.SE})),
		crowdBase + " --lengths median-times-d":         many(features(model.FeatureKernel{Median: kernel.MedianTimesD})),
		crowdBase + " --scale-prior 3,30":               many(priors),
		crowdBase + " --batch 5":                        many(voters(model.Steps{Batch: 5})),
		crowdBase + " --batch 5 --delay 2 --forget 0.6": many(voters(model.Steps{Batch: 5, Delay: 2, Forget: 0.6})),
		"--model population":                            each(model.PopulationOptions{}),
		"--model population --factors 1":                each(model.PopulationOptions{Rank: 1}),
		"--model joint":                                 joint(model.TensorOptions{}),
		"--model joint --rule ep":                       joint(model.TensorOptions{Rule: infer.EP{}}),
		base + " --rule linearised":                     one(model.Options{Rule: infer.Linearised{}}),
		base + " --rule draft":                          one(model.Options{Rule: infer.Linearised{Noise: infer.DraftNoise}}),
		"--model duels":                                 duels(model.DuelOptions{}),
		"--model duels --combine sum --rule vi":         duels(model.DuelOptions{Features: model.FeatureKernel{Combination: kernel.SoftOr}, Rule: infer.VI{}}),
		"--model duels --scale-prior 3,30":              duels(model.DuelOptions{ScalePrior: given}),
		"--model population --combine sum":              each(model.PopulationOptions{Features: &model.FeatureKernel{Combination: kernel.SoftOr}}),
		"--model population --kernel matern12":          each(model.PopulationOptions{Features: &model.FeatureKernel{Shape: kernel.Matern12}}),
		"--model population --lengths median-over-d":    each(model.PopulationOptions{Features: &model.FeatureKernel{Median: kernel.MedianOverD}}),
		"--model population --lengths learnt":           each(model.PopulationOptions{Lengths: model.LearntLengths}),
	}
	chances := func(m model.Model) (p []float64) {
		for i := 1; i < m.NumItems(); i++ {
			p = append(p, m.Prefer(0, i-1, i))
		}
		return p
	}
	seen := map[string]string{}
	for _, flags := range slices.Sorted(maps.Keys(table)) {
		args := []string{"fit", at("votes.csv"), "-q", "-o", at("m.palate")}
		for _, f := range strings.Fields(flags) {
			if strings.HasSuffix(f, ".csv") {
				f = at(f)
			}
			args = append(args, f)
		}
		command(append(args, "--items", at("items.csv"))...)
		got, err := readModel(t.Context(), at("m.palate"))
		if err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
		want, err := table[flags]()
		if err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
		g, w := chances(got), chances(want)
		for i := range g {
			if diff := g[i] - w[i]; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("%s: pair %d has %v by command, %v by the library", flags, i, g[i], w[i])
				break
			}
		}
		text := fmt.Sprintf("%.6f", g)
		if other, ok := seen[text]; ok {
			t.Errorf("%s: as %s", flags, other)
		}
		seen[text] = flags
	}
}
