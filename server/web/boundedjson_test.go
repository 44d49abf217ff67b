package web

import (
	"bytes"
	"math"
	"net/http"
	"testing"
	"time"
)

// An answer that cannot be written breaks off: nobody takes what says so for an answer.
func TestAnswersAreWhole(t *testing.T) {
	j := newFront(Options{}, nil).boundedJSON()
	for name, answer := range map[string]any{"not a number": math.NaN(), "a year that has no name": time.Date(-1199, 1, 1, 0, 0, 0, 0, time.UTC)} {
		var out bytes.Buffer
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler || out.Len() > 0 {
					t.Errorf("%s: %v after %q", name, p, &out)
				}
			}()
			j.Marshal(&out, answer)
		}()
	}
	var out bytes.Buffer
	if err := j.Marshal(&out, []int{1}); err != nil || out.String() != "[1]\n" {
		t.Errorf("%q, %v", &out, err)
	}
}
