package ingest

import (
	"strings"
	"testing"
)

// Times are read in the format that is asked for, and compared with conditions.
func TestTimeFormat(t *testing.T) {
	for format, c := range map[string]struct{ text, want string }{
		"%d/%m/%Y%H:%M:%S":          {"16/02/201716:51:00", "2017-02-16T16:51:00Z"},
		"%m/%d/%y %I:%M:%S %p":      {"5/1/24 3:04:05 PM", "2024-05-01T15:04:05Z"},
		"%d. %B %Y, %R":             {"16. February 2017, 16:51", "2017-02-16T16:51:00Z"},
		"%FT%T%z":                   {"2017-02-16T16:51:00.25+0100", "2017-02-16T15:51:00.25Z"},
		"%a %b %e %T %Y at 100%% o": {"", ""},
	} {
		text := "winner,loser,When\na,b," + `"` + c.text + `"` + "\na,c,\n"
		got, _, err := read(text, Options{Columns: Columns{{"time", "When"}}, TimeFormat: format})
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "no digits") {
				t.Errorf("%s: %v", format, err)
			}
			continue
		}
		if want := "a b left @" + c.want + "\na c left\n"; err != nil || got != want {
			t.Errorf("%s: %v, got\n%s", format, err, got)
		}
	}
	for zone, good := range map[string]bool{"UTC": true, "GMT": true, "CET": false, "GMT+2": false} {
		if _, _, err := read("winner,loser,time\na,b,2017-02-16 "+zone+"\n", Options{TimeFormat: "%F %Z"}); (err == nil) != good {
			t.Errorf("%s: %v", zone, err)
		}
	}
	text := "winner,loser,time\na,b,16/02/2017\nb,c,17/02/2017\n"
	where, err := ParseCondition("time>=2017-02-17")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(text, Options{TimeFormat: "%d/%m/%Y", Where: []Condition{where}}); err != nil || got != "b c left @2017-02-17T00:00:00Z\n" {
		t.Errorf("%v\n%s", err, got)
	}
	for format, want := range map[string]string{
		"%d/%m": `votes.csv:2: column time: "16/02/2017" is not a time of the format %d/%m`,
		"%Q":    `ingest: time format "%Q": %Q is not one of %Y %y %m %d %e %b %B %a %A %H %I %M %S %p %z %Z %F %T %R`,
		"%":     `ingest: time format "%" ends with %`,
		"noon":  `ingest: time format "noon" has no codes: write %d/%m/%Y %H:%M:%S`,
		"2%d":   `ingest: time format "2%d": between the codes may be signs and words, but no digits and no names of months, days or zones`,
	} {
		if _, _, err := read(text, Options{TimeFormat: format}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", format, err)
		}
	}
}
