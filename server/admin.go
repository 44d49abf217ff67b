package server

import (
	"crypto/subtle"
	"time"
)

// NeedsAdmin reports whether boards are made with the server's token only.
func (s *Service) NeedsAdmin() bool { return s.options.Admin != "" }

// HasSSO reports whether there is an identity provider that voters can sign in
// with.
func (s *Service) HasSSO() bool { return s.options.SSO != nil }

// EnterAdmin lets who knows the server's token in, to make boards.
func (s *Service) EnterAdmin(token string, shown Shown) (Pass, error) {
	if err := s.tried("", shown); err != nil {
		return Pass{}, err
	}
	if err := s.MayCreate(token); err != nil {
		return Pass{}, err
	}
	c := session{Admin: s.adminMark(), Until: time.Now().Add(ownersStay).Unix()}
	return Pass{Identity{}, AsAdmin, s.sign(c), ownersStay}, nil
}

// IsAdmin reports whether the pass of EnterAdmin is among what a request shows, or none
// is needed.
func (s *Service) IsAdmin(shown Shown) bool {
	c, ok := s.session(shown.Passes[AsAdmin])
	return !s.NeedsAdmin() || ok && c.Admin != "" && c.Admin == s.adminMark()
}

// adminMark names the token that the server has now.
func (s *Service) adminMark() string { return mark(hashed(s.options.Admin)) }

// MayCreate says why whoever holds this token may not make a board.
func (s *Service) MayCreate(token string) error {
	if !s.NeedsAdmin() || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Admin)) == 1 {
		return nil
	}
	return forbidden("boards are made with the server's token")
}
