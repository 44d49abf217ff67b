package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate"
	"palate/population"
)

// Deal describes votes that were dealt to shards.
type Deal struct {
	Format     string    `json:"format"` // "palate deal"
	Version    int       `json:"version"`
	Sources    []Source  `json:"sources"`
	HoldOut    float64   `json:"hold_out,omitempty"` // the share of everybody's votes that was held out
	Seed       uint64    `json:"seed"`
	Redundancy float64   `json:"redundancy"` // how much votes weigh over what they tell
	Shards     []Dealt   `json:"shards"`
	Items      []string  `json:"items"`
	Votes      []float64 `json:"votes"`  // that each item took part in
	Groups     [][]int   `json:"groups"` // items within which utilities are comparable
	Ties       float64   `json:"ties,omitempty"`

	folder string
}

// Dealt is a shard of a Deal.
type Dealt struct {
	Voters  int    `json:"voters"`  // who are known by name
	Persons int    `json:"persons"` // who voted
	Pairs   int    `json:"pairs"`   // summed over persons
	Ties    bool   `json:"ties,omitempty"`
	Sum     string `json:"sum"`
}

// Dealing is how votes are dealt.
type Dealing struct {
	Reading
	Shards  int     // how many
	HoldOut float64 // share of everybody's votes to hold out
	// Like, if set, is a folder of votes that were dealt before: the items are those of it, and the shards as many.
	Like string
}

func dealFile(folder string) string { return folder + "/deal.json" }

// OpenDeal reads the description of votes that were dealt to a folder, and sees whether all shards are there.
func OpenDeal(ctx context.Context, folder string) (*Deal, error) {
	folder, err := absolute(folder)
	if err != nil {
		return nil, err
	}
	d, err := readDeal(ctx, folder)
	if err != nil {
		return nil, err
	}
	for k := range d.Shards {
		path := shardFile(folder, k, len(d.Shards))
		if ok, err := exists(ctx, path); err != nil {
			return nil, err
		} else if !ok {
			return nil, fmt.Errorf("%s: shard %d of %d is missing; deal the votes again", path, k, len(d.Shards))
		}
	}
	return d, nil
}

func readDeal(ctx context.Context, folder string) (*Deal, error) {
	data, err := readFile(ctx, dealFile(folder))
	if err != nil {
		return nil, fmt.Errorf("%s: no votes were dealt to this folder: %w; deal them to it with palate-cluster deal", folder, err)
	}
	d := &Deal{folder: folder}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("%s: it is damaged: %w; deal the votes again", dealFile(folder), err)
	}
	if d.Format != "palate deal" || d.Version != format || len(d.Shards) == 0 {
		return nil, fmt.Errorf("%s: it is of version %d, and this palate-cluster reads %d; deal the votes again", dealFile(folder), d.Version, format)
	}
	return d, nil
}

// sums are the checksums of the shards.
func (d *Deal) sums() (all []string) {
	for _, s := range d.Shards {
		all = append(all, s.Sum)
	}
	return all
}

// Persons is how many there are in all.
func (d *Deal) Persons() (n int) {
	for _, s := range d.Shards {
		n += s.Persons
	}
	return n
}

func (d *Deal) hasTies() bool {
	return slices.ContainsFunc(d.Shards, func(s Dealt) bool { return s.Ties })
}

// items are those that people are inferred on.
func (d *Deal) items() *population.Items { return population.NewItems(len(d.Items), nil, nil, nil) }

// Make reads votes and deals them to shards in a folder. The same votes make the same shards, in
// whatever files and order they are.
func (o Dealing) Make(ctx context.Context, r Runner, votes []string, folder string) (*Deal, error) {
	folder, err := absolute(folder)
	if err != nil {
		return nil, err
	}
	files, err := expand(ctx, votes)
	if err != nil {
		return nil, err
	}
	var items []string
	if o.Like != "" {
		like, err := OpenDeal(ctx, o.Like)
		if err != nil {
			return nil, err
		}
		items, o.Shards = like.Items, len(like.Shards)
	}
	switch {
	case o.Shards < 1:
		return nil, fmt.Errorf("%d shards: there is at least one", o.Shards)
	case !(o.HoldOut >= 0 && o.HoldOut < 1):
		return nil, fmt.Errorf("a share of %v of the votes held out is not from 0 to 1", o.HoldOut)
	}
	// What is there is of another deal until this one is whole.
	for _, old := range []string{"/deal.json", "/shard-*", "/read/*", "/bad/*", "/fit/*"} {
		if err := remove(ctx, folder+old); err != nil {
			return nil, err
		}
	}
	err = r.run(ctx, "deal", func(s beam.Scope) {
		read := &readFn{Sources: files, Reading: o.Reading, Shards: o.Shards, Folder: folder, Items: items, Stamp: stamp()}
		blocks, names := beam.ParDo2(s, read, numbers(s, len(files)))
		some := beam.ParDo(s, &namedFn{Folder: folder, Shards: o.Shards}, beam.Combine(s, &unionFn{}, names))
		write := &writeFn{Folder: folder, Shards: o.Shards, HoldOut: o.HoldOut, Seed: o.Seed, Items: items, Stamp: stamp()}
		writing(s, write, beam.GroupByKey(s, beam.Flatten(s, blocks, some)))
	})
	if err != nil {
		return nil, err
	}
	d := &Deal{Format: "palate deal", Version: format, HoldOut: o.HoldOut, Seed: o.Seed, folder: folder}
	if d.Sources, err = sources(ctx, folder, len(files)); err != nil {
		return nil, err
	}
	var cast, tempered float64
	for _, s := range d.Sources {
		cast, tempered = cast+s.Cast, tempered+s.Tempered
	}
	if d.Redundancy = 1; tempered > 0 {
		d.Redundancy = cast / tempered
	}
	if err := d.count(ctx, o.Shards); err != nil {
		return nil, err
	}
	if d.Persons() == 0 {
		return nil, fmt.Errorf("%s: there is nothing to learn from: no vote, or all are skipped", files[0])
	}
	data, err := json.MarshalIndent(d, "", "\t")
	if err != nil {
		return nil, err
	}
	return d, writeFile(ctx, dealFile(folder), data)
}

// dealt is what writeFn tells of a shard beside it.
type dealt struct {
	Dealt
	Items  []string  // of all shards; of the first shard only
	Votes  []float64 // that each item took part in
	Ties   float64
	Joined []int32 // the first item that each is connected with
}

func dealtFile(folder string, k int) string { return fmt.Sprintf("%s/read/%05d.dealt", folder, k) }

// count goes through the shards, one after the other, for what they are about together.
func (d *Deal) count(ctx context.Context, shards int) error {
	b := palate.NewBuilder()
	var data *palate.Dataset
	for k := range shards {
		info, err := readFile(ctx, dealtFile(d.folder, k))
		if err != nil {
			return err
		}
		var about dealt
		if err := unpack(info, &about); err != nil {
			return err
		}
		d.Shards, d.Ties = append(d.Shards, about.Dealt), d.Ties+about.Ties
		if k == 0 {
			d.Items, d.Votes = about.Items, make([]float64, len(about.Items))
			for _, name := range d.Items {
				b.Item(name)
			}
			if data, err = b.Build(); err != nil {
				return err
			}
		}
		for i, x := range about.Votes {
			d.Votes[i] += x
		}
		var joins []palate.Vote
		for _, group := range d.Groups {
			for _, i := range group[1:] {
				joins = append(joins, palate.Vote{Left: group[0], Right: i})
			}
		}
		for i, j := range about.Joined {
			joins = append(joins, palate.Vote{Left: int(j), Right: i})
		}
		d.Groups = data.ComponentsOf(slices.All(joins))
	}
	return remove(ctx, d.folder+"/read/*")
}

// numbers are 0 … n, spread over workers.
func numbers(s beam.Scope, n int) beam.PCollection {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return beam.Reshuffle(s, beam.CreateList(s, all))
}

// writing runs a stage that writes files, and hands on the number of each. Nobody needs them, but prism keeps a
// processor busy as long as a stage lasts from which nothing goes on.
func writing(s beam.Scope, stage any, of beam.PCollection) {
	beam.ParDo0(s, &endFn{}, beam.Reshuffle(s, beam.ParDo(s, stage, of)))
}

// endFn is where numbers of files end.
type endFn struct{}

func (endFn) ProcessElement(int) {}

// emptyFn emits a shard with no votes yet.
type emptyFn struct{}

func (emptyFn) ProcessElement(k int, emit func(int, []byte)) { emit(k, nil) }

// writeFn makes shards of blocks.
type writeFn struct {
	Folder  string
	Shards  int
	HoldOut float64
	Seed    uint64
	Items   []string // those there are; nil: those that votes name
	Stamp   string
}

func (f *writeFn) Setup() error { return checkStamp(f.Stamp) }

// ProcessElement writes the shard of the votes that were dealt to it, and what it has beside it.
func (f *writeFn) ProcessElement(ctx context.Context, k int, next func(*[]byte) bool) (int, error) {
	items := f.Items
	if items == nil {
		named, err := readFile(ctx, namesFile(f.Folder))
		if err == nil && len(named) > 0 {
			err = unpack(named, &items)
		}
		if err != nil {
			return k, failed("%w", err)
		}
	}
	d, err := votesOf(items, next)
	if err != nil {
		return k, failed("shard %d: %w", k, err)
	}
	x := &shard{}
	about := dealt{Votes: make([]float64, len(items)), Joined: make([]int32, len(items))}
	for u := range d.NumUsers() {
		x.users = append(x.users, d.UserID(u))
	}
	tallies := d.Tallies(true)
	if f.HoldOut > 0 {
		tallies, x.heldOut = holdOut(tallies, x.users, f.HoldOut, f.Seed)
	}
	for _, t := range tallies {
		about.Votes[t.A] += t.Weight
		about.Votes[t.B] += t.Weight
		if t.Tie {
			about.Ties += t.Weight
		}
	}
	for _, group := range d.Components() {
		for _, i := range group {
			about.Joined[i] = int32(group[0])
		}
	}
	if x.people, err = population.NewPeople(len(items), tallies); err != nil {
		return k, failed("shard %d: %w", k, err)
	}
	data, err := x.bytes(k, f.Shards)
	if err == nil {
		err = writeFile(ctx, shardFile(f.Folder, k, f.Shards), data)
	}
	if err != nil {
		return k, failed("shard %d: %w", k, err)
	}
	about.Dealt = Dealt{Voters: len(x.users), Persons: x.people.Len(), Pairs: x.people.NumPairs(), Ties: x.people.Ties(), Sum: x.sum}
	if k == 0 {
		about.Items = items
	}
	if data, err = pack(about); err == nil {
		err = writeFile(ctx, dealtFile(f.Folder, k), data)
	}
	beam.NewCounter("palate", "voters").Inc(ctx, int64(len(x.users)))
	return k, failed("%w", err)
}

// votesOf puts blocks together as votes on items in their order, users by name.
func votesOf(items []string, next func(*[]byte) bool) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for _, name := range items {
		b.Item(name)
	}
	var votes []palate.Vote
	for data := []byte(nil); next(&data); {
		if len(data) == 0 {
			continue
		}
		var x block
		if err := unpack(data, &x); err != nil {
			return nil, err
		}
		votes = x.addTo(b, votes)
	}
	_, users := b.SortNames()
	for k, v := range votes {
		if v.User >= 0 {
			votes[k].User = int(users[v.User])
		}
	}
	inOrder(votes)
	b.Grow(len(votes))
	for _, v := range votes {
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// holdOut takes a share of everybody's votes away. What is taken from a voter hangs on the name alone, not
// on the shard.
func holdOut(tallies []palate.Tally, users []string, share float64, seed uint64) (kept, heldOut []palate.Tally) {
	for lo := 0; lo < len(tallies); {
		hi, user := lo, tallies[lo].User
		for ; hi < len(tallies) && tallies[hi].User == user; hi++ {
			if user >= 0 {
				tallies[hi].User = int(hash(users[user]) >> 1)
			}
		}
		stay, _, taken := population.HoldOut(tallies[lo:hi], nil, share, seed)
		for _, t := range stay {
			t.User = user
			kept = append(kept, t)
		}
		for _, t := range taken {
			t.User = user
			heldOut = append(heldOut, t)
		}
		lo = hi
	}
	return kept, heldOut
}

func init() {
	beam.RegisterDoFn(&emptyFn{})
	beam.RegisterDoFn(&writeFn{})
	beam.RegisterDoFn(&endFn{})
}

// IsDealt reports whether votes were dealt to a folder.
func IsDealt(ctx context.Context, folder string) (bool, error) {
	folder, err := absolute(folder)
	if err != nil {
		return false, err
	}
	return exists(ctx, dealFile(folder))
}
