package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
)

// span is the flag --scale: the least and the most that a rating can be.
type span struct{ scale *ingest.Scale }

// Set reads two numbers.
func (s *span) Set(text string) error {
	lo, hi, ok := strings.Cut(text, ":")
	from, bad := strconv.ParseFloat(strings.TrimSpace(lo), 64)
	to, worse := strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || bad != nil || worse != nil || !(from < to) {
		return fmt.Errorf("%q is not two numbers from the least on, as in 1:5", text)
	}
	s.scale = &ingest.Scale{Lo: from, Hi: to}
	return nil
}

// String shows the two numbers.
func (s *span) String() string {
	if s.scale == nil {
		return ""
	}
	return fmt.Sprintf("%v:%v", s.scale.Lo, s.scale.Hi)
}

// Type is what help calls a value.
func (s *span) Type() string { return "LEAST:MOST" }

// rated are the flags of how ratings are taken by models that read them as such.
type rated struct {
	classes int
	numbers bool
}

func (r *rated) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&r.classes, "classes", 12, "for "+modelsFor("classes")+": read more different ratings than this `NUMBER` in so many classes, about as many ratings in each")
	f.BoolVar(&r.numbers, "numbers", false, "for "+modelsFor("numbers")+": take ratings for numbers with Gaussian noise, in place of ordered classes")
}

// options are those of the flags.
func (r *rated) options(cmd *cobra.Command, p *pairing, o *model.Settings) error {
	switch {
	case r.classes < 2:
		return cli.Usage("--classes %d: at least 2 are needed", r.classes)
	case r.numbers && cmd.Flags().Changed("classes"):
		return cli.Usage("--classes and --numbers exclude each other")
	}
	o.Scale = model.Scale{Numbers: r.numbers, LowerBetter: p.lowerBetter}
	if !r.numbers && cmd.Flags().Changed("classes") {
		o.Scale.Classes = r.classes
	}
	return nil
}

// readsRatings reports whether a model takes ratings as what they are.
func readsRatings(name string) bool {
	e, err := model.Find(name)
	return err == nil && e.Reads.Has(model.Ratings)
}

// oneScale refuses ratings of several files that cannot be on one scale: those of one go at least
// twice as far as those of another.
func oneScale(reports []ingest.Report, declared bool) error {
	var first *ingest.Report
	for k := range reports {
		r := &reports[k]
		if declared || r.Ratings == nil || r.Ratings.Lo == r.Ratings.Hi {
			continue
		}
		if first == nil {
			first = r
			continue
		}
		a, b := *first.Ratings, *r.Ratings
		narrow, wide := a.Hi-a.Lo, b.Hi-b.Lo
		if narrow > wide {
			narrow, wide = wide, narrow
		}
		if wide >= 2*narrow || a.Hi < b.Lo || b.Hi < a.Lo {
			return fmt.Errorf("%s: ratings go from %v to %v, and those of %s from %v to %v: these may be two scales; bring them to one, and say which it is with --scale LEAST:MOST", r.File, b.Lo, b.Hi, first.File, a.Lo, a.Hi)
		}
	}
	return nil
}
