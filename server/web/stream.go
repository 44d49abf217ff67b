package web

import (
	"io"
	"net/http"
	"time"
)

// Breath is how often a quiet stream is kept alive.
const Breath = 20 * time.Second

// Stream begins a stream of events, and returns what sends a message of it: the stream has no
// end, but every message has one.
func Stream(w http.ResponseWriter) (send func(message string) error) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	return func(message string) error {
		if err := out.SetWriteDeadline(time.Now().Add(Breath)); err != nil {
			return err
		}
		if _, err := io.WriteString(w, message); err != nil {
			return err
		}
		return out.Flush()
	}
}
