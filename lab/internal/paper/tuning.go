package paper

import (
	"cmp"
	"context"
	_ "embed" // a program in Python
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/lab/internal/tuning"
	"palate/tune"
)

// tuningMarks are the numbers of duels after which the regret is taken.
func tuningMarks() []int { return []int{20, 50, 100} }

// botorch is the peer among the models.
const botorch = "botorch"

// tuned is what came of a search: the regret after each of the marks, in deviations of the
// function, and the processor time of every question.
type tuned struct {
	Regret []float64 `json:"regret"`
	CPU    []float64 `json:"cpu"`
	Held   []heldUp  `json:"held,omitempty"` // after each of the marks, of palate and with noise
}

// heldUp is how far what a search says of utility holds.
type heldUp struct {
	Differences float64 `json:"differences"` // share of 90 % intervals
	Said        float64 `json:"said"`        // chance of the favourite of the best point and the first
	Came        float64 `json:"came"`        // 1: it is the better one
}

// Tuning searches for the tops of functions by noisy duels, with a table for every
// function. The noise of a duel depends on nothing but the seed, the function, the number of
// the search and that of the duel. Models are who chooses what to ask: the policies of palate,
// and the peer.
func Tuning() Study[*WorldTable] {
	s := Study[*WorldTable]{
		Sets:   []string{"branin", "hartmann3", "hartmann6", "ackley5", "levy8", "mixed", "few", "known"},
		Models: append(namesOf(tune.Policies(), tune.Policy.String), botorch),
		Run:    runTuning,
	}
	s.check = func(o StudyOptions) error {
		if o.Duels < 0 || !(o.Noise >= 0) {
			return fmt.Errorf("paper: %d duels with a noise of %g", o.Duels, o.Noise)
		}
		if slices.Contains(o.Models, botorch) && o.Python == "" {
			return fmt.Errorf("paper: BoTorch needs a Python that has it: --python")
		}
		return o.check(s.Sets, s.Models)
	}
	return s
}

func runTuning(ctx context.Context, o StudyOptions) iter.Seq2[*WorldTable, error] {
	o.Repeats = o.repeats(20)
	o.Duels = cmp.Or(o.Duels, 100)
	if len(o.Sets) == 0 {
		o.Sets = Tuning().Sets[:6]
	}
	if len(o.Models) == 0 {
		o.Models = []string{tune.EUBO.String(), tune.Random.String()}
		if o.Python != "" {
			o.Models = append(o.Models, botorch)
		}
	}
	return func(yield func(*WorldTable, error) bool) {
		all, err := tuning.Problems(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		tables(all, func(p *tuning.Problem) bool { return o.asks(p.Name) }, func(p *tuning.Problem) (*WorldTable, error) { return tuningTable(ctx, p, o) })(yield)
	}
}

func tuningTable(ctx context.Context, p *tuning.Problem, o StudyOptions) (*WorldTable, error) {
	t := &WorldTable{Set: fmt.Sprintf("%s, noise %g", p.Name, o.Noise), Repeats: o.Repeats}
	var marks []int
	for _, m := range tuningMarks() {
		if m <= o.Duels {
			marks = append(marks, m)
		}
	}
	for _, m := range marks {
		for _, name := range o.Models {
			t.Rows = append(t.Rows, &WorldRow{World: fmt.Sprint(m, " duels"), Model: name})
		}
	}
	set := fmt.Sprintf("tuning/%s/%g/%d", p.Name, o.Noise, o.Duels)
	for repeat := range o.Repeats {
		first := make([]float64, len(marks))
		for k, name := range o.Models {
			o.progress(Progress{Set: t.Set, Model: name, Split: repeat, Splits: o.Repeats, Done: repeat*len(o.Models) + k, Total: o.Repeats * len(o.Models)})
			key := trialKey{Set: set, Model: name, Split: repeat, Seed: o.Seed}
			found, err := remembered(o.Results, key, func() (tuned, error) {
				return searchFor(ctx, p, name, marks, o, repeat)
			})
			if err != nil {
				return nil, fmt.Errorf("paper: %s, search %d, %s: %w", t.Set, repeat, name, err)
			}
			question := slices.Sorted(slices.Values(found.CPU))[len(found.CPU)/2]
			for m, regret := range found.Regret {
				logRegret := math.Log(max(regret, 1e-6))
				result := worldResult{"regret": regret, "log_regret": logRegret, "question": 1000 * question}
				if k == 0 {
					first[m] = logRegret
				} else {
					result["above_first"] = logRegret - first[m]
				}
				if m < len(found.Held) {
					h := found.Held[m]
					result["differences"], result["start_said"], result["start"] = h.Differences, h.Said, h.Came
				}
				r := t.Rows[m*len(o.Models)+k]
				r.results = append(r.results, result)
			}
		}
	}
	return t, nil
}

// asker chooses what to ask and says what it holds to be best.
type asker interface {
	next(ctx context.Context) (tune.Question, float64, error)
	tell(d tune.Duel)
	best(ctx context.Context) (tune.Point, error)
}

// searchFor runs one search.
func searchFor(ctx context.Context, p *tuning.Problem, name string, marks []int, o StudyOptions, repeat int) (found tuned, err error) {
	seed := stream(o.Seed, "search/"+p.Name, repeat).Uint64()
	var a asker
	if name == botorch {
		b := &botorchAsker{space: p.Space, seed: seed, peer: &peer{python: o.Python, program: eubotorchProgram}}
		defer b.peer.close()
		a = b
	} else {
		policy, err := tune.ParsePolicy(name)
		if err != nil {
			return found, err
		}
		a = &palateAsker{tune.NewSearch(p.Space, &tune.Log{Seed: seed}), policy}
	}
	rng := stream(o.Seed, fmt.Sprintf("noise/%s/%g", p.Name, o.Noise), repeat)
	for n := 1; n <= o.Duels; n++ {
		q, cpu, err := a.next(ctx)
		if err != nil {
			return found, err
		}
		found.CPU = append(found.CPU, cpu)
		noise := o.Noise * p.Deviation
		d := tune.Duel{Left: q.Left, Right: q.Right}
		if p.Value(q.Left)+noise*rng.NormFloat64() < p.Value(q.Right)+noise*rng.NormFloat64() {
			d.Answer = palate.Right
		}
		a.tell(d)
		if slices.Contains(marks, n) {
			x, err := a.best(ctx)
			if err != nil {
				return found, err
			}
			found.Regret = append(found.Regret, (p.Top-p.Value(x))/p.Deviation)
			if ours, ok := a.(*palateAsker); ok && o.Noise > 0 {
				h, err := ours.held(ctx, p, x, o.Noise, stream(o.Seed, "held/"+p.Name, repeat))
				if err != nil {
					return found, err
				}
				found.Held = append(found.Held, h)
			}
		}
	}
	return found, nil
}

// palateAsker asks by a policy of palate; what random duels say is learnt from all the same.
type palateAsker struct {
	*tune.Search
	policy tune.Policy
}

func (a *palateAsker) next(ctx context.Context) (tune.Question, float64, error) {
	before := cpuSeconds()
	list, err := a.Next(ctx, a.policy, 1)
	if err != nil {
		return tune.Question{}, 0, err
	}
	return list[0], cpuSeconds() - before, nil
}

func (a *palateAsker) tell(d tune.Duel) { a.Tell(d) }

func (a *palateAsker) best(ctx context.Context) (tune.Point, error) { return a.Best(ctx) }

// held compares what is believed with the function, in units of the noise of a duel: at points
// drawn at random, and at the best one and the first that was asked about.
func (a *palateAsker) held(ctx context.Context, p *tuning.Problem, best tune.Point, noise float64, rng *rand.Rand) (h heldUp, err error) {
	const pairs = 50
	unit := math.Sqrt2 * noise * p.Deviation
	for range pairs {
		x, y := p.Space.Sample(rng), p.Space.Sample(rng)
		c, err := a.Compare(ctx, x, y)
		if err != nil {
			return h, err
		}
		if gap := (p.Value(x) - p.Value(y)) / unit; gap >= c.Gain.Lo && gap <= c.Gain.Hi {
			h.Differences += 1.0 / pairs
		}
	}
	first := a.Log.Duels[0].Left
	c, err := a.Compare(ctx, best, first)
	h.Said = max(c.Better, 1-c.Better)
	if (p.Value(best) > p.Value(first)) == (c.Better > 0.5) {
		h.Came = 1
	}
	return h, err
}

//go:embed eubotorch.py
var eubotorchProgram string

// botorchStart is how many duels are random before BoTorch is asked.
const botorchStart = 4

// botorchAsker asks what BoTorch's PairwiseGP and EUBO choose, on features in the unit cube.
type botorchAsker struct {
	space  *tune.Space
	seed   uint64
	peer   *peer
	points [][]float64
	duels  [][2]int // winner and loser
}

// botorchTask is a question to the program.
type botorchTask struct {
	Points [][]float64 `json:"points"`
	Duels  [][2]int    `json:"duels"`
	Number int         `json:"number"` // of points to return: a pair, or the best
	Seed   uint64      `json:"seed"`
}

func (a *botorchAsker) next(ctx context.Context) (tune.Question, float64, error) {
	if len(a.duels) < botorchStart {
		rng := rand.New(rand.NewPCG(a.seed, uint64(len(a.duels))))
		return tune.Question{Left: a.space.Sample(rng), Right: a.space.Sample(rng)}, 0, ctx.Err()
	}
	x, cpu, err := a.ask(ctx, 2)
	if err != nil {
		return tune.Question{}, 0, err
	}
	return tune.Question{Left: x[0], Right: x[1]}, cpu, nil
}

func (a *botorchAsker) ask(ctx context.Context, number int) ([]tune.Point, float64, error) {
	var answer struct {
		Points [][]float64 `json:"points"`
		CPU    float64     `json:"cpu"`
	}
	if err := a.peer.ask(ctx, botorchTask{a.points, a.duels, number, rand.New(rand.NewPCG(a.seed, uint64(len(a.duels)))).Uint64()}, &answer); err != nil {
		return nil, 0, err
	}
	var list []tune.Point
	for _, f := range answer.Points {
		list = append(list, a.space.Nearest(f))
	}
	return list, answer.CPU, nil
}

func (a *botorchAsker) tell(d tune.Duel) {
	n := len(a.points)
	a.points = append(a.points, a.space.Features(d.Left), a.space.Features(d.Right))
	if d.Answer == palate.Right {
		a.duels = append(a.duels, [2]int{n + 1, n})
	} else {
		a.duels = append(a.duels, [2]int{n, n + 1})
	}
}

func (a *botorchAsker) best(ctx context.Context) (tune.Point, error) {
	x, _, err := a.ask(ctx, 1)
	if err != nil {
		return nil, err
	}
	return x[0], nil
}
