package server

import "crypto/subtle"

// NeedsAdmin reports whether boards are made with the server's token only.
func (s *Service) NeedsAdmin() bool { return s.options.Admin != "" }

// HasSSO reports whether there is an identity provider that voters can sign in
// with.
func (s *Service) HasSSO() bool { return s.options.SSO != nil }

// MayCreate says why whoever holds this token may not make a board.
func (s *Service) MayCreate(token string) error {
	if !s.NeedsAdmin() || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Admin)) == 1 {
		return nil
	}
	return forbidden("boards are made with the server's token")
}
