package paper

import (
	"math"
	"runtime/debug"
)

// meter measures what a fit costs.
type meter struct{ cpu float64 }

// startMeter gives memory that is no longer used back first, so that a method is not charged for the one before it.
func startMeter() meter {
	debug.FreeOSMemory()
	resetPeak()
	return meter{cpuSeconds()}
}

// stop enters what was used since the start.
func (m meter) stop(f *Figures) {
	f[CPU] = cpuSeconds() - m.cpu
	f[Peak] = math.NaN()
	if bytes := peakBytes(); bytes > 0 {
		f[Peak] = bytes / 1e6
	}
}
