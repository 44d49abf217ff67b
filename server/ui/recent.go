package ui

import (
	"net/http"
	"sync"
	"time"

	"palate/server/web"
)

// recent keeps parts of pages that many look at, for a moment: thousands who watch one
// board ask for the same rows within a second.
type recent struct {
	mu  sync.Mutex
	all map[string]*recentPart
}

// recentPart is one of them. Whoever makes it holds its lock.
type recentPart struct {
	mu           sync.Mutex
	made         time.Time
	text, packed []byte
}

const (
	// recentAge is how old such a part may be.
	recentAge = time.Second
	// recentMost is how many are kept, of all boards.
	recentMost = 500
)

// part returns what was kept under a key, or has it made.
func (c *recent) part(key string, make func() ([]byte, error)) (*recentPart, error) {
	c.mu.Lock()
	p := c.all[key]
	if p == nil {
		if c.all == nil || len(c.all) >= recentMost {
			c.all = map[string]*recentPart{}
		}
		p = &recentPart{}
		c.all[key] = p
	}
	c.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.made) > recentAge {
		text, err := make()
		if err != nil {
			return nil, err
		}
		p.text, p.packed, p.made = text, web.Gzip(text), time.Now()
	}
	return &recentPart{text: p.text, packed: p.packed}, nil
}

// send answers with the part.
func (p *recentPart) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	text := p.text
	if web.TakesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		text = p.packed
	}
	w.Write(text) // an error means that the reader has gone
}
