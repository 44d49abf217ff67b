package web

import (
	"context"
	"errors"
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

// Bodies that come in share IncomingMemory, counted as they do, so that whoever sends slowly
// keeps no room that they do not fill; a body for which there is none left is refused. What
// bodies come to in memory shares BodyMemory: one that is whole waits for its turn. Bodies of up
// to smallBody bytes are not counted: there are as many as there are connections.
const (
	IncomingMemory = 128 << 20
	BodyMemory     = 128 << 20
	smallBody      = 4 << 10
)

// limiter finds the limit of a request.
type limiter struct {
	mux              *http.ServeMux
	of               map[string]Limit
	incoming, memory *semaphore.Weighted
}

func newLimiter() *limiter {
	l := &limiter{mux: http.NewServeMux(), of: map[string]Limit{}, incoming: semaphore.NewWeighted(IncomingMemory), memory: semaphore.NewWeighted(BodyMemory)}
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

// errBusy is what reading a body panics with for which there is no room: Guard says so,
// whatever those who read it make of errors.
var errBusy = errors.New("the server is busy with other uploads")

// bounded is the body of a request. Nothing is counted before somebody begins to read it,
// which is after it was found out who sends it.
type bounded struct {
	io.ReadCloser
	ctx   context.Context
	of    *limiter
	wants int64 // bytes of memory that a byte of it may come to
	came  int64 // bytes of it
	// What is counted: bytes that came, and those of memory.
	incoming, memory int64
	// broken tells that the body ended before its end: whoever sent it went away, or was too slow.
	broken bool
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.came += int64(n)
	if b.came > smallBody {
		b.count(err == io.EOF)
	}
	b.broken = b.broken || err != nil && err != io.EOF
	return n, err
}

// count has room for what came, and for what it may come to once it is whole.
func (b *bounded) count(whole bool) {
	if !b.of.incoming.TryAcquire(b.came - b.incoming) {
		panic(errBusy)
	}
	b.incoming = b.came
	if all := min(b.came*b.wants, BodyMemory); whole && b.memory == 0 {
		if b.of.memory.Acquire(b.ctx, all) != nil {
			panic(errBusy)
		}
		b.memory = all
	}
}

type boundedKey struct{}

// broken reports whether the body of the request that a context is of ended before its end.
func broken(ctx context.Context) bool {
	b, ok := ctx.Value(boundedKey{}).(*bounded)
	return ok && b.broken
}

// release gives back what the body held, once its request is answered.
func (b *bounded) release() {
	b.of.incoming.Release(b.incoming)
	b.of.memory.Release(b.memory)
	b.incoming, b.memory = 0, 0
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
	body := &bounded{ReadCloser: r.Body, of: l, wants: limit.Memory}
	body.ctx = context.WithValue(ctx, boundedKey{}, body)
	r = r.WithContext(body.ctx)
	r.Body = http.MaxBytesReader(w, body, limit.Bytes)
	return r, func() { body.release(); cancel() }
}
