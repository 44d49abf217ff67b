package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"palate/internal/cli"
	"palate/server"
	"palate/store"
)

// signing says where the server's key is: in the environment, in a file, or in the
// database.
type signing struct {
	word, file string
	inDatabase bool
}

// key returns the signing key, and a note for the operator where there is something to
// say. Nil is for a key in the database.
func (k signing) key(ctx context.Context, st store.Store) (key []byte, note string, err error) {
	word := k.word
	switch {
	case k.inDatabase && (k.file != "" || word != ""):
		return nil, "", cli.Usage("--key-in-database, and a key besides: take one of them")
	case k.file != "" && word != "":
		return nil, "", cli.Usage("--key-file and PALATE_KEY are both given: take one of them")
	case k.inDatabase:
		return nil, "", nil
	case word != "" && len(word) < server.MinKey:
		return nil, "", cli.Usage("PALATE_KEY has %d bytes; it takes at least %d", len(word), server.MinKey)
	case word != "":
		return []byte(word), "", nil
	}
	kept, err := server.KeptKey(ctx, st)
	if err != nil {
		return nil, "", err
	}
	if k.file != "" {
		return k.fromFile(ctx, st, kept)
	}
	if kept != nil {
		return nil, "the key that signs cookies is in the database, as earlier versions kept it: --key-file FILE, with a new name, moves it there", nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, "", fmt.Errorf("no place for the key that signs cookies: %w; name one with --key-file, or set PALATE_KEY", err)
	}
	k.file = filepath.Join(config, "palate", "key")
	return k.fromFile(ctx, st, nil)
}

// fromFile reads the key from the file, or writes it there: the one that the database
// kept so far, which forgets it then, or a new one.
func (k signing) fromFile(ctx context.Context, st store.Store, kept []byte) ([]byte, string, error) {
	key, err := readKey(k.file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, "", err
	}
	key, note := kept, fmt.Sprintf("the key that signs cookies was moved from the database to %s", k.file)
	if kept == nil {
		key, note = server.NewKey(), fmt.Sprintf("a key that signs cookies was made: %s", k.file)
	}
	if err := writeKey(k.file, key); errors.Is(err, fs.ErrExist) { // another server was first
		key, err = readKey(k.file)
		return key, "", err
	} else if err != nil {
		return nil, "", err
	}
	if kept != nil {
		err = server.ForgetKey(ctx, st)
	} else {
		err = nil
	}
	return key, note, err
}

func readKey(path string) ([]byte, error) {
	s, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if s.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: others may read this key: chmod 600 makes it yours", path)
	}
	key, err := os.ReadFile(path)
	if err == nil && len(key) < server.MinKey {
		err = fmt.Errorf("%s: %d bytes are no key; it takes at least %d", path, len(key), server.MinKey)
	}
	return key, err
}

// writeKey writes a key that is not there yet, whole or not at all.
func writeKey(path string, key []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), ".key-*") // of mode 600
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name())
	if _, err = aside.Write(key); err == nil {
		err = aside.Sync()
	}
	if err := errors.Join(err, aside.Close()); err != nil {
		return err
	}
	if written, err := os.ReadFile(aside.Name()); err != nil || !bytes.Equal(written, key) {
		return errors.Join(fmt.Errorf("%s: the key was not written", path), err)
	}
	return os.Link(aside.Name(), path) // which fails where there is one
}
