package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"palate"
	"palate/internal/wording"
)

// Kinds of findings about what models assume.
const (
	Tastes  = "voters who differ from each other"
	Repeats = "answers that were given again"
	Sides   = "a side that wins too often"
	Drift   = "utilities that drift"
	Circles = "items that beat each other in circles"
)

// assumption is one that models of one utility make of votes.
type assumption struct {
	kind string // of the finding, where it does not hold
	// measure returns a number that is large where the assumption does not hold, NaN
	// where nothing can be said, and how far it does not: y are answers, and o is the order
	// that fits them.
	measure func(b *ballots, y []float64, o *order) (large, size float64)
	// says states the size, and what was to be expected, in words.
	says func(t *trial, size, expected float64) string
	do   string
	// share of the false alarms that it may give: most where votes show least. What is there
	// in sides, circles and repeats is as a rule far beyond what chance does, so that a small
	// share costs them little; drift is the hardest to see, as votes on either side of an
	// item's change look alike, and needs nearly all that there is.
	share float64
}

// assumptions are all that are tested. Where one of the first two fails, voters with
// tastes, and with memories, of their own are what those after it are held to.
func assumptions() []assumption {
	return []assumption{
		{Tastes, dependence, saysDependence,
			"votes of one voter say less than votes of as many people; boards of single and crowd allow for it: ask more people rather than more of each", 6},
		{Repeats, repetition, saysRepetition,
			"repeated answers say little more than one; boards of single allow for it: ask other pairs", 1},
		{Sides, sideBias, saysSideBias,
			"boards of single are without what a side is worth, and say how much that is; let chance decide which item is on which side, or show every pair both ways round", 1},
		{Drift, driftOf, saysDrift,
			"the ranking is one of the whole time: palate rank --over month ranks as things stand at the end, and tells what rose and fell", 18},
		{Circles, cycling, saysCycling,
			"no order of the items explains these votes: look at the pairs themselves, or at groups of voters apart", 1},
	}
}

// What is found wrongly in votes of which nothing is wrong is at most this share of
// files, all assumptions together (Holm 1979).
const falseAlarms = 0.05

// The votes are drawn again at least replicates times, and so often that of a test with a
// small share of the false alarms fewest of them would be as odd as the votes where these are
// just odd enough; fewer where enough are as odd before (Besag and Clifford 1991). They are
// drawn some at a time.
const (
	replicates = 499
	fewest     = 4
	enough     = 10
	batch      = 20
)

// trial holds votes to an order that all share.
type trial struct {
	*ballots
	d     *palate.Dataset
	null  *order
	rng   *rand.Rand
	tests []test
}

// test is how an assumption did.
type test struct {
	assumption
	large, size float64
	most        int     // bound on replicates
	drawn       int     // replicates so far
	above       int     // replicates that are as large or larger
	expected    float64 // sum of the sizes of replicates
	p           float64
}

// Assumptions tests what models of one utility take for granted of the votes of d, and
// returns what does not hold, each with its size and its p: that voters do not differ, that
// answers given again are answers of their own, that sides do not matter, that utilities
// stay, and that items have an order. sided reports whether the left and right of a vote
// are sides on which items were shown.
//
// The votes are held to a Bradley–Terry order by drawing answers to the same questions
// from it, up to 499 times, or 2,200 where a test has little of the false alarms. P-values
// are corrected for all tests together (Holm's procedure, weighted), so that of files of
// which nothing is wrong one in twenty has a finding. Ties, and votes that follow from one answer, are left out; of more than
// 10,000 votes those of some voters are tested. Up to that number the same votes have the
// same findings, in whatever order they are.
func Assumptions(ctx context.Context, d *palate.Dataset, sided func(vote int) bool) ([]Finding, error) {
	b, err := gather(ctx, d, sided, rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(b.y) == 0 {
		return nil, err
	}
	t := &trial{ballots: b, d: d, null: fitOrder(b), rng: rand.New(rand.NewPCG(1, b.fingerprint()))}
	p := t.null.chances(b)
	for _, a := range assumptions() {
		x := test{assumption: a}
		if x.large, x.size = a.measure(b, b.y, t.null); !math.IsNaN(x.large) {
			t.tests = append(t.tests, x)
		}
	}
	var shares float64
	for _, x := range t.tests {
		shares += x.share
	}
	for k := range t.tests {
		t.tests[k].most = max(replicates, int(math.Ceil(fewest*shares/(falseAlarms*t.tests[k].share)))-1)
	}
	if err := t.try(ctx, p); err != nil {
		return nil, err
	}
	var findings []Finding
	for _, x := range holm(t.tests) {
		if x.p <= falseAlarms {
			p := x.p
			findings = append(findings, Finding{Kind: x.kind, Count: len(b.y), P: &p, Says: x.says(t, x.size, x.usual()), Do: x.do})
		}
	}
	return findings, nil
}

// try holds the votes to the order, and again, once voters are known to differ or to
// repeat themselves, to one that leaves them their tastes and memories.
func (t *trial) try(ctx context.Context, p []float64) error {
	if err := t.replicate(ctx, t.tests); err != nil {
		return err
	}
	for k, x := range t.tests {
		if holm(t.tests)[k].p > falseAlarms {
			continue
		}
		switch x.kind {
		case Tastes:
			if err := t.learnTaste(ctx, p, x); err != nil {
				return err
			}
		case Repeats:
			t.null.memory = max(0, (x.size-x.usual())/(1-x.usual()))
		default:
			return nil
		}
		if err := t.replicate(ctx, t.tests[k+1:]); err != nil {
			return err
		}
	}
	return nil
}

// usual is the mean size over the replicates.
func (x test) usual() float64 { return x.expected / float64(x.drawn) }

// learnTaste finds the tastes with which votes of one voter go together as they do.
func (t *trial) learnTaste(ctx context.Context, p []float64, x test) error {
	noise := x.usual()
	t.null.taste = tasteOf(t.ballots, p, x.size-noise)
	for range 4 {
		tried := []test{{assumption: x.assumption, large: math.Inf(1), most: batch}}
		if err := t.draw(ctx, tried); err != nil {
			return err
		}
		if reached := tried[0].usual() - noise; reached > 0 {
			t.null.taste *= min(2, max(0.5, math.Sqrt((x.size-noise)/reached)))
		}
	}
	return nil
}

// replicate draws the votes again from the order until it is plain how odd they are.
func (t *trial) replicate(ctx context.Context, tests []test) error {
	for k := range tests {
		tests[k].drawn, tests[k].above, tests[k].expected = 0, 0, 0
	}
	for slices.ContainsFunc(tests, test.open) {
		if err := t.draw(ctx, tests); err != nil {
			return err
		}
	}
	for k := range tests {
		x := &tests[k]
		x.p = float64(x.above+1) / float64(x.drawn+1)
		if x.above == enough {
			x.p = float64(enough) / float64(x.drawn)
		}
	}
	return nil
}

// open reports whether more replicates may tell more.
func (x test) open() bool { return x.above < enough && x.drawn < x.most }

// draw draws the votes again batch times, and counts where they are as odd as they are.
func (t *trial) draw(ctx context.Context, tests []test) error {
	seed := t.rng.Uint64()
	type result struct{ large, size []float64 }
	results := make([]result, batch)
	workers := min(batch, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for k := w; k < batch && ctx.Err() == nil; k += workers {
				y := t.null.answers(t.ballots, rand.New(rand.NewPCG(seed, uint64(k))))
				o := &order{u: slices.Clone(t.null.u), ridge: t.null.ridge}
				o.fit(t.ballots, y)
				results[k].large, results[k].size = make([]float64, len(tests)), make([]float64, len(tests))
				for j, x := range tests {
					if x.open() {
						results[k].large[j], results[k].size[j] = x.measure(t.ballots, y, o)
					}
				}
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for k := range tests {
		x := &tests[k]
		for _, r := range results {
			if !x.open() {
				break
			}
			x.drawn++
			x.expected += r.size[k]
			if r.large[k] >= x.large*(1-1e-12) {
				x.above++
			}
		}
	}
	return nil
}

// holm corrects p for all tests together, each with its share of the false alarms, the
// smallest first (Holm 1979, §4).
func holm(tests []test) []test {
	out := slices.Clone(tests)
	byP := make([]int, len(out))
	var shares float64
	for k, x := range out {
		byP[k] = k
		shares += x.share
	}
	slices.SortStableFunc(byP, func(i, j int) int { return cmp.Compare(out[i].p/out[i].share, out[j].p/out[j].share) })
	least := 0.0
	for _, k := range byP {
		least = max(least, min(1, out[k].p/out[k].share*shares))
		shares -= out[k].share
		out[k].p = least
	}
	return out
}

// unit is how much of the scale of the logistic one of the normal's is: scores of boards
// are in units of the noise of a vote.
const unit = 1.702

func saysDependence(t *trial, _, _ float64) string {
	return fmt.Sprintf("votes of one voter go together as if utilities differed by %.1f between voters, in units of the noise of a vote", t.null.taste/unit)
}

func saysRepetition(_ *trial, size, expected float64) string {
	return fmt.Sprintf("%.0f %% of the answers to a pair that a voter met again were the same; %.0f %% were to be expected", 100*size, 100*expected)
}

func saysSideBias(t *trial, size, expected float64) string {
	shown := 0
	for _, s := range t.sided {
		if s {
			shown++
		}
	}
	side := "left"
	if size < expected {
		side, size, expected = "right", 1-size, 1-expected
	}
	return fmt.Sprintf("the %s item won %.0f %% of %s; %.0f %% were to be expected of these pairs", side, 100*size, wording.Plural(shown, "vote"), 100*expected)
}

func saysDrift(t *trial, _, _ float64) string {
	moves, size := moved(t.ballots, t.null.chances(t.ballots))
	most := 0
	for i, m := range moves {
		if math.Abs(m.rate)*math.Sqrt(m.information) > math.Abs(moves[most].rate)*math.Sqrt(moves[most].information) {
			most = i
		}
	}
	way := "up"
	if moves[most].rate < 0 {
		way = "down"
	}
	return fmt.Sprintf("from the first to the last vote utilities moved by about %.1f, in units of the noise of a vote; most clearly %s, %s", 2*size/unit, wording.Quote(t.d.ItemID(t.items[most])), way)
}

func saysCycling(t *trial, size, expected float64) string {
	text := fmt.Sprintf("%.0f of %s that all met go round clearly; %.1f were to be expected", size, wording.Plural(len(t.triangles), "triple"), expected)
	margins := t.margins(t.y)
	best, strength := -1, 0.0
	for k, tri := range t.triangles {
		if s := round(margins, tri); math.Abs(s) > math.Abs(strength) {
			best, strength = k, s
		}
	}
	if best < 0 {
		return text
	}
	names := make([]string, 3)
	for k, s := range t.triangles[best] {
		from := t.pairs[s.pair].a
		if s.turned {
			from = t.pairs[s.pair].b
		}
		names[k] = wording.Quote(t.d.ItemID(t.items[from]))
	}
	if strength < 0 {
		names[1], names[2] = names[2], names[1]
	}
	return fmt.Sprintf("%s; %s beats %s, which beats %s, which beats %s", text, names[0], names[1], names[2], names[0])
}
