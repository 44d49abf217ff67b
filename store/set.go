package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Way is how voters are asked.
type Way string

const (
	Pairs     Way = ""           // which of two is better
	Choice    Way = "choice"     // which of several is the best
	BestWorst Way = "best-worst" // which of several is the best, and which the worst
	Ranking   Way = "ranking"    // in which order several are
	// Tied is a ranking, of a file, whose items in one place are equally good. Those of other
	// ways are not compared.
	Tied Way = "tied"
)

// Ways lists how voters may be asked.
func Ways() []Way { return []Way{Pairs, Choice, BestWorst, Ranking} }

// Set is several items that were shown together, by number and in that order, and in an
// answer the place of each, 0 for the best: "ranking 3 7 1" and "ranking 3:1 7:0 1:2". It
// is empty for a pair.
type Set string

// NewSet is a set with the places of its items, or without when places is nil.
func NewSet(way Way, items, places []int) Set {
	var b strings.Builder
	b.WriteString(string(way))
	for k, i := range items {
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(i))
		if places != nil {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(places[k]))
		}
	}
	return Set(b.String())
}

// Parts returns how voters were asked, about which items, and where they put them; places is
// nil when they did not.
func (s Set) Parts() (way Way, items, places []int) {
	first, rest, _ := strings.Cut(string(s), " ")
	for word := range strings.FieldsSeq(rest) {
		item, place, put := strings.Cut(word, ":")
		i, err := strconv.Atoi(item)
		if err != nil {
			panic(fmt.Sprintf("store: set %q: %v", s, err)) // nothing else is stored
		}
		items = append(items, i)
		if put {
			p, err := strconv.Atoi(place)
			if err != nil {
				panic(fmt.Sprintf("store: set %q: %v", s, err))
			}
			places = append(places, p)
		}
	}
	return Way(first), items, places
}

// Asked is the set as it was asked, without an answer.
func (s Set) Asked() Set {
	if s == "" {
		return ""
	}
	way, items, _ := s.Parts()
	return NewSet(way, items, nil)
}

// Topic is what a question or a vote is about, however its items were shown: of a voter's
// votes on one topic the last stands.
type Topic struct {
	A, B int    // of a pair, the lesser number first
	Set  string // of several, their numbers in order
}

func topic(left, right int, s Set) Topic {
	if s == "" {
		return Topic{A: min(left, right), B: max(left, right)}
	}
	_, items, _ := s.Parts()
	slices.Sort(items)
	return Topic{Set: string(NewSet("", items, nil))}
}

// Topic is what a vote is about.
func (v Vote) Topic() Topic { return topic(v.Left, v.Right, v.Set) }

// Topic is what a question is about.
func (q Question) Topic() Topic { return topic(q.Left, q.Right, q.Set) }
