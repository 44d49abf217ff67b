package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// A body may have a mistake every two bytes, each about all of it, and two bytes may make an
// item. What is read is bounded before it is read, and what is said of it before it is said.
const (
	listMost       = 100_000 // values of a list, and members of an object
	mistakesTold   = 10
	mistakeLetters = 300 // of what a mistake is, and of where
)

// boundedJSON reads JSON whose lists have an end, and writes it whole or not at all: an answer
// that cannot be written has no status of its own any more.
func (f *Front) boundedJSON() huma.Format {
	j := huma.DefaultJSONFormat
	j.Marshal = func(w io.Writer, answer any) error {
		err := huma.DefaultJSONFormat.Marshal(w, answer)
		if errors.As(err, new(*json.MarshalerError)) || errors.As(err, new(*json.UnsupportedValueError)) {
			f.log.Error("an answer that is no JSON", "error", err)
			panic(http.ErrAbortHandler)
		}
		return err
	}
	j.Unmarshal = func(text []byte, to any) error {
		if err := checkLists(text); err != nil {
			return err
		}
		return json.Unmarshal(text, to)
	}
	return j
}

// form is the type of what curl -d and pages send unless they say otherwise.
const form = "application/x-www-form-urlencoded"

// formRefused tells who sends a form to send JSON.
func formRefused() huma.Format {
	return huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: func([]byte, any) error {
		return fmt.Errorf("%w: %s; send JSON with Content-Type: application/json", huma.ErrUnknownContentType, form)
	}}
}

// checkLists says that a list of a text is too long, before room is made for it. What is not
// JSON is for others to say.
func checkLists(text []byte) error {
	var commas []int // in what is open
	quoted := false
	for k := 0; k < len(text); k++ {
		switch c := text[k]; {
		case quoted && c == '\\':
			k++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if len(commas) == listMost { // so deep nobody reads
				return nil
			}
			commas = append(commas, 0)
		case len(commas) == 0:
		case c == ']' || c == '}':
			commas = commas[:len(commas)-1]
		case c == ',':
			if commas[len(commas)-1]++; commas[len(commas)-1] == listMost {
				return fmt.Errorf("a list of more than %d values", listMost)
			}
		}
	}
	return nil
}

// brief shortens the list of mistakes that an answer is.
func brief(_ huma.Context, _ string, answer any) (any, error) {
	e, is := answer.(*huma.ErrorModel)
	if !is {
		return answer, nil
	}
	short := *e
	short.Errors = each(e.Errors[:min(len(e.Errors), mistakesTold)], func(d *huma.ErrorDetail) *huma.ErrorDetail {
		return &huma.ErrorDetail{Message: fmt.Sprintf("%.*s", mistakeLetters, d.Message), Location: fmt.Sprintf("%.*s", mistakeLetters, d.Location)}
	})
	return &short, nil
}
