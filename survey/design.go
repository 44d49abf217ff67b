package survey

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Plan is what a design is to have.
type Plan struct {
	Items    int
	Size     int // items of a task
	Tasks    int // of a version, which is what one respondent is shown
	Versions int
	Seed     uint64
}

// bad says what is wrong with a plan.
func (p Plan) bad() error {
	switch {
	case p.Size < 2 || p.Size >= p.Items:
		return fmt.Errorf("survey: tasks of %d of %d items: they have from 2 to %d", p.Size, p.Items, p.Items-1)
	case p.Tasks < 1 || p.Versions < 1:
		return fmt.Errorf("survey: %d versions of %d tasks", p.Versions, p.Tasks)
	}
	return nil
}

// Design is the tasks of every version, items in the order in which they are shown.
type Design [][][]int

// restarts is how often the first version is begun anew, and passes how often the
// tasks of one are gone through for exchanges.
const (
	restarts = 30
	passes   = 20
)

// NewDesign returns a balanced design: within a version no item is shown more than once oftener
// than another, and as nearly as exchanges bring it, all pairs are together in a task as often,
// and all items as often in each place, over all versions.
func NewDesign(ctx context.Context, p Plan) (Design, error) {
	if err := p.bad(); err != nil {
		return nil, err
	}
	d := &designer{Plan: p, rng: rand.New(rand.NewPCG(p.Seed, 0x5e7)), shown: make([]int, p.Items), together: make([]int, p.Items*p.Items), place: make([]int, p.Items*p.Size)}
	var out Design
	for v := range p.Versions {
		tries := 1
		if v == 0 {
			tries = restarts
		}
		var best [][]int
		uneven := -1
		for range tries {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			tasks := d.version()
			d.exchange(tasks)
			if u := d.count(tasks, 0); uneven < 0 || u < uneven {
				best, uneven = tasks, u
			}
		}
		d.count(best, 1)
		d.order(best)
		out = append(out, best)
	}
	return out, nil
}

// designer makes a design, version by version.
type designer struct {
	Plan
	rng      *rand.Rand
	shown    []int // how often each item is shown in all versions so far
	together []int // how often pairs are together there
	place    []int // how often each item is in each place
}

// version draws tasks: the items that were shown least in the version, of these those that were
// shown least before it, and of these those that were least together with the ones that are in
// the task already.
func (d *designer) version() [][]int {
	shown, together := make([]int, d.Items), slices.Clone(d.together)
	var tasks [][]int
	for range d.Tasks {
		var task []int
		for range d.Size {
			best, least := -1, [3]int{}
			for _, i := range d.rng.Perm(d.Items) {
				if slices.Contains(task, i) {
					continue
				}
				met := 0
				for _, j := range task {
					met += together[i*d.Items+j]
				}
				if x := [3]int{shown[i], d.shown[i], met}; best < 0 || slices.Compare(x[:], least[:]) < 0 {
					best, least = i, x
				}
			}
			for _, j := range task {
				together[best*d.Items+j]++
				together[j*d.Items+best]++
			}
			task = append(task, best)
			shown[best]++
		}
		tasks = append(tasks, task)
	}
	return tasks
}

// exchange swaps items of two tasks as long as pairs come nearer to being together as often.
func (d *designer) exchange(tasks [][]int) {
	n := d.Items
	together := slices.Clone(d.together)
	meet := func(task []int, i, by, but int) (sum int) { // i with the others of a task
		for _, j := range task {
			if j != i && j != but {
				sum += together[i*n+j]
				together[i*n+j] += by
				together[j*n+i] += by
			}
		}
		return sum
	}
	for _, task := range tasks {
		for k, i := range task {
			meet(task[:k], i, 1, -1)
		}
	}
	for range passes {
		better := false
		for a := range tasks {
			for b := range a {
				for x := range tasks[a] {
					for y := range tasks[b] {
						i, j := tasks[a][x], tasks[b][y]
						if slices.Contains(tasks[a], j) || slices.Contains(tasks[b], i) {
							continue
						}
						// A sum of squares loses 2t − 1 where a pair parts that was together t times, and gains
						// 2t + 1 where one comes together.
						part := meet(tasks[a], i, -1, -1) + meet(tasks[b], j, -1, -1)
						join := meet(tasks[a], j, 1, i) + meet(tasks[b], i, 1, j)
						if gain := 2*part - 2*join - 4*(d.Size-1); gain > 0 {
							tasks[a][x], tasks[b][y] = j, i
							better = true
							continue
						}
						meet(tasks[a], j, -1, i)
						meet(tasks[b], i, -1, j)
						meet(tasks[a], i, 1, -1)
						meet(tasks[b], j, 1, -1)
					}
				}
			}
		}
		if !better {
			return
		}
	}
}

// count returns the sum of squares of how often pairs are together with some tasks beside all
// versions so far, and adds these to them by times.
func (d *designer) count(tasks [][]int, by int) (squares int) {
	together := slices.Clone(d.together)
	for _, task := range tasks {
		for k, i := range task {
			d.shown[i] += by
			for _, j := range task[:k] {
				together[i*d.Items+j]++
				together[j*d.Items+i]++
			}
		}
	}
	for _, t := range together {
		squares += t * t
	}
	if by > 0 {
		d.together = together
	}
	return squares
}

// order puts the items of every task in places where they were least, for how often each was
// shown.
func (d *designer) order(tasks [][]int) {
	most := func(i, at int) int { // how much oftener than in its other places
		places := d.place[i*d.Size : (i+1)*d.Size]
		sum := 0
		for _, times := range places {
			sum += times
		}
		return d.Size*places[at] - sum
	}
	for _, task := range tasks {
		left := slices.Clone(task)
		for at := range task {
			best := 0
			for k, i := range left {
				if most(i, at) < most(left[best], at) {
					best = k
				}
			}
			task[at] = left[best]
			d.place[task[at]*d.Size+at]++
			left = slices.Delete(left, best, best+1)
		}
	}
}

// Balance is how even a design is: the fewest and the most times.
type Balance struct {
	InVersion [2]int // that a version shows an item
	Shown     [2]int // that all versions do
	Together  [2]int // that two items are in one task
	Placed    [2]int // that an item is in a place
}

// Balance counts.
func (d Design) Balance(items int) (b Balance) {
	size := len(d[0][0])
	shown, together, placed := make([]int, items), make([]int, items*items), make([]int, items*size)
	for v, tasks := range d {
		own := make([]int, items)
		for _, task := range tasks {
			for k, i := range task {
				own[i]++
				shown[i]++
				placed[i*size+k]++
				for _, j := range task[:k] {
					together[max(i, j)*items+min(i, j)]++
				}
			}
		}
		lo, hi := slices.Min(own), slices.Max(own)
		if v == 0 {
			b.InVersion = [2]int{lo, hi}
		}
		b.InVersion = [2]int{min(b.InVersion[0], lo), max(b.InVersion[1], hi)}
	}
	var pairs []int
	for i := range items {
		pairs = append(pairs, together[i*items:i*items+i]...)
	}
	b.Shown, b.Together, b.Placed = [2]int{slices.Min(shown), slices.Max(shown)}, [2]int{slices.Min(pairs), slices.Max(pairs)}, [2]int{slices.Min(placed), slices.Max(placed)}
	return b
}
