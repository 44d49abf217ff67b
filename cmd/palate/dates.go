package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// over are the flags of how time is cut into periods.
type over struct {
	over, zone string
}

func (o *over) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.over, "over", "", "let utilities move from one `PERIOD` to the next: "+strings.Join(model.PeriodUnits(), ", ")+", or a number of periods; in place of single and linked, --model moving")
	f.StringVar(&o.zone, "zone", "", "with --over, the `ZONE` whose calendar cuts time, such as Europe/Berlin, in place of UTC")
	suggests(cmd, "over", model.PeriodUnits()...)
}

// moves takes moving utilities for those that do not, where periods are asked for.
func (o *over) moves(cmd *cobra.Command, name string) string {
	if cmd.Flags().Changed("over") && (name == "auto" || name == "single" || name == "linked") {
		return "moving"
	}
	return name
}

// periods are those that the flags ask for.
func (o *over) periods(cmd *cobra.Command) (model.Periods, error) {
	p, err := model.ParsePeriods(o.over, o.zone)
	if err != nil {
		flag := "over"
		if cmd.Flags().Changed("zone") && strings.Contains(err.Error(), "zone") {
			flag = "zone"
		}
		return p, cli.Usage("--%s: %w", flag, err)
	}
	return p, nil
}

// dates are the flags of when a board is of, and since when it tells what moved.
type dates struct {
	at, since string
}

func (d *dates) flags(cmd *cobra.Command) {
	atFlag(cmd, &d.at)
	cmd.Flags().StringVar(&d.since, "since", "", "of utilities that move, what rose and fell since this `DATE` (without it: since the first votes)")
}

func atFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "at", "", "of utilities that move (--over), how things stood, or will, at this `DATE`: 2024-05-31, 2024-05, 2024-Q2 or 2024 (without it: at the last votes)")
}

// check refuses what is no date.
func (d *dates) check() error {
	for _, x := range []struct{ flag, text string }{{"at", d.at}, {"since", d.since}} {
		if x.text == "" {
			continue
		}
		if _, err := dateOf(x.flag, x.text, time.UTC); err != nil {
			return err
		}
	}
	return nil
}

// turn makes the model of a source one about the date that the flags name.
func (d *dates) turn(src *source, c *cli.Console) error {
	m, err := datedAt(src.model, d.at, c)
	if err != nil {
		return err
	}
	if d.since != "" && src.model.Name() != "moving" {
		return cli.Usage("--since has no effect on --model %s, whose utilities do not move: use --over", src.model.Name())
	}
	src.model, src.fit.Form = m, m.Fit().Form
	return nil
}

// moved is how far scores moved since the date that the flags name, nil where none does.
func (d *dates) moved(ctx context.Context, m model.Model, o *model.BoardOptions) (*model.Moves, error) {
	moving, ok := m.(*model.Moving)
	if !ok {
		return nil, nil
	}
	first, _ := moving.Range()
	if d.since != "" {
		since, err := dateOf("since", d.since, moving.Zone())
		if err != nil {
			return nil, err
		}
		return moving.Moves(ctx, since, o)
	}
	if now, _ := moving.Period(); !first.Before(now) {
		return nil, nil
	}
	return moving.Moves(ctx, first, o)
}

// datedAt is a model about a date; itself without one.
func datedAt(m model.Model, at string, c *cli.Console) (model.Model, error) {
	if at == "" {
		return m, nil
	}
	moving, ok := m.(*model.Moving)
	if !ok {
		return nil, cli.Usage("--at has no effect on --model %s, whose utilities do not move: use --over", m.Name())
	}
	t, err := dateOf("at", at, moving.Zone())
	if err != nil {
		return nil, err
	}
	moving = moving.At(t)
	if n := moving.Outside(); n > 0 {
		first, last := moving.Range()
		which := fmt.Sprintf("after the last votes, of %s", moving.Label(last))
		if now, _ := moving.Period(); now.Before(first) {
			which = fmt.Sprintf("before the first votes, of %s", moving.Label(first))
		}
		_, name := moving.Period()
		c.Note("%s is %s %s: what is known fades on the way, and intervals are the wider", name, wording.Plural(n, moving.Unit()), which)
	}
	return moving, nil
}

// dateOf reads a date in a zone.
func dateOf(flag, text string, zone *time.Location) (time.Time, error) {
	if y, q, ok := strings.Cut(strings.ToUpper(text), "-Q"); ok && len(q) == 1 && q[0] >= '1' && q[0] <= '4' {
		if year, err := strconv.Atoi(y); err == nil && len(y) == 4 {
			return time.Date(year, time.Month(3*int(q[0]-'1')+1), 1, 0, 0, 0, 0, zone), nil
		}
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339Nano} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, cli.Usage("--%s %s: not a date: write 2024-05-31, 2024-05, 2024-Q2, 2024 or 2024-05-31 18:00", flag, text)
}
