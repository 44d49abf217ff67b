package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"palate/server"
)

// Limit is what one request to an endpoint may take.
type Limit struct {
	// Pattern is that of http.ServeMux.
	Pattern string
	// Bytes is how large its body may be.
	Bytes int64
	// Time is how long it may take, its body included; 0: it is a stream, of which
	// every message has a limit.
	Time time.Duration
	// Memory is how many bytes of memory a byte of its body may come to. JSON is the
	// dearest: three bytes make an empty object.
	Memory int64
}

// Limits is the table of limits; the pattern that is most specific counts.
func Limits() []Limit {
	const json, file = 32, 2
	const board, boardJSON, small = server.MaxBoard, server.MaxJSONBody, 256 << 10
	return []Limit{
		{"/", small, 30 * time.Second, json},
		{"POST /api/boards", boardJSON, time.Minute, json},
		{"POST /api/boards/{board}/items", boardJSON, time.Minute, json},
		{"POST /api/boards/{board}/images", server.MaxUpload, time.Minute, file},
		{"POST /api/boards/{board}/import", server.MaxImport, 2 * time.Minute, file},
		{"POST /api/model/predict", 4 << 20, 30 * time.Second, json},
		{"POST /boards", board, 2 * time.Minute, file},
		{"POST /b/{board}/owner/items", board, 2 * time.Minute, file},
		{"POST /b/{board}/owner/import", server.MaxImport, 2 * time.Minute, file},
		{"GET /api/boards/{board}/export", small, 2 * time.Minute, json},
		{"GET /api/boards/{board}/events", small, 0, json},
		{"GET /b/{board}/events", small, 0, json},
	}
}

// BodyMemory is what the bodies of all requests under way may come to in memory; a
// request that would go beyond it waits for its turn. Bodies of up to smallBody bytes
// are not counted: there are as many as there are connections.
const (
	BodyMemory = 128 << 20
	smallBody  = 4 << 10
)

// limiter finds the limit of a request.
type limiter struct {
	mux  *http.ServeMux
	of   map[string]Limit
	pool *semaphore.Weighted
}

func newLimiter() *limiter {
	l := &limiter{mux: http.NewServeMux(), of: map[string]Limit{}, pool: semaphore.NewWeighted(BodyMemory)}
	for _, limit := range Limits() {
		l.mux.Handle(limit.Pattern, http.NotFoundHandler())
		l.of[limit.Pattern] = limit
	}
	return l
}

func (l *limiter) limit(r *http.Request) Limit {
	_, pattern := l.mux.Handler(r)
	return l.named(pattern)
}

// named is the limit of a pattern.
func (l *limiter) named(pattern string) Limit {
	if limit, ok := l.of[pattern]; ok {
		return limit
	}
	return l.of["/"]
}

// errBusy is the error of a body for which there is no room in time.
var errBusy = errors.New("the server is busy with other uploads")

// bounded is the body of a request. The memory that it may come to is taken from the
// pool when somebody begins to read it, which is after it was found out who sends it.
type bounded struct {
	io.ReadCloser
	ctx   context.Context
	pool  *semaphore.Weighted
	wants int64 // bytes of memory
	holds int64
	// broken tells that the body ended before its end: whoever sent it went away, or was too slow.
	broken bool
}

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.take(); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.broken = b.broken || err != nil && err != io.EOF
	return n, err
}

// take waits until there is room for the body.
func (b *bounded) take() error {
	if b.wants == 0 {
		return nil
	}
	if err := b.pool.Acquire(b.ctx, b.wants); err != nil {
		return fmt.Errorf("%w: %w", errBusy, err)
	}
	b.holds, b.wants = b.wants, 0
	return nil
}

type boundedKey struct{}

// admitted waits until there is room for the body of the request that a context is of.
func admitted(ctx context.Context) error {
	if b, ok := ctx.Value(boundedKey{}).(*bounded); ok {
		return b.take()
	}
	return nil
}

// broken reports whether the body of the request that a context is of ended before its end.
func broken(ctx context.Context) bool {
	b, ok := ctx.Value(boundedKey{}).(*bounded)
	return ok && b.broken
}

// release gives back what the body held, once its request is answered.
func (b *bounded) release() {
	b.pool.Release(b.holds)
	b.holds = 0
}

// bind holds a request to its limit. What it returns is to be called in the end.
func (l *limiter) bind(w http.ResponseWriter, r *http.Request) (*http.Request, func()) {
	limit := l.limit(r)
	ctx, cancel := r.Context(), func() {}
	// What cannot set a deadline, as a recorder in a test, has none.
	until := http.NewResponseController(w)
	if limit.Time > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit.Time)
		// Later than the context's: a connection that cannot be read any more ends the
		// request as if nobody waited for its answer.
		until.SetReadDeadline(time.Now().Add(limit.Time + time.Second))
	} else {
		until.SetReadDeadline(time.Time{})
	}
	body := &bounded{ReadCloser: r.Body, pool: l.pool}
	body.ctx = context.WithValue(ctx, boundedKey{}, body)
	r = r.WithContext(body.ctx)
	size := limit.Bytes
	if r.ContentLength >= 0 {
		size = min(size, r.ContentLength)
	}
	if size > smallBody {
		body.wants = min(size*limit.Memory, BodyMemory)
	}
	r.Body = http.MaxBytesReader(w, body, limit.Bytes)
	return r, func() { body.release(); cancel() }
}
