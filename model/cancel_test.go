package model

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/internal/declared"
)

// counted is a context that is asked so often whether it has ended, and ends at one
// of the times.
type counted struct {
	context.Context
	end   context.CancelFunc
	mu    sync.Mutex
	asked int
	last  int // 0: it does not end
}

func (c *counted) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked++; c.asked == c.last {
		c.end()
	}
	return c.Context.Err()
}

// fits are all functions that fit a model, on few votes.
func fits(t *testing.T) map[string]func(context.Context) error {
	d, _ := voters{items: 8, users: 12, votes: 10, itemFeatures: true}.draw(t, 3)
	x := mat.NewDense(4, 1, []float64{3, 2, 1, 4})
	y := mat.NewDense(4, 1, []float64{0, 1, 0, 2})
	return map[string]func(context.Context) error{
		"FitSingle":       func(ctx context.Context) error { _, err := FitSingle(ctx, d, nil); return err },
		"FitPopulation":   func(ctx context.Context) error { _, err := FitPopulation(ctx, d, nil); return err },
		"FitCrowd":        func(ctx context.Context) error { _, err := FitCrowd(ctx, d, nil); return err },
		"FitGlicko":       func(ctx context.Context) error { _, err := FitGlicko(ctx, d, nil); return err },
		"FitBradleyTerry": func(ctx context.Context) error { _, err := FitBradleyTerry(ctx, d, nil); return err },
		"FitTensor":       func(ctx context.Context) error { _, err := FitTensor(ctx, d, nil); return err },
		"FitDuels":        func(ctx context.Context) error { _, err := FitDuels(ctx, x, y, nil); return err },
		"FitDuelVotes":    func(ctx context.Context) error { _, err := FitDuelVotes(ctx, d, nil); return err },
	}
}

// TestFitsHeedTheirContext: whenever the context of a fit ends, the fit returns its
// error, and asks hardly ever again.
func TestFitsHeedTheirContext(t *testing.T) {
	all := fits(t)
	for _, name := range declared.Functions(t) {
		if strings.HasPrefix(name, "Fit") && all[name] == nil {
			t.Errorf("%s is not in the table", name)
		}
	}
	run := func(fit func(context.Context) error, last int) (int, error) {
		inner, end := context.WithCancel(context.Background())
		defer end()
		c := &counted{Context: inner, end: end, last: last}
		err := fit(c)
		return c.asked, err
	}
	for name, fit := range all {
		most, err := run(fit, 0)
		if err != nil || most < 2 {
			t.Errorf("%s: asks %d times whether to go on; %v", name, most, err)
			continue
		}
		// The number of times may vary with the number of goroutines.
		for _, last := range slices.Compact([]int{1, 2, 1 + most/3, 1 + most/2, max(1, 9*most/10)}) {
			asked, err := run(fit, last)
			if !errors.Is(err, context.Canceled) || asked > last+50 {
				t.Errorf("%s: told to stop at %d of %d, asks %d times; %v", name, last, most, asked, err)
			}
		}
	}
}
