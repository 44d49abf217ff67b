package evaluate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Every interval holds its estimate, also where predictions are so good that drawing votes anew can only make them look
// worse, and at every level.
func TestIntervalsHoldTheirEstimates(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 20 + rng.IntN(400)
		e := &exam{units: n}
		var p []float64
		for k := range n {
			chance := 0.2 + 0.6*rng.Float64()
			if seed%3 == 0 { // votes as if counted off: no model could be calibrated better
				chance = 0.6
			}
			y := 0.0
			if seed%3 == 0 && k%5 < 3 || seed%3 != 0 && rng.Float64() < chance {
				y = 1
			}
			p, e.y, e.w, e.unit = append(p, chance), append(e.y, y), append(e.w, 1), append(e.unit, k)
		}
		for _, level := range []float64{0.1, 0.5, 0.95, 0.99} {
			s := reflect.ValueOf(e.score(Method{}, p, []float64{rng.Float64(), 1, 1, 1}, &Options{Level: level, Bins: 15, Resamples: 200}))
			for f := range s.NumField() {
				x, ok := s.Field(f).Interface().(Estimate)
				if ok && !(x.Lo <= x.Value && x.Value <= x.Hi) {
					t.Errorf("seed %d, level %v: %s is %v, from %v to %v", seed, level, s.Type().Field(f).Name, x.Value, x.Lo, x.Hi)
				}
				if ok && math.IsNaN(x.Lo) {
					t.Errorf("seed %d: %s has no interval", seed, s.Type().Field(f).Name)
				}
			}
		}
	}
}
