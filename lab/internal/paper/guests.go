package paper

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/ingest"
	"palate/model"
)

// How many people are learnt from, how many come after, and how many of their ratings are known.
const (
	ratingHosts  = 600
	ratingGuests = 150
	ratingsKnown = 10
)

// ratingSet is where ratings are.
type ratingSet struct {
	archive
	files []string
}

func ratingSets() []ratingSet {
	return []ratingSet{
		{archive{"jester", "field", "https://cran.r-project.org/package=recommenderlab"}, []string{"jester.csv.gz", "jester.csv"}},
		{movieLens100K().archive, movieLens100K().ratings},
		{movieLens1M().archive, movieLens1M().ratings},
	}
}

// Guests learns from all ratings of the first 600 people, as ratings and as a population does from pairs of them,
// takes each of the next 150 in by ten ratings drawn at random, and predicts the order of every two of their other
// ratings that differ. Yardsticks are the items' mean ratings and the nearest neighbours'. Errors are over the people predicted.
func Guests() Study[*Table] { return studyOf(ratingSets(), 1, ratingSet.run) }

func (s ratingSet) described() (name, about string) { return s.name, s.home }

func (s ratingSet) run(ctx context.Context, o StudyOptions) (*Table, error) {
	people, err := s.load(o.Folder)
	if err != nil {
		return nil, err
	}
	if len(people) <= ratingHosts {
		return nil, fmt.Errorf("paper: %s: %d people, not more than %d", s.name, len(people), ratingHosts)
	}
	hosts, guests := people[:ratingHosts], people[ratingHosts:min(len(people), ratingHosts+ratingGuests)]
	rng := stream(o.Seed, s.name, 0)
	var known, rest []ratings
	for _, g := range guests {
		rng.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
		n := min(ratingsKnown, len(g))
		known, rest = append(known, g[:n]), append(rest, g[n:])
	}
	train, err := dataset(ctx, nil, hosts, ingest.Options{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	asked, err := dataset(ctx, train, known, ingest.Options{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	split := &Split{Train: train, Test: differ(train, rest, rng)}
	means := newItemMeans(train, hosts)
	t := &Table{Set: Set{Data: s.name, Split: "guests"}, Loss: CE, Splits: 1}
	add := func(name string, fit func() (Predictor, error)) error {
		o.progress(Progress{Set: s.name, Model: name, Splits: 1})
		key := trialKey{Set: t.Name(), Model: name, Seed: o.Seed}
		trial, found := o.Results.find(key)
		if !found {
			meter := startMeter()
			p, err := fit()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			cost := noFigures()
			meter.stop(&cost)
			if trial, err = measure(p, split); err != nil {
				return err
			}
			trial.Figures[CPU], trial.Figures[Peak] = cost[CPU], cost[Peak]
			if err := o.Results.keep(key, trial); err != nil {
				return err
			}
		}
		t.Rows = append(t.Rows, &Row{Data: t.Data, Split: t.Split, Model: name, Published: Published{Figures: noFigures()}, Trials: []Trial{trial}, Others: slices.Clone(t.Rows)})
		return nil
	}
	err = add("item-means", func() (Predictor, error) { return means, nil })
	if err == nil {
		err = add("neighbours", func() (Predictor, error) {
			return newNearPeople(train, means, hosts, known, stream(o.Seed, s.name+"/neighbours", 0)), nil
		})
	}
	if err == nil {
		err = add("ratings", func() (Predictor, error) {
			train, err := dataset(ctx, train, hosts, ingest.Options{Rated: true})
			if err != nil {
				return nil, err
			}
			asked, err := dataset(ctx, train, known, ingest.Options{Rated: true})
			if err != nil {
				return nil, err
			}
			m, err := model.FitRated(ctx, train, &model.RatedOptions{Seed: o.Seed})
			if err != nil {
				return nil, err
			}
			return welcomedBy(m, train, asked)
		})
	}
	if err == nil {
		err = add("population", func() (Predictor, error) {
			train, err := dataset(ctx, nil, hosts, ingest.Options{Seed: o.Seed})
			if err != nil {
				return nil, err
			}
			return welcomed(ctx, train, asked, o.Seed)
		})
	}
	if err == nil && o.AllPairs {
		err = add("population-all-pairs", func() (Predictor, error) {
			all, err := dataset(ctx, nil, hosts, ingest.Options{MaxPairs: -1})
			if err != nil {
				return nil, err
			}
			return welcomed(ctx, all, asked, o.Seed)
		})
	}
	return t.settle(), err
}

// grade is a rating with the names as the file has them.
type grade struct {
	user, item string
	stars      float64
}

// ratings are those of one person.
type ratings []grade

// load reads all ratings by person, people in the order of the numbers in their names.
func (s ratingSet) load(f Folder) ([]ratings, error) {
	t, err := f.open(s.archive, s.files...)
	if err != nil {
		return nil, err
	}
	defer t.close()
	separator, err := t.ratings()
	if err != nil {
		return nil, err
	}
	of := map[int]ratings{}
	for {
		ok, err := t.next(separator, 3)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		stars, err := t.number(2, "rating")
		if err != nil {
			return nil, err
		}
		user, err := strconv.Atoi(strings.TrimPrefix(t.row[0], "u"))
		if err != nil {
			return nil, t.fault("user", "%q is not a number", t.row[0])
		}
		of[user] = append(of[user], grade{t.row[0], t.row[1], stars})
	}
	var people []ratings
	for _, u := range slices.Sorted(maps.Keys(of)) {
		slices.SortFunc(of[u], func(a, b grade) int { return cmp.Compare(a.item, b.item) })
		people = append(people, of[u])
	}
	return people, nil
}

// dataset reads ratings as a file of them would be read; its items are those of another, then its own.
func dataset(ctx context.Context, items *palate.Dataset, people []ratings, o ingest.Options) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	if items != nil {
		for i := range items.NumItems() {
			b.Item(items.ItemID(i))
		}
	}
	var text bytes.Buffer
	text.WriteString("user,item,rating\n")
	for _, p := range people {
		for _, r := range p {
			fmt.Fprintf(&text, "%s,%s,%v\n", r.user, r.item, r.stars)
		}
	}
	if _, err := ingest.Votes(ctx, "ratings", &text, b, o); err != nil {
		return nil, err
	}
	return b.Build()
}

// differ returns a vote for every two ratings of a guest that differ, of items that d has; guest k is user k.
func differ(d *palate.Dataset, guests []ratings, rng *rand.Rand) (votes []palate.Vote) {
	index := itemIndex(d)
	for u, g := range guests {
		for i := range g {
			for j := range i {
				high, low := g[i], g[j]
				if high.stars < low.stars {
					high, low = low, high
				}
				left, known := index[high.item]
				right, too := index[low.item]
				if high.stars > low.stars && known && too {
					votes = append(votes, palate.Vote{User: u, Left: left, Right: right, Outcome: palate.Left, Weight: 1})
				}
			}
		}
	}
	flipHalf(votes, rng)
	return votes
}

func itemIndex(d *palate.Dataset) map[string]int {
	index := map[string]int{}
	for i := range d.NumItems() {
		index[d.ItemID(i)] = i
	}
	return index
}

// welcomed fits a population as the command fit does, and takes everybody in who voted in asked.
func welcomed(ctx context.Context, train, asked *palate.Dataset, seed uint64) (Predictor, error) {
	m, err := model.FitPopulation(ctx, train, &model.PopulationOptions{Seed: seed, Redundancy: palate.Redundancy(train.Votes())})
	if err != nil {
		return nil, err
	}
	return welcomedBy(m, train, asked)
}

// welcomedBy takes everybody in who voted in asked.
func welcomedBy(m model.Welcomer, train, asked *palate.Dataset) (Predictor, error) {
	at := itemIndex(train)
	votes := make([][]palate.Vote, asked.NumUsers())
	for _, v := range asked.Votes() {
		left, known := at[asked.ItemID(v.Left)]
		right, too := at[asked.ItemID(v.Right)]
		if known && too {
			v.Left, v.Right = left, right
			votes[v.User] = append(votes[v.User], v)
		}
	}
	var g guests
	for _, own := range votes {
		n, err := m.FoldIn(own, nil)
		if err != nil {
			return nil, err
		}
		g = append(g, n)
	}
	return g, nil
}

// guests are people who came after the fit, each a user.
type guests []model.Newcomer

// Prefer is of which is rated higher, by those who know of ratings.
func (g guests) Prefer(user, left, right int) float64 {
	if r, ok := g[user].(interface{ Higher(left, right int) float64 }); ok {
		return r.Higher(left, right)
	}
	return g[user].Prefer(left, right)
}

func (g guests) Utility(user, item int) (mean, variance float64) { return g[user].Utility(item) }

// itemMeans prefers by the logistic of the difference of two mean ratings.
type itemMeans struct {
	mean  []float64
	scale float64
}

// newItemMeans finds the means, drawn towards that of all by as much as ratings of one item differ beside what means
// do, and the scale at which they predict the votes of the same people best.
func newItemMeans(d *palate.Dataset, people []ratings) *itemMeans {
	index := itemIndex(d)
	n := d.NumItems()
	sum, count := make([]float64, n), make([]float64, n)
	var all, total, square float64
	for _, p := range people {
		for _, r := range p {
			if i, ok := index[r.item]; ok {
				sum[i] += r.stars
				count[i]++
				all, total, square = all+r.stars, total+1, square+r.stars*r.stars
			}
		}
	}
	grand := all / total
	var within, between, each float64
	within = square
	for i, s := range sum {
		within -= s * s / max(count[i], 1)
		between += count[i] * (s/max(count[i], 1) - grand) * (s/max(count[i], 1) - grand)
		each += count[i] * count[i] / total
	}
	within /= max(total-float64(n), 1)
	between = (between - float64(n-1)*within) / (total - each)
	pull := within / max(between, 1e-3*within)
	m := &itemMeans{mean: make([]float64, n)}
	for i := range m.mean {
		m.mean[i] = (sum[i] + pull*grand) / (count[i] + pull)
	}
	var leads []float64
	for _, v := range d.Votes() { // the left item won
		leads = append(leads, m.mean[v.Left]-m.mean[v.Right])
	}
	m.scale, _ = logisticScale(leads)
	return m
}

func (m *itemMeans) Prefer(_, left, right int) float64 {
	return 1 / (1 + math.Exp((m.mean[right]-m.mean[left])/m.scale))
}

func (m *itemMeans) Utility(_, item int) (mean, variance float64) { return m.mean[item], 0 }
