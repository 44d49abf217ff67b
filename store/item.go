package store

import "time"

// ItemKind is what an item shows.
type ItemKind string

const (
	Text     ItemKind = "text"
	Markdown ItemKind = "markdown"
	Image    ItemKind = "image" // Body is what to say in its place, Media the picture
	Link     ItemKind = "link"  // Body is what to show, URL where it leads
)

// Item is something to vote on. Items of a board are numbered from 0 in the
// order in which they were added; votes name them by that number.
type Item struct {
	Board    string
	Number   int
	ID       string // unique within the board; what files call it
	Kind     ItemKind
	Body     string
	URL      string
	Media    string    // digest of the picture
	Features []float64 // as many as Board.Features
	Excluded string    // the reason, when the item is out
	Created  time.Time
}

// Media is a picture, named by the digest of its bytes.
type Media struct {
	Board  string
	Digest string
	Type   string // MIME type
	Bytes  []byte
}
