package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"palate/server"
)

// posterTime is how long a receiver of webhooks may take.
const posterTime = 10 * time.Second

// Poster returns what sends the messages of webhooks, to the machines that are allowed.
func Poster(allowed server.Webhooks) func(ctx context.Context, address, signature string, body []byte) error {
	client := posting(allowed)
	return func(ctx context.Context, address, signature string, body []byte) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("User-Agent", "palate")
		r.Header.Set("Palate-Signature", signature)
		answer, err := client.Do(r)
		if err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner // without the address, whose path may be a secret
			}
			return fmt.Errorf("%s was not reached: %w", r.URL.Host, err)
		}
		defer answer.Body.Close()
		io.Copy(io.Discard, io.LimitReader(answer.Body, 4<<10)) // so that the connection can be used again
		if answer.StatusCode < 200 || answer.StatusCode > 299 {
			return fmt.Errorf("%s says %d", r.URL.Host, answer.StatusCode)
		}
		return nil
	}
}

// posting is a client that reaches only what is allowed, whatever names stand for and
// redirects lead to.
func posting(allowed server.Webhooks) *http.Client {
	dialer := &net.Dialer{Timeout: posterTime, Control: func(_, address string, _ syscall.RawConn) error {
		if allowed.Private {
			return nil
		}
		return checkAddress(address)
	}}
	return &http.Client{
		Timeout: posterTime,
		// Without a proxy, which would look names up itself.
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: posterTime, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 || r.Method != http.MethodPost {
				return errors.New("it leads elsewhere")
			}
			return allowed.Allows(r.URL.String())
		},
	}
}

// checkAddress refuses addresses that are not of the public network. It is asked about
// the one that a name stands for, at the moment when a connection is made.
func checkAddress(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return fmt.Errorf("server: %w: %s is an address of this machine or of a private network", server.ErrForbidden, ip)
	}
	return nil
}

// reserved are networks that are not public, beside those that package netip knows.
func reserved() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}
