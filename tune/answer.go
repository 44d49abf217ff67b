package tune

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"palate"
)

// ReadAnswer adds what a line of a log says to it: a duel such as {"left": {…}, "right": {…},
// "answer": "left"}, a choice such as {"points": [{…}, {…}, {…}], "answer": 2}, or a number
// such as {"point": {…}, "value": 7.5}. Each may have a "voter".
func (s *Space) ReadAnswer(line []byte, log *Log) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		return fmt.Errorf("not an answer: %s", plain(err))
	}
	if v, ok := keys["voter"]; ok && (string(v) == `""` || string(v) == "null") {
		return fmt.Errorf("the voter has no name: leave \"voter\" out where nobody is named")
	}
	switch {
	case keys["points"] != nil:
		return s.readChoice(line, log)
	case keys["point"] != nil:
		return s.readValue(line, log)
	}
	d, err := s.ReadDuel(line)
	if err == nil {
		log.Duels = append(log.Duels, d)
	}
	return err
}

// strictly decodes JSON that has no other fields.
func strictly(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// plain says what is wrong with JSON without words of Go.
func plain(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	what := "it"
	if wrong.Field != "" {
		what = strconv.Quote(wrong.Field)
	}
	if number, ok := strings.CutPrefix(wrong.Value, "number "); ok && wrong.Type.Kind() == reflect.Float64 {
		return fmt.Sprintf("%s is %s, which is too large", what, number)
	}
	wants := map[reflect.Kind]string{reflect.Float64: "a number", reflect.String: "a word", reflect.Slice: "a list"}[wrong.Type.Kind()]
	wants = cmp.Or(wants, "an object")
	is := "a " + wrong.Value
	if strings.ContainsAny(wrong.Value[:1], "aeiou") {
		is = "an " + wrong.Value
	}
	return fmt.Sprintf("%s is %s, and should be %s", what, is, wants)
}

// ReadDuel reads a line such as {"left": {…}, "right": {…}, "answer": "left"}.
func (s *Space) ReadDuel(line []byte) (d Duel, err error) {
	var in struct {
		Left   json.RawMessage `json:"left"`
		Right  json.RawMessage `json:"right"`
		Answer string          `json:"answer"`
		Voter  string          `json:"voter"`
	}
	if err := strictly(line, &in); err != nil {
		return d, fmt.Errorf("not a duel: %s", plain(err))
	}
	if d.Left, err = s.ReadPoint(in.Left); err != nil {
		return d, fmt.Errorf("left: %w", err)
	}
	if d.Right, err = s.ReadPoint(in.Right); err != nil {
		return d, fmt.Errorf("right: %w", err)
	}
	d.Voter = in.Voter
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

func (s *Space) readChoice(line []byte, log *Log) error {
	var in struct {
		Points []json.RawMessage `json:"points"`
		Answer any               `json:"answer"`
		Voter  string            `json:"voter"`
	}
	if err := strictly(line, &in); err != nil {
		return fmt.Errorf("not a choice: %s", plain(err))
	}
	if len(in.Points) < 2 {
		return fmt.Errorf("a choice is among two points or more, and here are %d", len(in.Points))
	}
	var points []Point
	for i, raw := range in.Points {
		x, err := s.ReadPoint(raw)
		if err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
		points = append(points, x)
	}
	switch v := in.Answer.(type) {
	case float64:
		if k := int(v); float64(k) == v && k >= 1 && k <= len(points) {
			log.Choose(points, k-1, in.Voter)
			return nil
		}
	case string:
		if v == palate.Skip.String() {
			log.Choose(points, -1, in.Voter)
			return nil
		}
	}
	said, _ := compact(in.Answer) // it was JSON
	return fmt.Errorf("the answer is %s, and may be the place of a point, 1 to %d, or \"skip\"", said, len(points))
}

func (s *Space) readValue(line []byte, log *Log) error {
	var in struct {
		Point json.RawMessage `json:"point"`
		Value *float64        `json:"value"`
		Voter string          `json:"voter"`
	}
	if err := strictly(line, &in); err != nil {
		return fmt.Errorf("not a number: %s", plain(err))
	}
	x, err := s.ReadPoint(in.Point)
	if err != nil {
		return fmt.Errorf("point: %w", err)
	}
	if in.Value == nil {
		return fmt.Errorf("there is no value of the point")
	}
	log.Values = append(log.Values, Value{x, *in.Value, in.Voter})
	return nil
}
