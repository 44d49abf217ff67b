package palate

import (
	"math"
	"slices"
	"time"
)

// noTime stands for an unknown time in the column of times.
const noTime = math.MinInt64

// columns holds votes by column, in the least room. A column that would hold
// nothing but its default is nil.
type columns struct {
	left, right []int32
	outcome     []Outcome
	user        []int32   // nil: all unknown
	weight      []float64 // nil: all 1
	time        []int64   // microseconds since 1970; nil: all unknown
	group       []int32   // nil: all on their own
	unsided     []bool    // nil: none are
	rating      []float64 // nil: all are nought
	unit        []int32   // nil: there are none, see Dataset.WithUnits
	properties  []Property
}

func (c *columns) len() int { return len(c.left) }

func (c *columns) grow(n int) {
	c.left, c.right, c.outcome = slices.Grow(c.left, n), slices.Grow(c.right, n), slices.Grow(c.outcome, n)
}

func (c *columns) add(v Vote) {
	n := len(c.left)
	c.left = append(c.left, int32(v.Left))
	c.right = append(c.right, int32(v.Right))
	c.outcome = append(c.outcome, v.Outcome)
	c.user = push(c.user, int32(v.User), -1, n, cap(c.left))
	c.weight = push(c.weight, v.Weight, 1, n, cap(c.left))
	c.time = push(c.time, microseconds(v.Time), noTime, n, cap(c.left))
	c.group = push(c.group, int32(v.Group), 0, n, cap(c.left))
	c.unsided = push(c.unsided, v.Unsided, false, n, cap(c.left))
	c.rating = push(c.rating, v.Rating, 0, n, cap(c.left))
}

// microseconds is a time as the column of times has it.
func microseconds(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixMicro()
}

// push appends x to a column that stays nil as long as it holds only the default.
func push[T comparable](col []T, x, def T, n, room int) []T {
	if col == nil {
		if x == def {
			return nil
		}
		col = make([]T, n, room)
		for i := range col {
			col[i] = def
		}
	}
	return append(col, x)
}

func (c *columns) freeze() columns {
	return columns{clip(c.left), clip(c.right), clip(c.outcome), clip(c.user), clip(c.weight), clip(c.time), clip(c.group), clip(c.unsided), clip(c.rating), clip(c.unit), clip(c.properties)}
}

func clip[T any](s []T) []T { return s[:len(s):len(s)] }

func (c *columns) at(k int) Vote {
	v := Vote{User: -1, Left: int(c.left[k]), Right: int(c.right[k]), Outcome: c.outcome[k], Weight: 1}
	if c.user != nil {
		v.User = int(c.user[k])
	}
	if c.weight != nil {
		v.Weight = c.weight[k]
	}
	if c.time != nil && c.time[k] != noTime {
		v.Time = time.UnixMicro(c.time[k]).UTC()
	}
	if c.group != nil {
		v.Group = int(c.group[k])
	}
	v.Unsided = c.unsided != nil && c.unsided[k]
	if c.rating != nil {
		v.Rating = c.rating[k]
	}
	return v
}

func (c *columns) pick(votes []int) columns {
	return columns{pick(c.left, votes), pick(c.right, votes), pick(c.outcome, votes),
		unless(-1, pick(c.user, votes)), unless(1, pick(c.weight, votes)), unless(noTime, pick(c.time, votes)), unless(0, pick(c.group, votes)), unless(false, pick(c.unsided, votes)), unless(0, pick(c.rating, votes)), pick(c.unit, votes), pickProperties(c.properties, votes)}
}

// renumbered returns the votes with items and users by other numbers.
func (c *columns) renumbered(items, users []int32) columns {
	out := *c
	move := func(col, to []int32) []int32 {
		col = slices.Clone(col)
		for k, x := range col {
			if x >= 0 {
				col[k] = to[x]
			}
		}
		return col
	}
	out.left, out.right, out.user = move(c.left, items), move(c.right, items), move(c.user, users)
	return out
}

func pick[T any](col []T, at []int) []T {
	if col == nil {
		return nil
	}
	s := make([]T, len(at))
	for k, i := range at {
		s[k] = col[i]
	}
	return s
}

// unless returns col, or nil when it holds only the default.
func unless[T comparable](def T, col []T) []T {
	for _, x := range col {
		if x != def {
			return col
		}
	}
	return nil
}
