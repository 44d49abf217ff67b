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
}

// Log is what was asked and answered, in that order, and the seed of the questions.
type Log struct {
	Seed  uint64
	Duels []Duel
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

// WriteDuel writes a line of a log.
func (s *Space) WriteDuel(w io.Writer, d Duel) error {
	_, err := fmt.Fprintf(w, "{\"left\": %s, \"right\": %s, \"answer\": %q}\n", s.WritePoint(d.Left), s.WritePoint(d.Right), d.Answer)
	return err
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
			var d Duel
			if d, err = s.ReadDuel(line); err == nil {
				log.Duels = append(log.Duels, d)
			}
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

// ReadDuel reads a line such as {"left": {…}, "right": {…}, "answer": "left"}.
func (s *Space) ReadDuel(line []byte) (d Duel, err error) {
	var in struct {
		Left   json.RawMessage `json:"left"`
		Right  json.RawMessage `json:"right"`
		Answer string          `json:"answer"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return d, fmt.Errorf("not a duel: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if d.Left, err = s.ReadPoint(in.Left); err != nil {
		return d, fmt.Errorf("left: %w", err)
	}
	if d.Right, err = s.ReadPoint(in.Right); err != nil {
		return d, fmt.Errorf("right: %w", err)
	}
	d.Answer, err = ParseAnswer(in.Answer)
	return d, err
}

// ParseAnswer reads left, right, tie or skip.
func ParseAnswer(word string) (palate.Outcome, error) {
	for _, o := range palate.Outcomes() {
		if o.String() == word {
			return o, nil
		}
	}
	return 0, fmt.Errorf("the answer is %q, and may be left, right, tie or skip", word)
}
