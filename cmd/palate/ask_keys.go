package main

import (
	"bufio"
	"io"
	"os"

	"golang.org/x/term"

	"palate/internal/atomicfile"
)

// key is what a person wants to say.
type key int

const (
	noKey key = iota
	leftKey
	rightKey
	tieKey
	skipKey
	undoKey
	quitKey
	thirdKey // and those after it, to the ninth
)

// place is which of several things a key stands for, from 0 on, if any.
func (k key) place() (int, bool) {
	switch {
	case k == leftKey:
		return 0, true
	case k == rightKey:
		return 1, true
	}
	return 2 + int(k-thirdKey), k >= thirdKey
}

// keyboard reads keys from standard input, one at a time without Enter where it
// is a terminal. restore gives the terminal back.
func keyboard() (keys <-chan key, restore func(), err error) {
	restore = func() {}
	if fd := int(os.Stdin.Fd()); term.IsTerminal(fd) {
		old, err := term.MakeRaw(fd)
		if err != nil {
			return nil, nil, err
		}
		raw := atomicfile.OnExit(func() { term.Restore(fd, old) })
		restore = func() { raw.Settle(func() error { return term.Restore(fd, old) }) }
	}
	c := make(chan key)
	go readKeys(os.Stdin, c)
	return c, restore, nil
}

// readKeys sends the keys of a reader; its end is quitting.
func readKeys(r io.Reader, to chan<- key) {
	in := bufio.NewReader(r)
	for {
		b, err := in.ReadByte()
		if err != nil {
			to <- quitKey
			return
		}
		if b == 0x1b { // an arrow is ESC [ C or ESC [ D
			if second, _ := in.ReadByte(); second == '[' || second == 'O' {
				b, _ = in.ReadByte()
				switch b {
				case 'D':
					to <- leftKey
				case 'C':
					to <- rightKey
				}
			}
			continue
		}
		if k, ok := map[byte]key{
			'1': leftKey, '2': rightKey, 't': tieKey, 's': skipKey, 'u': undoKey, 'q': quitKey,
			3: quitKey, 4: quitKey, // Ctrl-C and Ctrl-D reach a raw terminal as they are
		}[b]; ok {
			to <- k
		} else if b >= '3' && b <= '9' {
			to <- thirdKey + key(b-'3')
		}
	}
}
