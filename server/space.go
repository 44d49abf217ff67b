package server

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"palate/store"
	"palate/tune"
)

// A board of a space has points of it for items, two for every question. tune chooses them
// and learns from the answers; all else is that of any board.

// spaceOf reads the space of a board, which was checked when the board was made; nil without.
func spaceOf(ctx context.Context, b store.Board) (*tune.Space, error) {
	if b.Space == nil {
		return nil, nil
	}
	return tune.ParseSpace(ctx, "the space", b.Space.Text, nil)
}

// spaceTime is for how long a point of a new space is looked for.
const spaceTime = 5 * time.Second

// newSpace checks the space that a board is to be made of, and returns it with the first two
// points. Spaces take turns.
func (s *Service) newSpace(ctx context.Context, n *store.Space) (*tune.Space, []tune.Point, error) {
	if err := s.turn(ctx); err != nil {
		return nil, nil, err
	}
	defer s.turnOver()
	if err := cmp.Or(checkText("the space", n.Text, MaxText), checkText("the template of addresses", n.URL, maxAddress), checkText("the template of texts", n.Body, maxAddress)); err != nil {
		return nil, nil, err
	}
	looking, cancel := context.WithTimeout(ctx, spaceTime)
	defer cancel()
	space, err := tune.ParseSpace(looking, "the space", n.Text, spaceFits)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case looking.Err() != nil:
		return nil, nil, invalid("no point of the space was found in %v: constrain it less", spaceTime)
	case errors.Is(err, ErrInvalid):
		return nil, nil, err
	case err != nil:
		return nil, nil, invalid("%v", err)
	}
	if n.URL != "" {
		if err := checkAddresses(space, n.URL); err != nil {
			return nil, nil, err
		}
	}
	if err := checkTemplate(space, "the template of texts", n.Body, MaxText, func(word string, _ bool) string { return word }); err != nil {
		return nil, nil, err
	}
	first, err := tune.NewSearch(space, &tune.Log{Seed: n.Seed}).Beside(ctx, tune.EUBO, 0)
	if err != nil {
		return nil, nil, err
	}
	return space, []tune.Point{first.Left, first.Right}, nil
}

// spaceFits says why a space is too large for a board: what it takes to find a point of it, and
// to learn from answers, grows with its size.
func spaceFits(parameters []tune.Parameter, constraints []tune.Constraint, forbidden []tune.Combination) error {
	size := 0
	for _, p := range parameters {
		size += max(1, len(p.Words))
		if err := checkTexts("a word of "+p.Name, maxFeature, p.Words...); err != nil {
			return err
		}
	}
	if size > MaxParameters {
		return invalid("a space of %d parameters, every word counted; %d are the most", size, MaxParameters)
	}
	if n := len(constraints) + len(forbidden); n > MaxConstraints {
		return invalid("a space of %d constraints and forbidden combinations; %d are the most", n, MaxConstraints)
	}
	return nil
}

// place is where a template has a value: {name}.
var place = regexp.MustCompile(`\{([^{}]*)\}`)

// checkAddresses says why a template does not make addresses of pages, whatever the values:
// where they lead to, before the path, is the template's own.
func checkAddresses(space *tune.Space, template string) error {
	fixed, _, _ := strings.Cut(template, "{")
	u, err := url.Parse(fixed)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return invalid("the template of addresses %.60q does not begin with http:// or https:// and a name of a machine", template)
	}
	if _, rest, _ := strings.Cut(fixed, "://"); len(fixed) < len(template) && !strings.ContainsAny(rest, "/?#") {
		return invalid("the template of addresses %.60q has a value before its path: which machine it is is not a parameter", template)
	}
	if strings.ContainsFunc(template, func(r rune) bool { return r <= ' ' || r == '\\' || r == '"' || r == '<' || r == '>' || r == 0x7f }) {
		return invalid("the template of addresses %.60q holds characters that no address has", template)
	}
	return checkTemplate(space, "the template of addresses", template, maxAddress, escaped)
}

// checkTemplate says what is wrong with a template: a value that is no parameter's, a brace
// that is not one of a pair, or a text that may get too long.
func checkTemplate(space *tune.Space, what, template string, most int, escape func(string, bool) string) error {
	names := make([]string, len(space.Parameters))
	for j, p := range space.Parameters {
		names[j] = p.Name
	}
	longest := len(template)
	for _, found := range place.FindAllStringSubmatch(template, -1) {
		j := slices.Index(names, found[1])
		if j < 0 {
			return invalid("%s has {%s}, and the parameters are %s", what, found[1], strings.Join(names, ", "))
		}
		longest += longestValue(&space.Parameters[j], escape)
	}
	if rest := place.ReplaceAllString(template, ""); strings.ContainsAny(rest, "{}") {
		return invalid("%s has a brace that is not one of a pair about a name, as {%s}", what, names[0])
	}
	if longest > most {
		return invalid("%s makes texts of up to %d bytes; %d are the most", what, longest, most)
	}
	return nil
}

// longestValue is how many bytes a value may take.
func longestValue(p *tune.Parameter, escape func(string, bool) string) int {
	if p.Numeric() {
		return len("-1.7976931348623157e%2B308")
	}
	most := 0
	for _, w := range p.Words {
		most = max(most, len(escape(w, false)), len(escape(w, true)))
	}
	return most
}

// escaped is a value as it stands in an address: in its query, or before it.
func escaped(value string, query bool) string {
	if query {
		return url.QueryEscape(value)
	}
	return url.PathEscape(value)
}

// filled puts the values of a point into a template. Numbers have so many digits, 0: all.
func filled(space *tune.Space, template string, x tune.Point, digits int, escape func(value string, query bool) string) string {
	var b strings.Builder
	for last, query := 0, false; ; {
		at := place.FindStringSubmatchIndex(template[last:])
		if at == nil {
			return b.String() + template[last:]
		}
		before := template[last : last+at[0]]
		query = query || strings.Contains(before, "?")
		b.WriteString(before)
		for j := range space.Parameters {
			if p := &space.Parameters[j]; p.Name == template[last+at[2]:last+at[3]] {
				b.WriteString(escape(p.Format(x[j], digits), query))
			}
		}
		last += at[1]
	}
}

// pointItem makes the item of a point: what voters see of it, and where it leads.
func pointItem(space *tune.Space, about *store.Space, x tune.Point) NewItem {
	n := NewItem{Features: map[string]float64{}}
	for j, p := range space.Parameters {
		n.Features[p.Name] = x[j]
	}
	n.Body = filled(space, about.Body, x, 4, func(value string, _ bool) string { return value })
	switch {
	case about.URL != "":
		n.Kind, n.URL, n.Body = store.Link, filled(space, about.URL, x, 0, escaped), cmp.Or(n.Body, space.Describe(x))
	case n.Body == "":
		n.Body = strings.ReplaceAll(space.Describe(x), ", ", "\n")
	}
	return n
}

// pointItems makes the items of points that a board does not have, each with a name of its own.
func pointItems(space *tune.Space, about *store.Space, old []store.Item, points []tune.Point) (items []NewItem) {
	names := names{}
	for _, i := range old {
		names[i.ID] = 1
	}
	for k, x := range points {
		n := pointItem(space, about, x)
		n.ID = names.free(firstLine(space.Describe(x), 60), len(old)+k+1)
		items = append(items, n)
	}
	return items
}

// pointKey tells points apart, to the last digit.
func pointKey(x tune.Point) string {
	var b strings.Builder
	for _, v := range x {
		b.WriteString(strconv.FormatUint(math.Float64bits(v), 36))
		b.WriteByte(' ')
	}
	return b.String()
}
