package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Periods cut time into pieces within which utilities stay as they are.
type Periods struct {
	// Unit is one of PeriodUnits, by the calendar of the zone. Without it time is cut into
	// Number pieces of the same length, and without that as well into the shortest units of
	// which there are at most a hundred between the first vote and the last.
	Unit   string `json:"unit,omitempty"`
	Number int    `json:"number,omitempty"`
	Zone   string `json:"zone,omitempty"` // as IANA names it, such as Europe/Berlin; empty: UTC
}

// PeriodUnits are the units of a calendar, ascending.
func PeriodUnits() []string { return []string{"hour", "day", "week", "month", "quarter", "year"} }

// mostPeriods is the most that time is cut into where nothing is said about it, and fewPeriods
// are they where an hour has all votes.
const (
	mostPeriods = 100
	fewPeriods  = 24
)

// ParsePeriods reads a unit or a number of pieces, and the name of a zone.
func ParsePeriods(over, zone string) (Periods, error) {
	p := Periods{Zone: zone}
	if n, err := strconv.Atoi(over); err == nil {
		if n < 2 || n > 10_000 {
			return p, fmt.Errorf("%d periods: it takes 2 to 10000 to see what moves", n)
		}
		p.Number = n
	} else if over != "" {
		p.Unit = strings.ToLower(over)
	}
	return p, p.check()
}

// check finds fault with units and zones that are not there.
func (p Periods) check() error {
	if p.Unit != "" && !slices.Contains(PeriodUnits(), p.Unit) {
		return fmt.Errorf("there are no periods of a %s: name one of %s, or a number of periods", p.Unit, strings.Join(PeriodUnits(), ", "))
	}
	if p.Unit != "" && p.Number != 0 || p.Number < 0 {
		return fmt.Errorf("%d periods of a %s: it is a unit or a number", p.Number, p.Unit)
	}
	if _, err := time.LoadLocation(p.Zone); err != nil {
		return fmt.Errorf("there is no zone %q: name one as Europe/Berlin or America/New_York", p.Zone)
	}
	return nil
}

// calendar is periods once it is known when votes were cast.
type calendar struct {
	unit  string // empty: pieces of a width
	zone  *time.Location
	first time.Time
	width time.Duration
}

// calendar returns that of votes between two times.
func (p Periods) calendar(first, last time.Time) (calendar, error) {
	if err := p.check(); err != nil {
		return calendar{}, fmt.Errorf("model: %w", err)
	}
	zone, _ := time.LoadLocation(p.Zone) // check has seen to it
	c := calendar{unit: p.Unit, zone: zone, first: first}
	pieces := func(n int) calendar {
		return calendar{zone: zone, first: first, width: last.Sub(first)/time.Duration(n) + time.Microsecond}
	}
	if p.Number > 0 {
		return pieces(p.Number), nil
	}
	if p.Unit != "" {
		return c, nil
	}
	for _, unit := range PeriodUnits() {
		c.unit = unit
		if n := c.between(c.start(first), c.start(last)); n < 2 && unit == "hour" {
			return pieces(fewPeriods), nil
		} else if n <= mostPeriods {
			return c, nil
		}
	}
	return pieces(mostPeriods), nil
}

// start is the beginning of the period in which a time lies.
func (c calendar) start(t time.Time) time.Time {
	t = t.In(c.zone)
	y, m, d := t.Date()
	switch c.unit {
	case "hour":
		return t.Truncate(time.Hour) // zones off by half an hour have their hours cut there
	case "day":
		return time.Date(y, m, d, 0, 0, 0, 0, c.zone)
	case "week":
		return time.Date(y, m, d-(int(t.Weekday())+6)%7, 0, 0, 0, 0, c.zone)
	case "month":
		return time.Date(y, m, 1, 0, 0, 0, 0, c.zone)
	case "quarter":
		return time.Date(y, (m-1)/3*3+1, 1, 0, 0, 0, 0, c.zone)
	case "year":
		return time.Date(y, 1, 1, 0, 0, 0, 0, c.zone)
	}
	n := t.Sub(c.first) / c.width
	if t.Before(c.first.Add(n * c.width)) {
		n--
	}
	return c.first.Add(n * c.width).In(c.zone)
}

// next is the beginning of the period after the one that begins at a time.
func (c calendar) next(start time.Time) time.Time {
	switch c.unit {
	case "hour":
		return start.Add(time.Hour)
	case "day":
		return start.AddDate(0, 0, 1)
	case "week":
		return start.AddDate(0, 0, 7)
	case "month":
		return start.AddDate(0, 1, 0)
	case "quarter":
		return start.AddDate(0, 3, 0)
	case "year":
		return start.AddDate(1, 0, 0)
	}
	return start.Add(c.width)
}

// between is how many periods begin from one beginning up to before another.
func (c calendar) between(from, to time.Time) (n int) {
	for n <= 100*mostPeriods && from.Before(to) {
		from, n = c.next(from), n+1
	}
	return n
}

// unitSeconds are the lengths of the units of a calendar, in seconds, on the average.
var unitSeconds = map[string]float64{"hour": 3600, "day": 86400, "week": 7 * 86400, "month": 365.2425 * 86400 / 12, "quarter": 365.2425 * 86400 / 4, "year": 365.2425 * 86400}

// length is that of a period, in seconds, on the average.
func (c calendar) length() float64 {
	if c.unit == "" {
		return c.width.Seconds()
	}
	return unitSeconds[c.unit]
}

// middle is where the middle of the period that begins at a time is, in lengths of periods since
// the first vote.
func (c calendar) middle(start time.Time) float64 {
	mid := start.Add(c.next(start).Sub(start) / 2)
	return mid.Sub(c.first).Seconds() / c.length()
}

// label says which period begins at a time.
func (c calendar) label(start time.Time) string {
	start = start.In(c.zone)
	switch c.unit {
	case "hour":
		return start.Format("2006-01-02 15:04")
	case "month":
		return start.Format("2006-01")
	case "quarter":
		return fmt.Sprintf("%d-Q%d", start.Year(), (int(start.Month())+2)/3)
	case "year":
		return start.Format("2006")
	case "":
		switch {
		case c.width < time.Minute:
			return start.Format("2006-01-02 15:04:05")
		case c.width < 24*time.Hour:
			return start.Format("2006-01-02 15:04")
		}
	}
	return start.Format("2006-01-02")
}

// word is what a period is called.
func (c calendar) word() string {
	if c.unit == "" {
		return "period"
	}
	return c.unit
}
