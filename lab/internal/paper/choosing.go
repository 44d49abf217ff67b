package paper

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"palate"
	"palate/evaluate"
	"palate/model"
)

// choosingSet is votes whose new answers are known.
type choosingSet struct {
	name, about string
	field       bool // votes of a file, in folds
	models      []string
	// draw returns votes of some voters, and new answers of the same.
	draw func(rng *rand.Rand) (votes, fresh *palate.Dataset, err error)
	// file returns the votes of a file in folds.
	file func(f Folder, seed uint64) (*palate.Dataset, []evaluate.Fold, error)
	// whole returns votes to choose by again and again, in other orders and under other names.
	whole func(f Folder, seed uint64) (*palate.Dataset, error)
}

// choosingSets are votes of several kinds, and those from the field.
func choosingSets() []choosingSet {
	madeUp := func(name, about string, taste float64, answers int, answer func(c *choosingWorld, user int)) choosingSet {
		return choosingSet{name: name, about: about, models: []string{autoModel}, draw: func(rng *rand.Rand) (*palate.Dataset, *palate.Dataset, error) {
			return drawChoosing(rng, taste, answers, answer)
		}}
	}
	models := []string{autoModel, "single", "population", "crowd"}
	for _, m := range models[1:] {
		models = append(models, m+withoutTies)
	}
	fields := func(name, about, by string) choosingSet {
		return choosingSet{name: "llmfao/" + name, about: about, field: true, models: models, file: func(f Folder, seed uint64) (*palate.Dataset, []evaluate.Fold, error) { return llmfao(f, by, seed) }}
	}
	disguised := func(name, about string, field bool, whole func(f Folder, seed uint64) (*palate.Dataset, error)) choosingSet {
		return choosingSet{name: "disguised/" + name, about: about + ", shuffled and renamed", field: field, models: []string{autoModel}, whole: whole}
	}
	return []choosingSet{
		madeUp("votes", "25 votes each of voters with tastes of their own", 0.7, 25, (*choosingWorld).vote),
		madeUp("ranking", "a ranking of 6 items each, given as pairs; voters are alike", 0, 1, func(c *choosingWorld, user int) { c.rank(user, 6) }),
		madeUp("rankings", "three rankings of 5 items each, given as pairs, of voters with tastes of their own", 0.7, 3, func(c *choosingWorld, user int) { c.rank(user, 5) }),
		madeUp("labels", "three labels of one pair, copies but for one in twenty, under the names of three voters", 0, 8, (*choosingWorld).label),
		madeUp("repeats", "four pairs each, answered five times; the voter repeats the answer", 0, 4, (*choosingWorld).repeat),
		fields("vote", "judgements of language models, 39 % ties, in folds by vote", ""),
		fields("id", "the same in folds by the answers that were judged", "id"),
		{name: "country", about: "which of two countries has more inhabitants, in folds by vote", field: true, models: []string{autoModel, "single", "population", "crowd"}, file: countryFolds},
		disguised("votes", "votes as above", false, func(_ Folder, seed uint64) (*palate.Dataset, error) {
			d, _, err := drawChoosing(stream(seed, "choosing/disguised", 0), 0.7, 25, (*choosingWorld).vote)
			return d, err
		}),
		disguised("llmfao", "all of llmfao", true, func(f Folder, seed uint64) (*palate.Dataset, error) {
			d, _, err := llmfao(f, "", seed)
			return d, err
		}),
		disguised("country", "all of country", true, country),
		disguised("sushi", "5 pairs each of 100 people's rankings of sushi", true, sushiSample),
	}
}

// withoutTies ends the name of a model that learns from no ties.
const withoutTies = ", no ties"

// Choosing holds auto to what it announces, with a table for every kind of votes. Those from the field are used only
// when they are asked for.
func Choosing() Study[*WorldTable] {
	s := studyOf(choosingSets(), 20, choosingSet.table)
	run := s.Run
	s.Run = func(ctx context.Context, o StudyOptions) iter.Seq2[*WorldTable, error] {
		if len(o.Sets) == 0 {
			o.Sets = namesOf(slices.DeleteFunc(choosingSets(), func(s choosingSet) bool { return s.field }), func(s choosingSet) string { return s.name })
		}
		return run(ctx, o)
	}
	return s
}

func (s choosingSet) described() (name, about string) { return s.name, s.about }

func (s choosingSet) table(ctx context.Context, o StudyOptions) (*WorldTable, error) {
	t := &WorldTable{Set: s.name, Repeats: o.Repeats}
	for _, m := range s.models {
		t.Rows = append(t.Rows, &WorldRow{World: s.name, Model: m})
	}
	var whole *palate.Dataset
	var folds []evaluate.Fold
	if s.file != nil {
		var err error
		if whole, folds, err = s.file(o.Folder, o.Seed); err != nil {
			return nil, err
		}
		t.Repeats = len(folds)
	}
	if s.whole != nil {
		var err error
		if whole, err = s.whole(o.Folder, o.Seed); err != nil {
			return nil, err
		}
	}
	for repeat := range t.Repeats {
		for k, r := range t.Rows {
			o.progress(Progress{Set: s.name, Model: r.Model, Split: repeat, Splits: t.Repeats, Done: repeat*len(t.Rows) + k, Total: t.Repeats * len(t.Rows)})
			result, err := remembered(o.Results, trialKey{Set: "choosing/" + s.name, Model: r.Model, Split: repeat, Seed: o.Seed}, func() (worldResult, error) {
				if s.whole != nil {
					return tryDisguised(ctx, whole, repeat, o.Seed)
				}
				if s.file != nil {
					var test []int
					for _, c := range folds[repeat].Test {
						test = append(test, c.Vote)
					}
					return tryChoosing(ctx, whole.Select(folds[repeat].Train), whole.Select(test), r.Model, o.Seed)
				}
				votes, fresh, err := s.draw(stream(o.Seed, "choosing/"+s.name, repeat))
				if err != nil {
					return nil, err
				}
				return tryChoosing(ctx, votes, fresh, r.Model, o.Seed)
			})
			if err != nil {
				return nil, fmt.Errorf("paper: %s, %d, %s: %w", s.name, repeat, r.Model, err)
			}
			r.results = append(r.results, result)
		}
	}
	return t, nil
}

// tryChoosing fits a model, or the one that auto takes, and asks it for new answers.
func tryChoosing(ctx context.Context, votes, fresh *palate.Dataset, name string, seed uint64) (worldResult, error) {
	result := worldResult{}
	settings := model.Settings{Seed: seed}
	name, without := strings.CutSuffix(name, withoutTies)
	if without {
		votes = votes.Select(decidedOf(votes))
	}
	if name == autoModel {
		choice, err := evaluate.Choose(ctx, votes, &evaluate.ChooseOptions{Settings: settings})
		if err != nil {
			return nil, err
		}
		name, settings = choice.Model, choice.Settings
		result["announced"], result["announced_error"] = choice.Loss, choice.Error
		result.took(choice)
	}
	m, err := fitNamed(ctx, votes, name, settings)
	if err != nil {
		return nil, err
	}
	var loss, n float64
	for _, k := range decidedOf(fresh) {
		v := fresh.Vote(k)
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		loss -= math.Log(max(m.Prefer(v.User, v.Left, v.Right), 1e-12))
		n++
	}
	result["gets"] = loss / n
	if a, ok := result["announced"]; ok {
		result["over"] = a - result["gets"]
		result["over_errors"] = result["over"] / result["announced_error"]
	}
	return result, ctx.Err()
}

// decidedOf are the votes that are no ties.
func decidedOf(d *palate.Dataset) (votes []int) {
	for k, v := range d.Votes() {
		if v.Outcome == palate.Left || v.Outcome == palate.Right {
			votes = append(votes, k)
		}
	}
	return votes
}

// choosingWorld is voters, what they like, and what they say.
type choosingWorld struct {
	rng   *rand.Rand
	value [][]float64 // of each voter
	b     *palate.Builder
}

const (
	choosingItems  = 20
	choosingVoters = 40
	choosingFresh  = 10 // times as many new answers as there are votes
)

// drawChoosing draws answers of voters whose tastes have a deviation, around a consensus of
// deviation .5, and new ones.
func drawChoosing(rng *rand.Rand, taste float64, answers int, answer func(c *choosingWorld, user int)) (votes, fresh *palate.Dataset, err error) {
	c := &choosingWorld{rng: rng, value: make([][]float64, choosingVoters)}
	consensus := make([]float64, choosingItems)
	for i := range consensus {
		consensus[i] = 0.5 * rng.NormFloat64()
	}
	for u := range c.value {
		for _, x := range consensus {
			c.value[u] = append(c.value[u], x+taste*rng.NormFloat64())
		}
	}
	draw := func(times int) (*palate.Dataset, error) {
		c.b = palate.NewBuilder()
		for i := range consensus {
			c.b.Item(fmt.Sprintf("item %02d", i))
		}
		for u := range c.value {
			c.b.User(fmt.Sprintf("voter %02d", u))
		}
		for u := range c.value {
			for range times * answers {
				answer(c, u)
			}
		}
		return c.b.Build()
	}
	if votes, err = draw(1); err != nil {
		return nil, nil, err
	}
	fresh, err = draw(choosingFresh)
	return votes, fresh, err
}

// say is what a voter says of two items, with the noise of a unit probit.
func (c *choosingWorld) say(user int, pair []int) palate.Vote {
	v := palate.Vote{User: user, Left: pair[0], Right: pair[1], Weight: 1}
	if c.value[user][v.Left]+c.rng.NormFloat64() < c.value[user][v.Right] {
		v.Outcome = palate.Right
	}
	return v
}

func (c *choosingWorld) add(v palate.Vote) {
	if err := c.b.Add(v); err != nil {
		panic(err) // items and voters are there
	}
}

func (c *choosingWorld) vote(user int) { c.add(c.say(user, c.rng.Perm(choosingItems)[:2])) }

// rank adds all pairs of an order of some items.
func (c *choosingWorld) rank(user, length int) {
	order, seen := c.rng.Perm(choosingItems)[:length], make([]float64, choosingItems)
	for i := range seen {
		seen[i] = c.value[user][i] + math.Sqrt(0.5)*c.rng.NormFloat64()
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(seen[j], seen[i]) })
	for j := range order {
		for i := range j {
			c.add(palate.Vote{User: user, Left: order[i], Right: order[j], Weight: 1})
		}
	}
}

// label adds what three voters are said to have said, copies of one answer for the most part.
func (c *choosingWorld) label(user int) {
	v := c.say(user, c.rng.Perm(choosingItems)[:2])
	for n := range 3 {
		copied := v
		if copied.User = (user + n) % choosingVoters; c.rng.Float64() < 0.05 {
			copied.Outcome = v.Outcome.Swap()
		}
		c.add(copied)
	}
}

// repeat adds an answer five times.
func (c *choosingWorld) repeat(user int) {
	v := c.say(user, c.rng.Perm(choosingItems)[:2])
	for range 5 {
		c.add(v)
	}
}
