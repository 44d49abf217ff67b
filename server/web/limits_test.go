package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"palate/server"
)

// TestTimeIsUp: a request whose time is up is told so, and not that nobody waits for it.
// The server also gives up reading then, which must not come first.
func TestTimeIsUp(t *testing.T) {
	l := newLimiter()
	l.of["/"] = Limit{"/", 1 << 10, 20 * time.Millisecond, 1}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, done := l.bind(w, r)
		defer done()
		<-r.Context().Done()
		code, says := status(r.Context().Err())
		http.Error(w, says, code)
	}))
	defer s.Close()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			res, err := http.Get(s.URL)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
	wg.Wait()
}

// TestSlowBodiesKeepNoRoom: whoever announces a large body and sends none of it keeps nobody
// waiting, and what there is no room for is refused, until there is.
func TestSlowBodiesKeepNoRoom(t *testing.T) {
	s := setScene(t, server.Options{})
	for k, path := range []string{"/api/boards", "/boards"} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, []string{"application/json", "multipart/form-data; boundary=x"}[k], server.MaxJSONBody-1, strings.Repeat(" ", smallBody+1))
	}
	l := s.front.limits
	taken := func() bool { // once both are being read
		if !l.incoming.TryAcquire(IncomingMemory - smallBody) {
			return true
		}
		l.incoming.Release(IncomingMemory - smallBody)
		return false
	}
	for !taken() { // until the test's own time is up
		time.Sleep(time.Millisecond)
	}
	board := `{"items":[{"body":"a"},{"body":"b"},{"body":"` + strings.Repeat("c", 2*smallBody) + `"}]}`
	stranger := s.program(t, "")
	stranger.want(201, "POST", "/api/boards", board, nil)
	l.incoming = semaphore.NewWeighted(smallBody)
	stranger.want(503, "POST", "/api/boards", board, nil)
	l.incoming = semaphore.NewWeighted(IncomingMemory)
	l.memory = semaphore.NewWeighted(int64(32 * len(board)))
	for range 3 {
		stranger.want(201, "POST", "/api/boards", board, nil)
	}
}
