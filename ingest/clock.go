package ingest

import (
	"fmt"
	"strings"
	"time"

	"palate/internal/wording"
)

// clock reads a time as it is written; an empty one is unknown.
type clock func(text []byte) (time.Time, string)

// timeCodes are what a format of times may have: strftime's codes, and how package time writes them.
func timeCodes() map[byte]string {
	return map[byte]string{'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'b': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday",
		'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'z': "-0700", 'Z': "MST", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04"}
}

// CheckTimeFormat finds fault with a format of times, such as %d/%m/%Y %H:%M:%S. Its codes are strftime's; seconds
// may have a fraction, which no code stands for.
func CheckTimeFormat(format string) error {
	_, err := timeLayout(format)
	return err
}

// timeLayout returns a format as package time has it.
func timeLayout(format string) (string, error) {
	var layout, between strings.Builder
	plain := func() bool { // what is between the codes has to mean nothing to package time
		text := between.String()
		between.Reset()
		for _, at := range []time.Time{time.Unix(0, 0).UTC(), time.Date(2037, 12, 28, 23, 59, 58, 987654321, time.FixedZone("X", 5400))} {
			if at.Format(text) != text {
				return false
			}
		}
		return true
	}
	codes, good := 0, true
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || strings.HasPrefix(format[i:], "%%") {
			if format[i] == '%' {
				i++
			}
			layout.WriteByte(format[i])
			between.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			return "", fmt.Errorf("time format %q ends with %%", format)
		}
		code, ok := timeCodes()[format[i]]
		if !ok {
			return "", fmt.Errorf("time format %q: %%%c is not one of %%Y %%y %%m %%d %%e %%b %%B %%a %%A %%H %%I %%M %%S %%p %%z %%Z %%F %%T %%R", format, format[i])
		}
		good = plain() && good
		if format[i] != 'y' && (i+1 == len(format) || format[i+1] != '%') { // what comes next ends a number of one digit
			code = strings.TrimPrefix(code, "0")
		}
		layout.WriteString(code)
		codes++
	}
	switch {
	case !plain() || !good:
		return "", fmt.Errorf("time format %q: between the codes may be signs and words, but no digits and no names of months, days or zones", format)
	case codes == 0:
		return "", fmt.Errorf("time format %q has no codes: write %%d/%%m/%%Y %%H:%%M:%%S", format)
	}
	return layout.String(), nil
}

// clock reads times in the format of the options, nil when there is none.
func (o Options) clock() clock {
	if o.TimeFormat == "" {
		return nil
	}
	layout, err := timeLayout(o.TimeFormat)
	if err != nil {
		panic("ingest: " + err.Error()) // Votes has seen to that
	}
	return func(text []byte) (time.Time, string) {
		if len(text) == 0 {
			return time.Time{}, ""
		}
		t, err := time.Parse(layout, string(text))
		if err != nil || !writable(t) {
			return time.Time{}, fmt.Sprintf("%s is not a time of the format %s", wording.Quote(text), o.TimeFormat)
		}
		if zone, _ := t.Zone(); strings.Contains(layout, "MST") && zone != "UTC" && zone != "GMT" {
			return time.Time{}, fmt.Sprintf("%s is in a zone that only its name tells: give times in UTC, or with an offset for %%z", wording.Quote(text))
		}
		return t.UTC(), ""
	}
}
