//go:build !linux

package bench

import "time"

var start = time.Now()

// clock is the time since the program began.
func clock() time.Duration { return time.Since(start) }
