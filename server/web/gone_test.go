package web

import (
	"fmt"
	"net"
	"testing"
	"time"

	"palate/server"
)

// Whoever goes away in the middle of a request is not counted as a fault of the server.
func TestBodiesThatBreakOff(t *testing.T) {
	s := setScene(t, server.Options{})
	before := s.front.requests[4].Load()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"items\":[", s.api("/items"), s.secret)
	conn.Close()
	for range 500 {
		if s.front.requests[4].Load()+s.front.requests[5].Load() > before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := s.front.requests[5].Load(); n != 0 {
		t.Errorf("%d requests count as faults of the server", n)
	}
	if n := s.front.requests[4].Load(); n == before {
		t.Error("the request was not counted")
	}
}
