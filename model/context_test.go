package model

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/heed"
	"palate/kernel"
)

// TestContexts: fits, boards, draws, made-up votes and model files stop when their
// context ends.
func TestContexts(t *testing.T) {
	d, _ := voters{items: 8, users: 12, votes: 10, itemFeatures: true}.draw(t, 3)
	x := mat.NewDense(4, 1, []float64{3, 2, 1, 4})
	y := mat.NewDense(4, 1, []float64{0, 1, 0, 2})
	rated := electorate{items: 6, users: 20, rated: 5}.draw(t)
	dated := electorate{items: 6, votes: 60, days: 6}.draw(t)
	all := map[string]func(context.Context) error{
		"FitMoving":       func(ctx context.Context) error { _, err := FitMoving(ctx, dated, nil); return err },
		"FitRated":        func(ctx context.Context) error { _, err := FitRated(ctx, rated, nil); return err },
		"FitSingle":       func(ctx context.Context) error { _, err := FitSingle(ctx, d, nil); return err },
		"FitPopulation":   func(ctx context.Context) error { _, err := FitPopulation(ctx, d, nil); return err },
		"FitCrowd":        func(ctx context.Context) error { _, err := FitCrowd(ctx, d, nil); return err },
		"FitGlicko":       func(ctx context.Context) error { _, err := FitGlicko(ctx, d, nil); return err },
		"FitBradleyTerry": func(ctx context.Context) error { _, err := FitBradleyTerry(ctx, d, nil); return err },
		"FitPlackettLuce": func(ctx context.Context) error { _, err := FitPlackettLuce(ctx, d, nil); return err },
		"FitTensor":       func(ctx context.Context) error { _, err := FitTensor(ctx, d, nil); return err },
		"FitDuels":        func(ctx context.Context) error { _, err := FitDuels(ctx, x, y, nil); return err },
		"FitDuelVotes":    func(ctx context.Context) error { _, err := FitDuelVotes(ctx, d, nil); return err },
		"FitPopulation with checkpoints": func(ctx context.Context) error {
			_, err := FitPopulation(ctx, d, &PopulationOptions{Checkpoint: filepath.Join(t.TempDir(), "c"), CheckpointEvery: 1})
			return err
		},
		"Simulate": func(ctx context.Context) error {
			_, _, err := Simulate(ctx, SimulateOptions{Model: "population", Items: 9, Votes: 30000, Features: 2})
			return err
		},
	}
	// reopened is a model of which nothing is found out yet, each time that it is asked for.
	reopened := func(m Model) func() (Model, error) {
		var file bytes.Buffer
		if err := m.Save(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		return func() (Model, error) { return Read(bytes.NewReader(file.Bytes()), int64(file.Len())) }
	}
	use := func(name string, fit func(context.Context) (Model, error)) (Model, func() (Model, error)) {
		m, err := fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fresh := reopened(m)
		all[name+".Draws"] = func(ctx context.Context) error {
			m, err := fresh()
			if err == nil {
				_, err = m.Draws(ctx, -1, 500, rand.New(rand.NewPCG(1, 2)))
			}
			return err
		}
		all[name+".Save"] = func(ctx context.Context) error {
			m, err := fresh()
			if err == nil {
				err = m.Save(ctx, io.Discard)
			}
			return err
		}
		all["NewBoard "+name] = func(ctx context.Context) error {
			m, err := fresh()
			if err == nil {
				_, err = NewBoard(ctx, m, -1, &BoardOptions{Draws: 500})
			}
			return err
		}
		if f, ok := m.(Featured); ok && f.Features() != nil {
			all[name+".PartialDependence"] = func(ctx context.Context) error {
				m, err := fresh()
				if err == nil {
					_, err = m.(Featured).PartialDependence(ctx, f.Features(), 1, []int{0})
				}
				return err
			}
		}
		if _, ok := m.(Joint); ok {
			all[name+".UtilitiesTo"] = func(ctx context.Context) error {
				m, err := fresh()
				if err != nil {
					return err
				}
				return m.(Joint).UtilitiesTo(ctx, make([]float64, m.NumItems()), make([]float64, m.NumItems()), -1)
			}
		}
		return m, fresh
	}
	known, single := use("Single", func(ctx context.Context) (Model, error) { return FitSingle(ctx, d, nil) })
	some, _ := use("Population", func(ctx context.Context) (Model, error) { return FitPopulation(ctx, d, nil) })
	many, _ := use("Crowd", func(ctx context.Context) (Model, error) { return FitCrowd(ctx, d, nil) })
	use("Glicko", func(ctx context.Context) (Model, error) { return FitGlicko(ctx, d, nil) })
	use("PlackettLuce", func(ctx context.Context) (Model, error) { return FitPlackettLuce(ctx, d, nil) })
	use("Tensor", func(ctx context.Context) (Model, error) { return FitTensor(ctx, d, nil) })
	use("Average", func(ctx context.Context) (Model, error) {
		e, err := Find("average")
		if err != nil {
			return nil, err
		}
		return e.Fit(ctx, d, &Settings{})
	})
	use("Duels", func(ctx context.Context) (Model, error) { return FitDuelVotes(ctx, d, nil) })
	use("Rated", func(ctx context.Context) (Model, error) { return FitRated(ctx, rated, nil) })
	dates, _ := use("Moving", func(ctx context.Context) (Model, error) { return FitMoving(ctx, dated, nil) })
	people, crowd, moving := some.(*Population), many.(*Crowd), dates.(*Moving)
	first, _ := moving.Range()
	all["Moving.Trajectories"] = func(ctx context.Context) error { _, err := moving.Trajectories(ctx, nil); return err }
	all["Moving.Moves"] = func(ctx context.Context) error { _, err := moving.Moves(ctx, first, nil); return err }
	near, err := VoterNeighbours(t.Context(), people, 1)
	if err != nil {
		t.Fatal(err)
	}
	guest, err := people.FoldIn(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	all["VoterNeighbours"] = func(ctx context.Context) error { _, err := VoterNeighbours(ctx, people, 1); return err }
	all["ItemNeighbours"] = func(ctx context.Context) error { _, err := ItemNeighbours(ctx, people, 1); return err }
	all["Neighbours.Of"] = func(ctx context.Context) error { _, err := near.Of(ctx, []int{0, 1}, 3); return err }
	all["Neighbours.OfNewcomer"] = func(ctx context.Context) error { _, err := near.OfNewcomer(ctx, guest, 3, 1); return err }
	all["TheseVoters.Draws"] = func(ctx context.Context) error {
		m, err := single()
		if err != nil {
			return err
		}
		these, err := m.(*Single).TheseVoters()
		if err == nil {
			_, err = these.Draws(ctx, -1, 500, rand.New(rand.NewPCG(1, 2)))
		}
		return err
	}
	all["Single.Evidence"] = func(ctx context.Context) error {
		m, err := single()
		if err == nil {
			_, err = m.(*Single).Evidence(ctx)
		}
		return err
	}
	placed, _ := simulate(t, SimulateOptions{Items: 10, Users: 6, Votes: 100, Seed: 3})
	over := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{3})
	onFeatures := fit(t, placed.WithItemFeatures(&palate.Features{Names: []string{"place"}, Rows: 10, Cols: 1, Data: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}), &Options{Kernel: over})
	all["Single.Under"] = func(ctx context.Context) error { _, err := onFeatures.Under(ctx, over); return err }
	inCamps, err := FitPopulation(t.Context(), electorateOfCamps(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := inCamps.Segmentation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all["Population.Segmentation"] = func(ctx context.Context) error { _, err := inCamps.Segmentation(ctx); return err }
	all["Population.Stability"] = func(ctx context.Context) error { _, err := inCamps.Stability(ctx, segments, 1, 1); return err }
	featured, _ := voters{items: 5, users: 6, votes: 8, userFeatures: true}.draw(t, 4)
	described, err := FitPopulation(t.Context(), featured, &PopulationOptions{VoterFeatures: WithFeatures})
	if err != nil {
		t.Fatal(err)
	}
	of := reopened(described)
	all["Population.VoterContrast"] = func(ctx context.Context) error {
		m, err := of()
		if err == nil {
			_, err = m.(*Population).VoterContrast(ctx, []float64{1, 0}, []float64{0, 0})
		}
		return err
	}
	all["NewBoard"] = all["NewBoard Single"]
	delete(all, "NewBoard Single")
	all["PreferAll"] = func(ctx context.Context) error {
		m, err := single()
		if err == nil {
			_, err = PreferAll(ctx, m, -1, []int{0}, []int{1})
		}
		return err
	}
	all["Export"] = func(ctx context.Context) error {
		m, err := single()
		if err == nil {
			err = Export(ctx, io.Discard, m, -1, &ExportOptions{Draws: 500})
		}
		return err
	}
	all["PredictAnswers"] = func(ctx context.Context) error {
		m, err := single()
		if err == nil {
			_, err = PredictAnswers(ctx, m, -1, []int{0, 1, 2})
		}
		return err
	}
	predicted, err := PredictAnswers(t.Context(), known, -1, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	all["Single.SaveState"] = func(ctx context.Context) error { return known.(*Single).SaveState(ctx, io.Discard) }
	all["Single.Itemwise"] = func(ctx context.Context) error { _, err := known.(*Single).Itemwise(ctx); return err }
	all["AnswerPrediction.Choice"] = func(ctx context.Context) error { _, err := predicted.Choice(ctx); return err }
	all["AnswerPrediction.BestWorst"] = func(ctx context.Context) error { _, err := predicted.BestWorst(ctx); return err }
	all["AnswerPrediction.Ranking"] = func(ctx context.Context) error { _, err := predicted.Ranking(ctx); return err }
	all["Entry.Fit"] = func(ctx context.Context) error {
		e, err := Find("single")
		if err == nil {
			_, err = e.Fit(ctx, d, nil)
		}
		return err
	}
	all["Save"] = func(ctx context.Context) error {
		m, err := single()
		if err != nil {
			return err
		}
		return Save(ctx, filepath.Join(t.TempDir(), "m.palate"), m)
	}

	k, points := DefaultKernel(d.NumItems(), d.ItemFeatures())
	online, err := NewLinked(make([]string, d.NumItems()), k, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	var votes []palate.Vote
	for _, v := range d.Votes() {
		v.User = -1
		if len(votes) < 20 {
			votes = append(votes, v)
		}
		if err := online.Observe(v); err != nil {
			t.Fatal(err)
		}
	}
	all["Linked.Draws"] = func(ctx context.Context) error {
		_, err := online.Draws(ctx, -1, 500, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	all["Linked.UtilitiesTo"] = func(ctx context.Context) error {
		return online.UtilitiesTo(ctx, make([]float64, d.NumItems()), make([]float64, d.NumItems()), -1)
	}
	all["Linked.Revisit"] = func(ctx context.Context) error {
		online.Revisit(ctx, 0, 3)
		return ctx.Err()
	}
	apart, err := NewItemwise(make([]string, d.NumItems()), 2, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	all["Itemwise.Draws"] = func(ctx context.Context) error {
		_, err := apart.Draws(ctx, -1, 500, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	all["Itemwise.UtilitiesTo"] = func(ctx context.Context) error {
		return apart.UtilitiesTo(ctx, make([]float64, d.NumItems()), make([]float64, d.NumItems()), -1)
	}
	person, err := people.FoldIn(votes, nil)
	if err != nil {
		t.Fatal(err)
	}
	all["Person.Draws"] = func(ctx context.Context) error {
		_, err := person.Draws(ctx, 500, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	all["Top"] = func(ctx context.Context) error { _, err := Top(ctx, people, 0, 3, nil); return err }
	all["Population.Consistency"] = func(ctx context.Context) error { _, err := people.Consistency(ctx, 0); return err }
	all["Population.Traits"] = func(ctx context.Context) error { _, err := people.Traits(ctx, 0.9); return err }
	all["Crowd.Traits"] = func(ctx context.Context) error { _, err := crowd.Traits(ctx, 0.9); return err }
	voter, err := crowd.FoldIn(votes, nil)
	if err != nil {
		t.Fatal(err)
	}
	all["CrowdVoter.Draws"] = func(ctx context.Context) error {
		_, err := voter.Draws(ctx, 500, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	heed.Law(t, all)
}
