package main

import (
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// connectionLog takes what net/http has to say of connections, without the addresses of those
// who made them. A handshake that fails is their affair.
func connectionLog(to *slog.Logger) *log.Logger { return log.New(connections{to}, "", 0) }

type connections struct{ to *slog.Logger }

// peer is the address of a connection.
var peer = regexp.MustCompile(`(\[[^\]\s]+\]|\d+\.\d+\.\d+\.\d+):\d+`)

func (c connections) Write(line []byte) (int, error) {
	says := peer.ReplaceAllString(strings.TrimSpace(string(line)), "somebody")
	if strings.Contains(says, "TLS handshake error") {
		c.to.Debug("connection", "error", says)
	} else {
		c.to.Warn("connection", "error", says)
	}
	return len(line), nil
}
