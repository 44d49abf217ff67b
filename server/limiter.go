package server

import (
	"sync"
	"time"
)

// limiter lets each name through so many times a minute, after a first burst of
// as many: a bucket a name.
type limiter struct {
	perMinute float64 // not positive: no limit
	mu        sync.Mutex
	buckets   map[string]*bucket
	swept     time.Time
}

type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: float64(perMinute), buckets: map[string]*bucket{}}
}

// allow takes one out of the bucket of a name, if there is one.
func (l *limiter) allow(name string, now time.Time) bool {
	if l.perMinute <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > time.Minute { // buckets that are full again need not be kept
		for n, b := range l.buckets {
			if now.Sub(b.at) > time.Minute {
				delete(l.buckets, n)
			}
		}
		l.swept = now
	}
	b := l.buckets[name]
	if b == nil {
		b = &bucket{left: l.perMinute, at: now}
		l.buckets[name] = b
	}
	b.left = min(l.perMinute, b.left+now.Sub(b.at).Minutes()*l.perMinute)
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
