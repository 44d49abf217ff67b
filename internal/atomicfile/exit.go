package atomicfile

import (
	"os"
	"slices"
	"sync"
)

// pending is what must be undone when the process ends, oldest first. It belongs
// to the process, as its end does.
var pending struct {
	sync.Mutex
	undos []*Undo
}

// Undo is something that must not outlast the process.
type Undo struct{ undo func() }

// OnExit has f called when the process ends by Exit, unless Settle comes first.
func OnExit(f func()) *Undo {
	u := &Undo{f}
	pending.Lock()
	defer pending.Unlock()
	pending.undos = append(pending.undos, u)
	return u
}

// Settle does the last step, after which there is nothing to undo; nil is none. If
// the process ends meanwhile, the step is done as a whole or not at all. After a
// step that fails there is still something to undo.
func (u *Undo) Settle(last func() error) error {
	pending.Lock()
	defer pending.Unlock()
	if last != nil {
		if err := last(); err != nil {
			return err
		}
	}
	pending.undos = slices.DeleteFunc(pending.undos, func(o *Undo) bool { return o == u })
	return nil
}

// Exit undoes what is pending, the newest first, and ends the process. Whoever
// begins or settles something from then on waits for an end that is near.
func Exit(code int) {
	pending.Lock()
	for _, u := range slices.Backward(pending.undos) {
		u.undo()
	}
	os.Exit(code)
}
