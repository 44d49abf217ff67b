package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"palate/internal/cli"
)

// remote is a server as a client sees it.
type remote struct {
	server, token string
	http          *http.Client
}

func newRemote(server, token string) *remote {
	return &remote{strings.TrimSuffix(server, "/"), token, &http.Client{Timeout: time.Minute}}
}

// refusal is an answer other than yes.
type refusal struct {
	status int
	says   string
	hint   string // what may help
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server says: %s (%d)%s", r.says, r.status, r.hint)
}

// call sends a value as JSON, if there is one, and reads the answer into another.
func (r *remote) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	kind := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, kind = bytes.NewReader(text), "application/json"
	}
	answer, err := r.send(ctx, method, path, kind, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if out == nil {
		_, err := io.Copy(io.Discard, answer)
		return err
	}
	return json.NewDecoder(answer).Decode(out)
}

// send makes a request and returns the body of the answer, or a refusal.
func (r *remote) send(ctx context.Context, method, path, kind string, body io.Reader) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.server+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	res, err := r.http.Do(req)
	var refused *net.OpError
	if errors.As(err, &refused) && refused.Op == "dial" {
		return nil, fmt.Errorf("no server at %s: %w; start one with palate serve, or name another with --server", r.server, cli.Reason(err))
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 300 {
		return res.Body, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return nil, err
	}
	var problem struct {
		Detail string `json:"detail"`
		Errors []struct {
			Message  string `json:"message"`
			Location string `json:"location"`
		} `json:"errors"`
	}
	says := strings.TrimSpace(string(text))
	if json.Unmarshal(text, &problem) == nil && problem.Detail != "" {
		says = problem.Detail
		for _, e := range problem.Errors {
			says += "; " + strings.TrimSpace(e.Location+" "+e.Message)
		}
	}
	no := &refusal{status: res.StatusCode, says: says}
	if no.status == http.StatusForbidden && r.token == "" {
		no.hint = "; set PALATE_TOKEN to the board's secret, or to a token of it"
	}
	return nil, no
}
