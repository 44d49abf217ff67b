package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"palate/internal/atomicfile"
	"palate/internal/cli"
)

// child is a server that this process runs.
type child struct {
	address string
	flags   []string // of palate serve, beside those that all have
	mu      sync.Mutex
	cmd     *exec.Cmd
	orphan  *atomicfile.Undo // that nobody would end
}

// startServer runs palate serve, with these flags, on an address of its own.
func startServer(ctx context.Context, flags ...string) (*child, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	c := &child{address: "http://" + address, flags: flags}
	c.orphan = atomicfile.OnExit(func() {
		if cmd := c.running(); cmd != nil {
			cmd.Process.Kill()
		}
	})
	if err := c.begin(); err != nil {
		return nil, err
	}
	return c, c.wait(ctx)
}

func (c *child) begin() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, append([]string{"serve", "--addr", c.address[len("http://"):], "--requests-per-minute", "-1", "--quiet"}, c.flags...)...)
	cmd.Stderr = complaints{}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.mu.Lock()
	c.cmd = cmd
	c.mu.Unlock()
	return nil
}

// complaints passes on what the server has to complain of. That it is stopping is not
// among it: load, too, says so when it is told to stop, and ends the server in any case.
type complaints struct{}

func (complaints) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		if string(line) == "stopping…\n" {
			continue
		}
		if _, err := os.Stderr.Write(line); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// wait waits until the server answers.
func (c *child) wait(ctx context.Context) error {
	r := newRemote(c.address, "")
	for range 300 {
		if body, err := r.send(ctx, http.MethodGet, "/healthz", "", nil); err == nil {
			return body.Close()
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return cli.ErrInterrupted
		}
	}
	return fmt.Errorf("the server did not answer within 30 seconds")
}

// kill ends the server as a crash would.
func (c *child) kill() {
	cmd := c.running()
	cmd.Process.Kill()
	cmd.Wait()
}

// running returns the server's process.
func (c *child) running() *exec.Cmd {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd
}

// stop lets the server end.
func (c *child) stop() {
	cmd := c.running()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	c.orphan.Settle(nil)
}

// outages kill a server every now and then.
type outages struct {
	*child
	done            chan struct{} // closed when the last one is over; nil before the first
	kills, inImport int
	err             error
}

// start kills the server as often as it is to be, at even times. While a file is imported
// it waits until some of it was stored since the last time.
func (o *outages) start(ctx context.Context, l *load) {
	o.done = make(chan struct{})
	every := time.Duration(l.seconds * float64(time.Second) / float64(l.kills+1))
	go func() {
		defer close(o.done)
		var stored int64
		for range l.kills {
			select {
			case <-time.After(every):
			case <-ctx.Done():
				return
			}
			if l.imports > 0 {
				now := l.beside.goneOn(ctx, stored)
				if now > stored {
					o.inImport++
				}
				stored = now
			}
			o.kill()
			o.kills++
			if o.err = o.begin(); o.err != nil {
				return
			}
			if o.err = o.wait(ctx); o.err != nil {
				return
			}
		}
	}()
}

// end waits for the last one.
func (o *outages) end() error {
	if o.done != nil {
		<-o.done
	}
	return o.err
}
