package palate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// A draft is what a Builder is fed, so that laws can change it and build again.
type draft struct {
	items, users int
	votes        []Vote
}

func (r draft) build(t testing.TB) *Dataset {
	t.Helper()
	b := NewBuilder()
	for i := range r.items {
		b.Item(fmt.Sprintf("item%d", i))
	}
	for u := range r.users {
		b.User(fmt.Sprintf("user%d", u))
	}
	for _, v := range r.votes {
		for b.groups < v.Group {
			b.NewGroup()
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drafts are the shapes every law is tried on: dense and sparse, with and without users, weights and times.
func drafts() map[string]draft {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(items, users, votes int, weights, times bool) draft {
		r := draft{items: items, users: users}
		for range votes {
			v := Vote{User: rng.IntN(users+1) - 1, Left: rng.IntN(items), Outcome: Outcome(rng.IntN(4)), Weight: 1}
			v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
			if weights {
				v.Weight = float64(1+rng.IntN(8)) / 4 // sums are exact
			}
			if times {
				v.Time = time.UnixMicro(rng.Int64N(1 << 50)).UTC()
			}
			r.votes = append(r.votes, v)
		}
		return r
	}
	return map[string]draft{
		"empty":      {},
		"no votes":   {items: 3, users: 2},
		"one":        {items: 2, votes: []Vote{{User: -1, Left: 1, Right: 0, Outcome: Right, Weight: 1}}},
		"few items":  random(7, 4, 500, false, false),
		"weights":    random(7, 4, 500, true, true),
		"no users":   random(12, 0, 300, false, true),
		"many items": random(3000, 50, 2000, true, false),
		"groups":     grouped(random(9, 5, 400, false, false)),
		"unsided":    unsided(random(9, 5, 400, false, false)),
	}
}

// grouped puts all but the first votes into groups of three.
func grouped(r draft) draft {
	for k := range r.votes {
		r.votes[k].Group = k / 3
	}
	return r
}

// unsided takes the sides of every other vote away.
func unsided(r draft) draft {
	for k := range r.votes {
		r.votes[k].Unsided = k%2 == 0
	}
	return r
}

// TestGroups: groups are part of the digest, are checked, and leave with their votes.
func TestGroups(t *testing.T) {
	r := drafts()["groups"]
	d := r.build(t)
	if !d.HasGroups() || d.NumGroups() != 133 {
		t.Fatalf("groups %v, %d of them", d.HasGroups(), d.NumGroups())
	}
	bare := draft{r.items, r.users, slices.Clone(r.votes)}
	for k := range bare.votes {
		bare.votes[k].Group = 0
	}
	if b := bare.build(t); b.HasGroups() || b.Digest() == d.Digest() {
		t.Fatal("groups are not part of the digest")
	}
	if s := d.Select([]int{2, 0}); s.HasGroups() {
		t.Fatal("groups stay after their votes")
	}
	if s := d.Select([]int{5, 0, 3}); s.Vote(0).Group != 1 || s.Vote(1).Group != 0 || s.Vote(2).Group != 1 {
		t.Fatal("votes lose their groups")
	}
	b := NewBuilder()
	v := Vote{User: -1, Left: b.Item("x"), Right: b.Item("y"), Weight: 1}
	for _, g := range []int{-1, 1} {
		if v.Group = g; b.Add(v) == nil {
			t.Errorf("took group %d of none", g)
		}
	}
	if v.Group = b.NewGroup(); b.Add(v) != nil || v.Group != 1 {
		t.Error("refused a group of its own")
	}
}

func each(t *testing.T, law func(t *testing.T, r draft, d *Dataset)) {
	for name, r := range drafts() {
		t.Run(name, func(t *testing.T) { law(t, r, r.build(t)) })
	}
}

func TestDatasetKeepsVotes(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		if d.NumVotes() != len(r.votes) || d.NumItems() != r.items || d.NumUsers() != r.users {
			t.Fatalf("%d votes, %d items, %d users", d.NumVotes(), d.NumItems(), d.NumUsers())
		}
		for k, v := range d.Votes() {
			if v != r.votes[k] || v != d.Vote(k) {
				t.Fatalf("vote %d: got %+v, want %+v", k, v, r.votes[k])
			}
		}
		for i := range r.items {
			if j, ok := d.Item(d.ItemID(i)); !ok || j != i {
				t.Fatalf("item %d found as %d, %v", i, j, ok)
			}
		}
		for u := range r.users {
			if j, ok := d.User(d.UserID(u)); !ok || j != u {
				t.Fatalf("user %d found as %d, %v", u, j, ok)
			}
		}
		if _, ok := d.Item("nobody"); ok {
			t.Fatal("found an item that is not there")
		}
	})
}

func TestTallySwap(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		swapped := r
		swapped.votes = slices.Clone(r.votes)
		for k, v := range swapped.votes {
			swapped.votes[k] = v.Swap()
		}
		for _, perUser := range []bool{false, true} {
			if got, want := swapped.build(t).Tallies(perUser), d.Tallies(perUser); !slices.Equal(got, want) {
				t.Fatalf("per user %v: swapping sides changed the tallies", perUser)
			}
		}
	})
}

func TestTallyPermutation(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		to := rand.New(rand.NewPCG(3, 4)).Perm(r.items)
		moved := r
		moved.votes = slices.Clone(r.votes)
		for k := range moved.votes {
			moved.votes[k].Left, moved.votes[k].Right = to[moved.votes[k].Left], to[moved.votes[k].Right]
		}
		for _, perUser := range []bool{false, true} {
			want := map[Tally]bool{}
			for _, x := range d.Tallies(perUser) {
				x.A, x.B = to[x.A], to[x.B]
				if x.Tie && x.A > x.B {
					x.A, x.B = x.B, x.A
				}
				want[x] = true
			}
			got := map[Tally]bool{}
			for _, x := range moved.build(t).Tallies(perUser) {
				got[x] = true
			}
			if !maps.Equal(got, want) {
				t.Fatalf("per user %v: permuting items did not permute the tallies", perUser)
			}
		}
	})
}

func TestTallySums(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		class := make([]int32, len(r.votes))
		for k := range class {
			class[k] = int32(k % 3)
		}
		for name, by := range map[string]Apart{
			"pooled": {}, "users": {Group: d.Units()}, "sides": {Sides: true}, "classes": {Class: class},
			"all": {Group: d.Units(), Sides: true, Class: class},
		} {
			want := map[Tally]float64{}
			var total float64
			for k, v := range r.votes {
				x := Tally{User: -1, A: v.Left, B: v.Right}
				switch v.Outcome {
				case Right:
					x.A, x.B = x.B, x.A
				case Tie:
					x.A, x.B, x.Tie = min(x.A, x.B), max(x.A, x.B), true
				case Skip:
					continue
				}
				if by.Group != nil {
					x.User = v.User
				}
				if by.Class != nil {
					x.Class = k % 3
				}
				if by.Sides && !v.Unsided {
					if x.Side = -1; x.A == v.Left {
						x.Side = 1
					}
				}
				total += v.Weight
				want[x] += v.Weight
			}
			tallies := d.TalliesApart(by)
			got := map[Tally]float64{}
			var sum float64
			for _, x := range tallies {
				sum += x.Weight
				w := x.Weight
				x.Weight = 0
				got[x] = w
			}
			if sum != total || len(tallies) != len(want) || !maps.Equal(got, want) {
				t.Fatalf("%s: %d tallies of weight %v, want %d of %v", name, len(tallies), sum, len(want), total)
			}
			if !slices.IsSortedFunc(tallies, func(x, y Tally) int {
				return slices.Compare([]int{x.User, x.A, x.B, number(x.Tie)}, []int{y.User, y.A, y.B, number(y.Tie)})
			}) {
				t.Fatalf("%s: tallies out of order", name)
			}
		}
	})
}

func TestTallyWaysAgree(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		for _, by := range []Apart{{}, {Sides: true}} {
			if !slices.Equal(d.denseTallies(by), d.sortedTallies(by)) {
				t.Fatal("the table and the sort give different tallies")
			}
		}
	})
	// So many votes of few items are counted in parts.
	b := NewBuilder()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3 {
		b.Item(fmt.Sprint(i))
	}
	for range 2000 {
		l := rng.IntN(3)
		if err := b.Add(Vote{User: -1, Left: l, Right: (l + 1 + rng.IntN(2)) % 3, Outcome: Outcome(rng.IntN(4)), Weight: 1, Unsided: rng.IntN(5) == 0}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []Apart{{}, {Sides: true}} {
		if !slices.Equal(d.denseTallies(by), d.sortedTallies(by)) {
			t.Fatal("counts in parts and the sort give different tallies")
		}
	}
}

func TestComponents(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		parts := d.Components()
		part := make([]int, r.items)
		count := 0
		for p, items := range parts {
			if p > 0 && (len(items) > len(parts[p-1]) || len(items) == len(parts[p-1]) && items[0] < parts[p-1][0]) {
				t.Fatalf("component %d out of order", p)
			}
			if !slices.IsSorted(items) {
				t.Fatalf("component %d is not sorted", p)
			}
			for _, i := range items {
				part[i] = p
				count++
			}
		}
		if count != r.items {
			t.Fatalf("%d items in components, want %d", count, r.items)
		}
		// Flood from each component's first item: it reaches the whole component and nothing else.
		next := make([][]int, r.items)
		for _, v := range r.votes {
			if v.Outcome != Skip {
				next[v.Left] = append(next[v.Left], v.Right)
				next[v.Right] = append(next[v.Right], v.Left)
			}
		}
		for p, items := range parts {
			seen := map[int]bool{items[0]: true}
			for queue := []int{items[0]}; len(queue) > 0; {
				i := queue[0]
				queue = queue[1:]
				for _, j := range next[i] {
					if part[j] != p {
						t.Fatalf("items %d and %d were compared but lie in components %d and %d", i, j, p, part[j])
					}
					if !seen[j] {
						seen[j] = true
						queue = append(queue, j)
					}
				}
			}
			if len(seen) != len(items) {
				t.Fatalf("component %d: reached %d of %d items", p, len(seen), len(items))
			}
		}
	})
}

func TestSelect(t *testing.T) {
	each(t, func(t *testing.T, r draft, d *Dataset) {
		order := rand.New(rand.NewPCG(5, 6)).Perm(len(r.votes))
		order = order[:len(order)/2]
		picked := r
		picked.votes = nil
		for _, k := range order {
			picked.votes = append(picked.votes, r.votes[k])
		}
		if got, want := d.Select(order).Digest(), picked.build(t).Digest(); got != want {
			t.Fatal("selected votes differ from the same votes built anew")
		}
		order, picked.votes = nil, nil // those without user and weight, which leave columns out
		for k, v := range r.votes {
			if v.User < 0 && v.Weight == 1 {
				order, picked.votes = append(order, k), append(picked.votes, v)
			}
		}
		if s := d.Select(order); s.HasUsers() || s.HasWeights() || s.Digest() != picked.build(t).Digest() {
			t.Fatal("plain votes selected differ from the same votes built anew")
		}
	})
}

func TestDigest(t *testing.T) {
	seen := map[string]string{}
	for name, r := range drafts() {
		d := r.build(t).Digest()
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		seen[d] = name
		if again := r.build(t).Digest(); again != d {
			t.Errorf("%q: digest %s, then %s", name, d, again)
		}
		if len(r.votes) == 0 {
			continue
		}
		for what, change := range map[string]func(*Vote){
			"sides":   func(v *Vote) { v.Left, v.Right = v.Right, v.Left },
			"outcome": func(v *Vote) { v.Outcome = (v.Outcome + 1) % 4 },
			"weight":  func(v *Vote) { v.Weight += 1 },
			"time":    func(v *Vote) { v.Time = time.Unix(1, 0) },
		} {
			changed := r
			changed.votes = slices.Clone(r.votes)
			change(&changed.votes[0])
			if changed.build(t).Digest() == d {
				t.Errorf("%q: the digest does not tell another %s", name, what)
			}
		}
	}
}

func TestBuilderGoesOn(t *testing.T) {
	b := NewBuilder()
	x, y := b.Item("x"), b.Item("y")
	vote := Vote{User: -1, Left: x, Right: y, Weight: 1}
	if err := b.Add(vote); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	before := d.Digest()
	z, u := b.Item("z"), b.User("u")
	for range 100 {
		if err := b.Add(Vote{User: u, Left: z, Right: x, Weight: 2, Time: time.Unix(9, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := d.Item("z"); ok || d.Digest() != before || d.NumVotes() != 1 || d.HasUsers() || d.HasWeights() || d.HasTimes() {
		t.Fatal("the builder changed a dataset it had built")
	}
	e, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if e.NumVotes() != 101 || e.Vote(0) != vote || e.Vote(100).Weight != 2 || !e.Vote(100).Time.Equal(time.Unix(9, 0)) {
		t.Fatalf("the builder lost votes: %+v", e.Vote(100))
	}
}

// TestSay says what a vote in full would.
func TestSay(t *testing.T) {
	b := NewBuilder()
	for _, user := range []string{"ann", "", "ann"} {
		if err := b.Say(user, "tea", "coffee", Tie); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Say("ann", "tea", "tea", Left); err == nil {
		t.Error("an item met itself")
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for k, user := range []int{0, -1, 0} {
		if got, want := d.Vote(k), (Vote{User: user, Left: 0, Right: 1, Outcome: Tie, Weight: 1}); got != want {
			t.Errorf("vote %d is %+v, want %+v", k, got, want)
		}
	}
	if d.NumVotes() != 3 || d.NumItems() != 2 || d.NumUsers() != 1 {
		t.Errorf("%d votes on %d items by %d users", d.NumVotes(), d.NumItems(), d.NumUsers())
	}
}

func TestBadVotes(t *testing.T) {
	good := Vote{User: 0, Left: 0, Right: 1, Weight: 1}
	for want, change := range map[string]func(*Vote){
		"left item 2 of 2":       func(v *Vote) { v.Left = 2 },
		"left item -1 of 2":      func(v *Vote) { v.Left = -1 },
		"right item 9 of 2":      func(v *Vote) { v.Right = 9 },
		`"item1" against itself`: func(v *Vote) { v.Left = 1 },
		"user 1 of 1":            func(v *Vote) { v.User = 1 },
		"user -2 of 1":           func(v *Vote) { v.User = -2 },
		"unknown outcome 5":      func(v *Vote) { v.Outcome = 5 },
		"weight 0 ":              func(v *Vote) { v.Weight = 0 },
		"weight -1 ":             func(v *Vote) { v.Weight = -1 },
		"weight NaN ":            func(v *Vote) { v.Weight = math.NaN() },
		"weight +Inf ":           func(v *Vote) { v.Weight = math.Inf(1) },
	} {
		b := NewBuilder()
		b.Item("item0")
		b.Item("item1")
		b.User("user0")
		v := good
		change(&v)
		if err := b.Add(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one about %q", v, err, want)
		}
		if b.NumVotes() != 0 {
			t.Errorf("%+v: a bad vote was added", v)
		}
	}
}

func TestBadBuilds(t *testing.T) {
	features := func(rows int, names []string, data ...float64) *Features {
		return &Features{Names: names, Rows: rows, Cols: len(names), Data: data}
	}
	for want, spoil := range map[string]func(b *Builder){
		"item 1: empty identifier":               func(b *Builder) { b.Item("") },
		`user 0: identifier "\xff" is not`:       func(b *Builder) { b.User("\xff") },
		"holds a NUL byte":                       func(b *Builder) { b.User("a\x00b") },
		"item features: 2 rows for 1 items":      func(b *Builder) { b.SetItemFeatures(features(2, []string{"f"}, 1, 2)) },
		"user features: 1 rows for 0 users":      func(b *Builder) { b.SetUserFeatures(features(1, []string{"f"}, 1)) },
		`two columns are named "f"`:              func(b *Builder) { b.SetItemFeatures(features(1, []string{"f", "f"}, 1, 2)) },
		`item features: item "a": g is NaN`:      func(b *Builder) { b.SetItemFeatures(features(1, []string{"f", "g"}, 1, math.NaN())) },
		"1 names and 2 numbers for 1 rows and 1": func(b *Builder) { b.SetItemFeatures(features(1, []string{"f"}, 1, 2)) },
	} {
		b := NewBuilder()
		b.Item("a")
		spoil(b)
		if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

func TestFeaturesAreCopied(t *testing.T) {
	b := NewBuilder()
	b.Item("a")
	f := &Features{Names: []string{"f", "g"}, Rows: 1, Cols: 2, Data: []float64{1, 2}}
	b.SetItemFeatures(f)
	f.Data[1], f.Names[0] = 9, "changed"
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g := d.ItemFeatures(); g.At(0, 1) != 2 || g.Names[0] != "f" || d.UserFeatures() != nil {
		t.Fatalf("features %+v", g)
	}
}

func TestOutcomes(t *testing.T) {
	for k, o := range Outcomes() {
		if int(o) != k || o.Swap().Swap() != o || strings.Contains(o.String(), "(") {
			t.Errorf("outcome %d is %v", k, o)
		}
	}
	if n := len(Outcomes()) + 1; Outcome(n-1) != Rated || Outcome(n).String() != fmt.Sprintf("Outcome(%d)", n) {
		t.Errorf("an outcome is missing from Outcomes")
	}
}

// Votes that are elsewhere have the digest and the components of a dataset that holds them.
func TestVotesElsewhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, rich := range []bool{false, true} {
		b := NewBuilder()
		for i := range 12 {
			b.Item(fmt.Sprint("i", i))
			b.User(fmt.Sprint("u", i))
		}
		bare, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			v := Vote{User: -1, Left: rng.IntN(6), Right: 6 + rng.IntN(6), Outcome: Outcome(rng.IntN(4)), Weight: 1}
			if rich {
				v.User, v.Weight, v.Time, v.Group = rng.IntN(12), rng.Float64(), time.UnixMicro(rng.Int64N(1e9)).UTC(), b.NewGroup()
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if bare.DigestOf(d.Votes()) != d.Digest() || d.DigestOf(bare.Votes()) != bare.Digest() {
			t.Errorf("rich %v: other digests", rich)
		}
		if got, want := bare.ComponentsOf(d.Votes()), d.Components(); !reflect.DeepEqual(got, want) {
			t.Errorf("rich %v: components %v, want %v", rich, got, want)
		}
	}
}

// Names may be sorted at any time: votes stay what they say, and a Dataset that was built before stays as it was.
func TestSortNames(t *testing.T) {
	b := NewBuilder()
	for _, v := range [][3]string{{"zoe", "pear", "fig"}, {"", "fig", "apple"}, {"al", "apple", "pear"}} {
		if err := b.Say(v[0], v[1], v[2], Left); err != nil {
			t.Fatal(err)
		}
	}
	before, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	items, users := b.SortNames()
	if !slices.Equal(items, []int32{2, 1, 0}) || !slices.Equal(users, []int32{1, 0}) {
		t.Errorf("items %v, users %v", items, users)
	}
	after, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	said := func(d *Dataset, k int) string {
		v := d.Vote(k)
		user := ""
		if v.User >= 0 {
			user = d.UserID(v.User)
		}
		return fmt.Sprint(user, d.ItemID(v.Left), d.ItemID(v.Right), v.Outcome)
	}
	for k := range 3 {
		if said(before, k) != said(after, k) {
			t.Errorf("vote %d: %s, then %s", k, said(before, k), said(after, k))
		}
	}
	if i, _ := after.Item("apple"); i != 0 || before.ItemID(0) != "pear" {
		t.Errorf("apple is %d, and the first was %s", i, before.ItemID(0))
	}
	if got := after.ByContent(); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("by content %v", got)
	}
}
