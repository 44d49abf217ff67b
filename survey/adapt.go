package survey

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/active"
	"palate/internal/num"
	"palate/model"
)

// Adapt returns a design for people who are like the voters of a model, a version each: every
// task is the set of items of which the answer is expected to tell most of a person's tastes,
// by the rule of package active, when the tasks before it are answered.
//
// It is kept within bounds of a balanced design: within a version no item is shown more than
// once oftener than it would be there, nor more than once less often, and as far as can be had
// no two items are together more than twice as often as in the mean.
func Adapt(ctx context.Context, m model.Model, p Plan) (Design, error) {
	j, _, err := check(m, nil)
	if err != nil {
		return nil, err
	}
	p.Items = m.NumItems()
	if err := p.bad(); err != nil {
		return nil, err
	}
	nobody := -1
	if m.NumUsers() > 0 {
		nobody = m.NumUsers() // of whom nothing is known
	}
	first := &belief{Predictor: m, mean: make([]float64, p.Items), cov: make([][]float64, p.Items)}
	if err := j.UtilitiesTo(ctx, first.mean, make([]float64, p.Items), nobody); err != nil {
		return nil, err
	}
	all := num.Indices(p.Items)
	for i := range first.cov {
		first.cov[i] = make([]float64, p.Items)
		j.CovarianceTo(first.cov[i], nobody, i, all)
	}
	d := &designer{Plan: p, rng: rand.New(rand.NewPCG(p.Seed, 0xada)), shown: make([]int, p.Items), together: make([]int, p.Items*p.Items), place: make([]int, p.Items*p.Size)}
	var out Design
	for range p.Versions {
		tasks, err := d.adapt(ctx, first.clone(), len(out)+1)
		if err != nil {
			return nil, err
		}
		d.count(tasks, 1)
		d.order(tasks)
		out = append(out, tasks)
	}
	return out, nil
}

// adapt makes a version, so many with those before it.
func (d *designer) adapt(ctx context.Context, b *belief, versions int) (tasks [][]int, err error) {
	n, slots := d.Items, d.Size*d.Tasks
	least, most := max(0, slots/n-1), (slots+n-1)/n+1
	// How often two are together at most: in this version, and in all so far.
	each := 2 * float64(slots*(d.Size-1)) / float64(n*(n-1))
	inVersion, inAll := int(math.Ceil(each)), int(math.Ceil(each*float64(versions)))
	shown, together := make([]int, n), make([]int, n*n)
	for t := range d.Tasks {
		missing := 0
		for _, times := range shown {
			missing += max(0, least-times)
		}
		// Items that are shown too seldom go before all others when there is no more room for these.
		late := missing > 0 && missing >= slots-d.Size*(t+1)
		opt := &active.Options{Familiarity: make([]float64, n), Exclude: active.Pairs{}}
		for i, times := range shown {
			switch {
			case times >= most:
			case late && times >= least:
				opt.Familiarity[i] = 1e-9
			default:
				opt.Familiarity[i] = 1
			}
			for j := range i {
				if k := i*n + j; together[k] >= inVersion || together[k]+d.together[k] >= inAll {
					opt.Exclude.Add(i, j)
				}
			}
		}
		set, err := active.NextSet(ctx, b, -1, d.Size, opt, d.rng)
		if err != nil {
			return nil, err
		}
		if len(set.Items) < d.Size { // all pairs that are left have been together: the least shown
			order := d.rng.Perm(n)
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(shown[i], shown[j]) })
			set.Items = order[:d.Size]
		}
		for k, i := range set.Items {
			shown[i]++
			for _, j := range set.Items[:k] {
				together[i*n+j]++
				together[j*n+i]++
			}
		}
		b.answer(set.Items)
		tasks = append(tasks, set.Items)
	}
	return tasks, ctx.Err()
}

// belief is what is expected to be known of a person when some tasks are answered.
type belief struct {
	model.Predictor
	mean []float64
	cov  [][]float64
}

func (b *belief) clone() *belief {
	c := &belief{Predictor: b.Predictor, mean: b.mean}
	for _, row := range b.cov {
		c.cov = append(c.cov, slices.Clone(row))
	}
	return c
}

func (b *belief) Utility(_, i int) (mean, variance float64) { return b.mean[i], b.cov[i][i] }

func (b *belief) Prefer(_, i, j int) float64 {
	d, v := b.difference(i, j)
	return num.Phi(d / math.Sqrt(1+v))
}

func (b *belief) UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error {
	for i := range mean {
		mean[i], variance[i] = b.Utility(user, i)
	}
	return ctx.Err()
}

func (b *belief) CovarianceTo(dst []float64, _, item int, others []int) {
	for k, j := range others {
		dst[k] = b.cov[item][j]
	}
}

func (b *belief) difference(i, j int) (d, v float64) {
	return b.mean[i] - b.mean[j], max(0, b.cov[i][i]+b.cov[j][j]-2*b.cov[i][j])
}

// answer takes a best and a worst as given, those that are likeliest.
func (b *belief) answer(items []int) {
	order := slices.Clone(items)
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(b.mean[j], b.mean[i]), i-j) })
	last := len(order) - 1
	for k := 1; k <= last; k++ {
		if b.compared(order[0], order[k]); k < last {
			b.compared(order[k], order[last])
		}
	}
}

// compared takes a comparison as given.
func (b *belief) compared(i, j int) {
	lost, lean := active.Lost(b.difference(i, j)), make([]float64, len(b.mean))
	for k := range lean {
		lean[k] = b.cov[i][k] - b.cov[j][k]
	}
	for k, row := range b.cov {
		for l := range row {
			row[l] -= lost * lean[k] * lean[l]
		}
	}
}
