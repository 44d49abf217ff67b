package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// keyPair is a certificate and its key, in files.
type keyPair struct {
	certificate, key string

	mu     sync.Mutex
	looked time.Time
	read   [2]time.Time // when the files had been changed that were read
	pair   *tls.Certificate
}

// get returns the pair as it is in the files, which are looked at once a minute at most.
// What cannot be read then leaves the one before in its place.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pair != nil && time.Since(k.looked) < time.Minute {
		return k.pair, nil
	}
	k.looked = time.Now()
	var changed [2]time.Time
	for i, path := range []string{k.certificate, k.key} {
		if s, err := os.Stat(path); err == nil {
			changed[i] = s.ModTime()
		}
	}
	if k.pair != nil && changed == k.read {
		return k.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(k.certificate, k.key)
	if err != nil {
		if k.pair != nil {
			return k.pair, nil
		}
		return nil, fmt.Errorf("the certificate of --tls-cert and --tls-key: %w", err)
	}
	k.pair, k.read = &pair, changed
	return k.pair, nil
}
