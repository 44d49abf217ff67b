package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"palate/feature"
	"palate/internal/cli"
	"palate/kernel"
	"palate/model"
)

// mostLengths is the number of length-scales that are told, the shortest ones.
const mostLengths = 12

// tellLengths notes which length-scales were learnt, in units of the table, where that was asked for.
func (s *settings) tellLengths(m model.Model, v *voteData, c *cli.Console) {
	if s.lengths != "learnt" {
		return
	}
	if r, ok := m.(interface{ Relevances() []kernel.Relevance }); ok {
		noteLengths("items", r.Relevances(), v.encoder, c)
	}
	if r, ok := m.(interface{ VoterRelevances() []kernel.Relevance }); ok {
		noteLengths("voters", r.VoterRelevances(), v.userEncoder, c)
	}
}

// noteLengths notes the length-scales of a kernel over the features that an encoder makes.
func noteLengths(of string, all []kernel.Relevance, e *feature.Encoder, c *cli.Console) {
	for _, r := range all {
		if r.Linear || e == nil {
			continue
		}
		type one struct {
			name   string
			length float64
		}
		var known []one
		endless := 0
		for j, name := range e.Names() {
			l := r.Lengths[j%len(r.Lengths)]
			if !kernel.HasEnd(l) {
				endless++
				continue
			}
			known = append(known, one{name, l * e.SD[j]})
		}
		slices.SortStableFunc(known, func(a, b one) int { return cmp.Compare(a.length, b.length) })
		var words []string
		for k, x := range known {
			if k == mostLengths {
				words = append(words, fmt.Sprintf("%d more that are longer", len(known)-k))
				break
			}
			digits := max(0, 2-int(math.Floor(math.Log10(x.length))))
			words = append(words, x.name+" "+strconv.FormatFloat(x.length, 'f', digits, 64))
		}
		if endless > 0 {
			words = append(words, fmt.Sprintf("%d without end", endless))
		}
		c.Note("length-scales learnt of the features of %s, in units of the table: %s", of, strings.Join(words, ", "))
	}
}
