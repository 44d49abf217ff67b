package server

import "sync"

// Event says that something about a board has changed; whoever wants to know
// more asks.
type Event struct {
	Board string
	Kind  EventKind
	Seq   int64 // of the vote
}

// EventKind is what changed.
type EventKind string

const (
	Voted   EventKind = "vote"  // a vote, an undo or a skip came in
	Fitted  EventKind = "fit"   // the board was refitted
	Changed EventKind = "board" // the owner changed something
)

// hub passes events on to whoever listens.
type hub struct {
	mu     sync.Mutex
	closed bool
	boards map[string]map[chan Event]struct{}
}

// Subscribe sends what changes on a board until cancel is called, or the service
// is closed: then the channel is closed. Events that a slow reader has not taken
// are left out.
func (s *Service) Subscribe(board string) (events <-chan Event, cancel func()) {
	h := &s.hub
	c := make(chan Event, 16)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(c)
		return c, func() {}
	}
	if h.boards == nil {
		h.boards = map[string]map[chan Event]struct{}{}
	}
	if h.boards[board] == nil {
		h.boards[board] = map[chan Event]struct{}{}
	}
	h.boards[board][c] = struct{}{}
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if _, there := h.boards[board][c]; there {
			delete(h.boards[board], c)
			if len(h.boards[board]) == 0 {
				delete(h.boards, board)
			}
		}
	}
}

func (h *hub) send(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.boards[e.Board] {
		select {
		case c <- e:
		default:
		}
	}
}

// heard reports whether somebody listens to a board.
func (h *hub) heard(board string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.boards[board]) > 0
}

// Watchers returns how many listen to a board.
func (s *Service) Watchers(board string) int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.hub.boards[board])
}

// listeners returns how many there are.
func (h *hub) listeners() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.boards {
		n += len(b)
	}
	return n
}

// close ends all subscriptions.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, b := range h.boards {
		for c := range b {
			close(c)
		}
	}
	h.boards = nil
}

// EndStreams ends all subscriptions, so that requests that wait for events end,
// too: for a server that shuts down.
func (s *Service) EndStreams() { s.hub.close() }
