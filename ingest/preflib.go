package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"palate/internal/wording"
)

// preflib reads the names of the alternatives of a PrefLib file, in today's layout or that of before 2022.
// Each line after them is the order of so many voters, and becomes votes of that weight; nobody's order, of 0 voters,
// becomes none. Alternatives that an incomplete order leaves out are not compared with anything, and neither are
// those of one category of a cat file.
func (s *source) preflib(ext string) error {
	p := &preflib{names: map[string]string{}, kind: strings.TrimPrefix(ext, ".")}
	var err error
	if p.kind != "" && !slices.Contains(preflibKinds(), p.kind) {
		return p.noOrders(s)
	}
	if s.starts('#') {
		p.comma = ':'
		err = p.preamble(s)
	} else {
		p.comma = ','
		err = p.oldPreamble(s)
	}
	if err == io.EOF {
		return s.fail("the file ends within the names of the alternatives")
	}
	if err != nil {
		return err
	}
	p.distinguish()
	s.format, s.header = lines, []string{"order"}
	s.layout = &layout{form: "PrefLib", use: []int{0}, user: -1, weight: -1, time: -1, ballot: -1, cast: p.cast}
	if p.kind != "" {
		s.layout.form += " " + p.kind
	}
	return nil
}

// preflibKinds are the kinds of PrefLib's files that have orders: strict or with ties, complete or not, and
// categories from the best to the worst.
func preflibKinds() []string { return []string{"soc", "soi", "toc", "toi", "cat"} }

// noOrders says that a file is of another kind: a graph.
func (p *preflib) noOrders(s *source) *Error {
	return &Error{File: s.file, Reason: fmt.Sprintf("PrefLib data of type %q are not orders: give %s", p.kind, strings.Join(preflibKinds(), ", "))}
}

type preflib struct {
	kind  string            // one of preflibKinds; empty when unknown
	comma byte              // what follows the number of voters
	names map[string]string // of the alternatives, by number
	order []string          // numbers of the alternatives
}

func (p *preflib) preamble(s *source) error {
	for s.starts('#') {
		at := s.line
		line, err := s.take()
		if err != nil {
			return err
		}
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "#")), ":")
		value = strings.TrimSpace(value)
		if number, ok := strings.CutPrefix(key, "ALTERNATIVE NAME "); ok {
			if err := p.name(strings.TrimSpace(number), value); err != nil {
				return &Error{File: s.file, Line: at, Reason: err.Error()}
			}
		}
		if key == "DATA TYPE" && value != "" {
			p.kind = strings.ToLower(value)
		}
	}
	if p.kind != "" && !slices.Contains(preflibKinds(), p.kind) {
		return p.noOrders(s)
	}
	if len(p.names) == 0 {
		return &Error{File: s.file, Reason: "no line \"# ALTERNATIVE NAME 1: …\" before the orders"}
	}
	return nil
}

// oldPreamble is the number of alternatives, a line "number,name" each, and a line of counts.
func (p *preflib) oldPreamble(s *source) error {
	line, err := s.take()
	if err != nil {
		return err
	}
	n, bad := strconv.Atoi(line)
	if bad != nil || n < 1 || n > 1_000_000 {
		return &Error{File: s.file, Line: s.line - 1, Reason: fmt.Sprintf("%s is neither the number of alternatives nor a line \"# FILE NAME: …\"", wording.Quote(line))}
	}
	for range n {
		if line, err = s.take(); err != nil {
			return err
		}
		number, name, ok := strings.Cut(line, ",")
		if !ok {
			return &Error{File: s.file, Line: s.line - 1, Reason: fmt.Sprintf("%s is not \"number,name\"", wording.Quote(line))}
		}
		if err := p.name(strings.TrimSpace(number), strings.TrimSpace(name)); err != nil {
			return &Error{File: s.file, Line: s.line - 1, Reason: err.Error()}
		}
	}
	_, err = s.take()
	return err
}

func (p *preflib) name(number, name string) error {
	if _, err := strconv.Atoi(number); err != nil {
		return fmt.Errorf("%s is not the number of an alternative", wording.Quote(number))
	}
	if _, again := p.names[number]; again {
		return fmt.Errorf("a second alternative %s", number)
	}
	name = cmp.Or(name, number)
	p.names[number] = name
	p.order = append(p.order, number)
	return nil
}

// distinguish adds the number to a name that several alternatives have.
func (p *preflib) distinguish() {
	for again := true; again; {
		again = false
		count := map[string]int{}
		for _, name := range p.names {
			count[name]++
		}
		for _, number := range p.order {
			if name := p.names[number]; count[name] > 1 {
				p.names[number] = name + " (" + number + ")"
				again = true
			}
		}
	}
}

// cast reads "12: 3,{1,2},4". A comma with nothing after it says nothing.
func (p *preflib) cast(w *ballots, rec *record, by answer) *fault {
	count, text, ok := bytes.Cut(rec.fields[0], []byte{p.comma})
	voters, err := strconv.Atoi(string(bytes.TrimSpace(count)))
	if !ok || err != nil || voters < 0 {
		return w.fault(0, fmt.Sprintf("%s does not begin with a number of voters", wording.Quote(rec.fields[0])))
	}
	by.weight = float64(voters)
	var places [][][]byte
	ranked, open := 0, false
	for part := range bytes.SplitSeq(text, []byte{','}) {
		part = bytes.TrimSpace(part)
		begins := bytes.HasPrefix(part, []byte{'{'})
		ends := bytes.HasSuffix(part, []byte{'}'})
		number := string(bytes.TrimSpace(bytes.Trim(part, "{}")))
		if begins && open || ends && !open && !begins {
			return w.fault(0, fmt.Sprintf("braces do not match at %s", wording.Quote(part)))
		}
		name, known := p.names[number]
		switch {
		case number == "" && (begins == ends) && !open: // nobody, in a set of its own
			continue
		case !known:
			return w.fault(0, fmt.Sprintf("there is no alternative %s", wording.Quote(number)))
		}
		if !open {
			places = append(places, nil)
		}
		last := &places[len(places)-1]
		*last = append(*last, []byte(name))
		open = (open || begins) && !ends
		ranked++
	}
	switch {
	case open:
		return w.fault(0, "a brace is never closed")
	case strings.HasSuffix(p.kind, "oc") && ranked != len(p.names):
		return w.fault(0, fmt.Sprintf("%s in a complete order of %d", wording.Plural(ranked, "alternative"), len(p.names)))
	case strings.HasPrefix(p.kind, "s") && ranked > len(places):
		return w.fault(0, "a tie in a strict order")
	case ranked < 2 && !(w.opt.Below && ranked == 1) || voters == 0: // says nothing about pairs
		if ranked == 1 && voters > 0 {
			w.short++
		}
		return nil
	}
	var all [][]byte
	for _, number := range p.order {
		all = append(all, []byte(p.names[number]))
	}
	if why := w.ordered(rec, by, places, p.kind != "cat" && !w.opt.Unordered, all); why != "" {
		return w.fault(0, why)
	}
	return nil
}
