package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"palate/store"
)

// MinKey is the least number of bytes of a signing key.
const MinKey = 32

// ErrKey is the error of a server whose key is not the one that its database was
// signed with.
var ErrKey = errors.New("another signing key")

// Names of secrets: the key of a server that keeps it in its database, and by what the
// key is known otherwise.
const (
	keySecret  = "signing"
	markSecret = "signing-mark"
)

// NewKey returns a fresh signing key.
func NewKey() []byte {
	key := make([]byte, MinKey)
	rand.Read(key) // never fails
	return key
}

// KeptKey returns the signing key that a database holds, or nil.
func KeptKey(ctx context.Context, st store.Store) ([]byte, error) {
	key, err := st.Secret(ctx, keySecret, nil)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return key, err
}

// ForgetKey removes the signing key from a database. Whoever reads the database from
// then on cannot sign with it.
func ForgetKey(ctx context.Context, st store.Store) error { return st.DropSecret(ctx, keySecret) }

// signingKey returns the key to sign with: the one given, which must be the one that
// the database was signed with so far, or else the one that the database holds.
func signingKey(ctx context.Context, st store.Store, given []byte) ([]byte, error) {
	key := given
	if given == nil {
		kept, err := st.Secret(ctx, keySecret, NewKey())
		if err != nil {
			return nil, err
		}
		key = kept
	} else if kept, err := KeptKey(ctx, st); err != nil {
		return nil, err
	} else if kept != nil && !hmac.Equal(kept, given) {
		return nil, fmt.Errorf("server: %w: the database holds a key, and it is not the one given", ErrKey)
	}
	if len(key) < MinKey {
		return nil, fmt.Errorf("server: a signing key of %d bytes; it takes %d", len(key), MinKey)
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte("mark"))
	mark := h.Sum(nil)[:16]
	known, err := st.Secret(ctx, markSecret, mark)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(known, mark) {
		return nil, fmt.Errorf("server: %w: cookies and links of this database were signed with a key that is not the one given", ErrKey)
	}
	return key, nil
}
