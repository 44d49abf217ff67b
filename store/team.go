package store

import "time"

// Owner is one of a board's further owners, beside the one who made it.
type Owner struct {
	Board   string
	ID      string
	Name    string
	Hash    []byte // of the secret in their link
	Created time.Time
}
