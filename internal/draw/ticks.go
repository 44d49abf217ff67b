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

// Ticks returns round numbers between lo and hi, about n of them.
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
	return ticks
}

// Signed shows a number with a minus sign, and zero without one.
func Signed(x float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	if x < 0 && strconv.FormatFloat(0, 'f', decimals, 64) != s {
		return "−" + s
	}
	return s
}
