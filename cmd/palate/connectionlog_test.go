package main

import (
	"bytes"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
)

// The log says that a handshake failed, and not whose it was.
func TestConnectionsWithoutAddresses(t *testing.T) {
	var b bytes.Buffer
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.ErrorLog = connectionLog(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	srv.StartTLS()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 100)); err != nil { // what is wrong
		t.Fatal(err)
	}
	c.Close()
	srv.Close()
	for _, address := range []string{"192.0.2.1:80", "[2001:db8::1]:443", "[fe80::1%eth0]:443"} {
		srv.Config.ErrorLog.Printf("http: panic serving %s: oops", address)
	}
	if got := b.String(); !strings.Contains(got, "TLS handshake error from somebody") || strings.Count(got, "somebody") != 4 || strings.Contains(got, "127.0.0.1") {
		t.Error(got)
	}
}
