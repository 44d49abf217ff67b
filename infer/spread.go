package infer

import "math"

// SpreadPower is that of the prior of a spread: 1/(1+2d²), the part of the noise of a vote in the
// variance of a comparison of utilities of deviation d in units of that noise, is uniform when
// raised to it. The density of d, 4·SpreadPower·d·(1+2d²)^(−1−SpreadPower), is small where d is: it
// is for what differs, or moves, beside which nothing at all has a share of its own. With a larger
// power intervals are too narrow where few votes are on items that differ by three of the noise.
const SpreadPower = 5.0 / 8

// LogSpread returns the log density of log s, s being 1/d², and its derivative.
func LogSpread(logS float64) (lp, slope float64) {
	square := math.Exp(-logS)
	return math.Log(2*SpreadPower) - logS - (1+SpreadPower)*math.Log1p(2*square), (1+SpreadPower)*2*square/(1+2*square) - 1
}
