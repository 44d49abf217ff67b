package population

import (
	"fmt"
	"syscall"
)

// mapping is a file in the place of memory: the system reads and writes its
// pages as they are used. The file has no name, so that nothing is left behind
// however the process ends.
type mapping struct {
	dir  string
	data []byte
	also []*mapping // close with it
}

func newMapping(dir string, size int) (*mapping, error) {
	f, err := unnamed(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size = max(size, 1)
	// Room is taken at once: a full disk is an error here, and a crash later.
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil {
		return nil, fmt.Errorf("population: %d MB for votes on disk in %s: %w", size>>20, dir, err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("population: votes on disk: %w", err)
	}
	return &mapping{dir: dir, data: data}, nil
}

// release gives the memory of the pages in use back; the file keeps what they
// hold.
func (m *mapping) release() {
	if m != nil && m.data != nil {
		syscall.Madvise(m.data, syscall.MADV_DONTNEED) // a hint: not heeding it costs memory only
	}
}

func (m *mapping) close() {
	for _, o := range m.also {
		o.close()
	}
	if m.data != nil {
		syscall.Munmap(m.data)
		m.data = nil
	}
}
