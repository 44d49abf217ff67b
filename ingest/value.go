package ingest

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"palate/internal/wording"
)

// ParseNumber reads a finite number.
func ParseNumber(s string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// pointed returns a number that has a decimal comma with a point in its place, and any other text as it is.
func pointed(text []byte) []byte {
	at := bytes.IndexByte(text, ',')
	if at < 0 {
		return text
	}
	out := slices.Clone(text)
	out[at] = '.'
	if _, ok := ParseNumber(string(out)); !ok || bytes.ContainsAny(text, "xX_") {
		return text
	}
	return out
}

// weight reads a weight; an empty one is 1.
func weight(text []byte) (float64, string) {
	if len(text) == 0 {
		return 1, ""
	}
	w, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(w > 0) || math.IsInf(w, 1) {
		return 0, fmt.Sprintf("%s is not a positive number", wording.Quote(text))
	}
	return w, ""
}

// ParseTime reads a time in one of the usual ways, and says why it cannot. An empty one is unknown.
func ParseTime(text []byte) (time.Time, string) {
	if len(text) == 0 {
		return time.Time{}, ""
	}
	s := string(text)
	if len(s) >= len("2006-01-02T") && s[4] == '-' {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil && writable(t) {
			return t.UTC(), ""
		}
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		if t, ok := since1970(x); ok {
			return t, ""
		}
		return time.Time{}, fmt.Sprintf("%s is not a time", wording.Quote(text))
	}
	for _, format := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(format, s); err == nil && writable(t) {
			return t.UTC(), ""
		}
	}
	return time.Time{}, fmt.Sprintf("%s is not a time: write 2006-01-02T15:04:05Z or seconds since 1970, or say how it is written with --time-format", wording.Quote(text))
}

// since1970 reads a number of seconds up to the year 5138, then of ever finer units; all of them begin in 1973.
func since1970(x float64) (time.Time, bool) {
	unit := int64(time.Second)
	for _, limit := range []float64{1e11, 1e14, 1e17} {
		if math.Abs(x) >= limit {
			unit /= 1000
		}
	}
	if !(math.Abs(x) < 1e19) {
		return time.Time{}, false
	}
	perSecond := float64(time.Second) / float64(unit)
	whole, part := math.Modf(x / perSecond)
	// Floating-point seconds are good to the microsecond at best.
	t := time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC()
	return t, writable(t)
}

// writable reports whether a time is of the years 1 to 9999, which all forms can write.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return 1 <= year && year <= 9999
}
