package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"palate"
)

// Duel is a question and its answer.
type Duel struct {
	Left, Right Point
	Answer      palate.Outcome
	// Voter is who answered; "": it was not said.
	Voter string
	// Group is above zero where this is one comparison of a choice among several points: those
	// of one choice follow each other, the chosen point is left of each, and they have a number
	// in common that the choices beside them do not have.
	Group int
}

// Value is a number that a point was given, such as a rating or a measurement: the higher the
// better.
type Value struct {
	Point Point
	Value float64
	Voter string // whose utility it tells of
}

// Log is what was asked and answered, in that order, the numbers that are known beside it, and
// the seed of the questions.
type Log struct {
	Seed   uint64
	Duels  []Duel
	Values []Value
}

// answer returns how many duels, from the i-th on, are of one answer.
func (l *Log) answer(i int) int {
	n := 1
	for g := l.Duels[i].Group; g > 0 && i+n < len(l.Duels) && l.Duels[i+n].Group == g; {
		n++
	}
	return n
}

// Answers counts what was asked and answered, a choice once. Numbers are not among them.
func (l *Log) Answers() (count int) {
	for i := 0; i < len(l.Duels); i += l.answer(i) {
		count++
	}
	return count
}

// Choose adds a choice among points: the place of the one that was chosen, or −1 where the
// question was skipped.
func (l *Log) Choose(points []Point, best int, voter string) {
	d := Duel{Answer: palate.Skip, Voter: voter}
	if best < 0 {
		best = 0
	} else {
		d.Answer = palate.Left
	}
	if d.Left = points[best]; len(points) > 2 {
		d.Group = 1
		if n := len(l.Duels); n > 0 {
			d.Group = 1 + l.Duels[n-1].Group
		}
	}
	for k, x := range points {
		if k != best {
			d.Right = x
			l.Duels = append(l.Duels, d)
		}
	}
}

// header is the first line of a log: which space it is about.
type header struct {
	Space json.RawMessage `json:"space"`
	Seed  uint64          `json:"seed"`
}

// outline is a space as the header of a log has it, such that spaces are the same if and
// only if their outlines are.
func (s *Space) outline() []string {
	var lines []string
	for j := range s.Parameters {
		lines = append(lines, s.Parameters[j].Name+": "+s.Parameters[j].String())
	}
	for _, c := range s.Constraints {
		lines = append(lines, strings.Join(strings.Fields(c.Text), " "))
	}
	for _, c := range s.Forbidden {
		lines = append(lines, "forbidden: "+s.describe(c))
	}
	return lines
}

// WriteHeader writes the first line of a log.
func (s *Space) WriteHeader(w io.Writer, seed uint64) error {
	outline, err := compact(s.outline())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\"space\": %s, \"seed\": %d}\n", outline, seed)
	return err
}

// compact writes JSON without escaping what HTML would.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// WriteDuel writes a duel as a line of a log.
func (s *Space) WriteDuel(w io.Writer, d Duel) error {
	_, err := fmt.Fprintf(w, "{\"left\": %s, \"right\": %s, \"answer\": %q%s}\n", s.WritePoint(d.Left), s.WritePoint(d.Right), d.Answer, voterField(d.Voter))
	return err
}

// voterField is what a line says of who answered.
func voterField(name string) string {
	if name == "" {
		return ""
	}
	text, _ := compact(name) // a string always is JSON
	return ", \"voter\": " + string(text)
}

// WriteLog writes a log: its header, the numbers, and a line an answer. Of a choice the point
// that was chosen comes first.
func (s *Space) WriteLog(w io.Writer, log *Log) error {
	if err := s.WriteHeader(w, log.Seed); err != nil {
		return err
	}
	for _, v := range log.Values {
		if _, err := fmt.Fprintf(w, "{\"point\": %s, \"value\": %v%s}\n", s.WritePoint(v.Point), v.Value, voterField(v.Voter)); err != nil {
			return err
		}
	}
	for i := 0; i < len(log.Duels); {
		d, n := log.Duels[i], log.answer(i)
		if n == 1 {
			if err := s.WriteDuel(w, d); err != nil {
				return err
			}
			i++
			continue
		}
		points := []string{string(s.WritePoint(d.Left))}
		for _, other := range log.Duels[i : i+n] {
			points = append(points, string(s.WritePoint(other.Right)))
		}
		answer := "1"
		if d.Answer == palate.Skip {
			answer = `"skip"`
		}
		if _, err := fmt.Fprintf(w, "{\"points\": [%s], \"answer\": %s%s}\n", strings.Join(points, ", "), answer, voterField(d.Voter)); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// ReadLog reads a log of the space: a line of JSON with the space and the seed, then a line
// an answer. Errors name the file, the line and the reason.
func (s *Space) ReadLog(name string, r io.Reader) (*Log, error) {
	log := &Log{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for at := 1; lines.Scan(); at++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var err error
		if at == 1 {
			err = s.readHeader(line, log)
		} else {
			err = s.ReadAnswer(line, log)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, at, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return log, nil
}

func (s *Space) readHeader(line []byte, log *Log) error {
	var h header
	var then []string
	if json.Unmarshal(line, &h) != nil || json.Unmarshal(h.Space, &then) != nil {
		return fmt.Errorf(`the first line is not {"space": […], "seed": …}: this is no log of tune`)
	}
	log.Seed = h.Seed
	now := s.outline()
	for i := range max(len(then), len(now)) {
		was, is := "nothing", "nothing"
		if i < len(then) {
			was = then[i]
		}
		if i < len(now) {
			is = now[i]
		}
		if was != is {
			return fmt.Errorf("the space has changed since these duels: where there was %q is now %q; the duels stay as they are: put the space back, or begin another file of duels", was, is)
		}
	}
	return nil
}
