package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Parameters of argon2id: the second recommendation of RFC 9106, with a third of
// its memory, as a password is checked on small machines, too.
const (
	argonTime    = 3
	argonMemory  = 19 << 10 // KiB
	argonThreads = 1
)

// hashPassword returns a password as it is kept: parameters, salt and hash.
func (s *Service) hashPassword(ctx context.Context, password string) (string, error) {
	if len(password) < 8 || len(password) > 200 {
		return "", invalid("a password has 8 to 200 bytes")
	}
	salt := make([]byte, 16)
	rand.Read(salt) // never fails
	sum, err := s.argon(ctx, password, salt, argonTime, argonMemory, argonThreads)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads, code.EncodeToString(salt), code.EncodeToString(sum)), nil
}

// checkPassword reports whether a password is the one that was kept.
func (s *Service) checkPassword(ctx context.Context, kept, password string) (bool, error) {
	parts := strings.Split(kept, "$")
	var version, memory, time, threads uint32
	if len(parts) != 6 || len(password) > 200 {
		return false, nil
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &threads); err != nil || version != argon2.Version {
		return false, fmt.Errorf("server: the password was kept in a form that is not known: %s", parts[2]+"$"+parts[3])
	}
	salt, err := code.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("server: salt: %w", err)
	}
	want, err := code.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("server: hash: %w", err)
	}
	got, err := s.argon(ctx, password, salt, time, memory, threads)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// argon computes a hash, a few at once at most.
func (s *Service) argon(ctx context.Context, password string, salt []byte, time, memory, threads uint32) ([]byte, error) {
	select {
	case s.cipher <- struct{}{}:
		defer func() { <-s.cipher }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, time, memory, uint8(threads), 32), nil
}
