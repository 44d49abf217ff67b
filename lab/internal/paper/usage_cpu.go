//go:build !unix

package paper

import "math"

func cpuSeconds() float64 { return math.NaN() }
