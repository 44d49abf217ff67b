package paper

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"palate/metric"
)

// Results keeps what is finished in a file, one JSON object a line, so that a run that was ended goes on where it was. A
// result is known by set, model, split and seed, not by the data or by the version of the program: where these change,
// begin a new file. Several runs may write to one file at a time.
type Results struct {
	path   string
	kept   map[trialKey]Trial
	others map[trialKey]json.RawMessage // results that are no trials
	begun  bool                         // the file ends within a line
}

type trialKey struct {
	Set   string `json:"set"`
	Model string `json:"model"`
	Split int    `json:"split"`
	Seed  uint64 `json:"seed"`
}

// keptTrial is a line of the file.
type keptTrial struct {
	trialKey
	Figures     map[string]lossless `json:"figures"`
	Reliability [][5]lossless       `json:"reliability"`
	People      [][3]lossless       `json:"people"`
}

// keptResult is a line of the file that is no trial.
type keptResult struct {
	trialKey
	Result json.RawMessage `json:"result"`
}

// OpenResults reads the trials of a file, which need not be there. A line that was cut short is passed over.
func OpenResults(path string) (*Results, error) {
	r := &Results{path: path, kept: map[trialKey]Trial{}, others: map[trialKey]json.RawMessage{}}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("paper: results: %w", err)
	}
	for line := 1; len(text) > 0; line++ {
		row, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		if !whole {
			r.begun = true
			break
		}
		var k struct {
			keptTrial
			Result json.RawMessage `json:"result"`
		}
		err := json.Unmarshal(row, &k)
		if err == nil && (k.Set == "" || k.Model == "") {
			err = errors.New("no set, or no model")
		}
		var end *json.SyntaxError
		if row = bytes.TrimSpace(row); errors.As(err, &end) && end.Offset >= int64(len(row)) && bytes.HasPrefix(row, []byte("{")) {
			continue // cut short
		}
		if err != nil {
			return nil, fmt.Errorf("paper: results: %s:%d: not a trial: %w", path, line, err)
		}
		if k.Result != nil {
			r.others[k.trialKey] = k.Result
			continue
		}
		r.kept[k.trialKey] = k.trial()
	}
	return r, nil
}

// find returns a trial that is kept; there is none without a file.
func (r *Results) find(k trialKey) (Trial, bool) {
	if r == nil {
		return Trial{}, false
	}
	t, ok := r.kept[k]
	return t, ok
}

// keep adds a trial to the file.
func (r *Results) keep(k trialKey, t Trial) error {
	if r == nil {
		return nil
	}
	if err := r.write(keptOf(k, t)); err != nil {
		return err
	}
	r.kept[k] = t
	return nil
}

// remembered returns a result that is in the file, or does the work and keeps what comes of it; without a file it does
// the work.
func remembered[T any](r *Results, k trialKey, work func() (T, error)) (result T, err error) {
	if r != nil {
		if text, ok := r.others[k]; ok {
			if err := json.Unmarshal(text, &result); err != nil {
				return result, fmt.Errorf("paper: results: %s: %s, %s: %w", r.path, k.Set, k.Model, err)
			}
			return result, nil
		}
	}
	if result, err = work(); err != nil || r == nil {
		return result, err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return result, fmt.Errorf("paper: results: %w", err)
	}
	return result, r.write(keptResult{k, text})
}

// write adds a line to the file, in one write.
func (r *Results) write(value any) (err error) {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("paper: results: %w", err)
	}
	line = append(line, '\n')
	if r.begun {
		line = append([]byte("\n"), line...)
	}
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("paper: results: %w", err)
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("paper: results: %w", e)
		}
	}()
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("paper: results: %w", err)
	}
	r.begun = false
	return nil
}

func keptOf(k trialKey, t Trial) keptTrial {
	line := keptTrial{trialKey: k, Figures: map[string]lossless{}}
	for _, m := range Measures() {
		line.Figures[m.String()] = lossless(t.Figures[m])
	}
	for _, b := range t.Reliability {
		line.Reliability = append(line.Reliability, [5]lossless{lossless(b.Lo), lossless(b.Hi), lossless(b.Weight), lossless(b.Predicted), lossless(b.Observed)})
	}
	for _, p := range t.people {
		line.People = append(line.People, [3]lossless{lossless(p.votes), lossless(p.acc), lossless(p.ce)})
	}
	return line
}

func (k keptTrial) trial() Trial {
	t := Trial{Figures: noFigures()}
	for _, m := range Measures() {
		if x, ok := k.Figures[m.String()]; ok {
			t.Figures[m] = float64(x)
		}
	}
	for _, b := range k.Reliability {
		t.Reliability = append(t.Reliability, metric.Bin{Lo: float64(b[0]), Hi: float64(b[1]), Weight: float64(b[2]), Predicted: float64(b[3]), Observed: float64(b[4])})
	}
	for _, p := range k.People {
		t.people = append(t.people, person{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	return t
}

// lossless is a number that comes back from JSON to the last bit: null is NaN, and infinities are words.
type lossless float64

func (x lossless) MarshalJSON() ([]byte, error) {
	switch f := float64(x); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 0):
		return json.Marshal(fmt.Sprint(f))
	default:
		return json.Marshal(f)
	}
}

func (x *lossless) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*x = lossless(math.NaN())
	case `"+Inf"`:
		*x = lossless(math.Inf(1))
	case `"-Inf"`:
		*x = lossless(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(x))
	}
	return nil
}
