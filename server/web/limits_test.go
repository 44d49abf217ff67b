package web

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
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
