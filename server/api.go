package server

import "net/http"

// api serves the JSON interface.
func (s *Service) api(*http.ServeMux) {}
