package draw

import (
	"math"
	"strconv"
)

// Tick is a number on an axis.
type Tick struct {
	Value float64
	Text  string
}

// Ticks returns round numbers between lo and hi, about n of them, and two at least where n is: one alone says nothing of
// the scale.
func Ticks(lo, hi float64, n int) (ticks []Tick) {
	if !(hi > lo) || n < 1 {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(m*step) <= float64(n) {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		ticks = append(ticks, Tick{k * step, Signed(k*step, decimals)})
	}
	if n > 1 && n < 20 && len(ticks) < 2 {
		return Ticks(lo, hi, n+1)
	}
	return ticks
}

// Factors returns round numbers between two above zero, about n of them, for an axis of logarithms:
// ones, twos and fives of every power of ten, or as many of these as there is room for.
func Factors(lo, hi float64, n int) (ticks []Tick) {
	if !(lo > 0 && hi > lo) || n < 1 {
		return nil
	}
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	for _, of := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		ticks = nil
		for e := first; e <= last; e++ {
			for _, m := range of {
				if x := m * math.Pow(10, float64(e)); x >= lo*(1-1e-9) && x <= hi*(1+1e-9) {
					ticks = append(ticks, Tick{x, Signed(x, max(0, -e))})
				}
			}
		}
		if len(ticks) <= n {
			return ticks
		}
	}
	every := (len(ticks) + n - 1) / n
	few := ticks[:0]
	for k := 0; k < len(ticks); k += every {
		few = append(few, ticks[k])
	}
	return few
}

// Signed shows a number with a minus sign, and zero without one.
func Signed(x float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	if x < 0 && strconv.FormatFloat(0, 'f', decimals, 64) != s {
		return "−" + s
	}
	return s
}
