package cluster

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"hash/fnv"
	"slices"

	"palate"
)

// block is votes on their way, by name: those of one file for one shard.
type block struct {
	Users, Items      []string
	User, Left, Right []int32 // −1: nobody is known to have voted
	Outcome           []uint8 // with unsided
	Weight            []float64

	userOf, itemOf map[string]int32
}

// unsided marks an outcome of a vote whose items were not shown on sides.
const unsided = 0x80

func (b *block) add(user string, known bool, left, right string, v palate.Vote) {
	if b.userOf == nil {
		b.userOf, b.itemOf = map[string]int32{}, map[string]int32{}
	}
	number := func(of map[string]int32, names *[]string, name string) int32 {
		n, ok := of[name]
		if !ok {
			n = int32(len(*names))
			of[name], *names = n, append(*names, name)
		}
		return n
	}
	u := int32(-1)
	if known {
		u = number(b.userOf, &b.Users, user)
	}
	o := uint8(v.Outcome)
	if v.Unsided {
		o |= unsided
	}
	b.User, b.Outcome, b.Weight = append(b.User, u), append(b.Outcome, o), append(b.Weight, v.Weight)
	b.Left, b.Right = append(b.Left, number(b.itemOf, &b.Items, left)), append(b.Right, number(b.itemOf, &b.Items, right))
}

// addTo adds the votes to a builder.
func (b *block) addTo(to *palate.Builder, votes []palate.Vote) []palate.Vote {
	users, items := make([]int, len(b.Users)), make([]int, len(b.Items))
	for k, name := range b.Users {
		users[k] = to.User(name)
	}
	for k, name := range b.Items {
		items[k] = to.Item(name)
	}
	for k, u := range b.User {
		v := palate.Vote{
			User: -1, Left: items[b.Left[k]], Right: items[b.Right[k]],
			Outcome: palate.Outcome(b.Outcome[k] &^ unsided), Unsided: b.Outcome[k]&unsided != 0, Weight: b.Weight[k],
		}
		if u >= 0 {
			v.User = users[u]
		}
		votes = append(votes, v)
	}
	return votes
}

// inOrder sorts votes by what they say, so that nothing hangs on the order in which they came.
func inOrder(votes []palate.Vote) {
	yes := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	slices.SortFunc(votes, func(a, b palate.Vote) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right),
			cmp.Compare(a.Outcome, b.Outcome), yes(a.Unsided)-yes(b.Unsided), cmp.Compare(a.Weight, b.Weight))
	})
}

// pack writes a value as bytes, and unpack reads it.
func pack(v any) ([]byte, error) {
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(v)
	return out.Bytes(), err
}

func unpack(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// hash is a number for a name, the same everywhere and for ever.
func hash(names ...string) uint64 {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	x := h.Sum64() // mixed, so that its low bits are as good as its high ones
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// shardOf is the shard of a voter.
func shardOf(name string, shards int) int { return int(hash(name) % uint64(shards)) }
