//go:build !linux

package population

import "fmt"

type mapping struct {
	dir  string
	data []byte
	also []*mapping // close with it
}

func newMapping(string, int) (*mapping, error) {
	return nil, fmt.Errorf("population: votes on disk are for Linux only: keep them in memory")
}

func (m *mapping) release() {}
func (m *mapping) close()   {}
