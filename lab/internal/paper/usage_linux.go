package paper

import (
	"bytes"
	"os"
	"strconv"
)

// resetPeak makes the kernel forget the largest resident memory so far. Where that is not allowed, peaks include
// what went before.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakBytes returns the largest resident memory since resetPeak, 0 when it cannot be told.
func peakBytes() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil {
		return 0
	}
	return kilobytes * 1024
}
