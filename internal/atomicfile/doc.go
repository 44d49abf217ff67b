// Package atomicfile writes files beside the place where they belong and puts them
// there when they are whole, so that whoever looks sees the file as it was or the
// new one, and nothing in between.
//
//	f, err := atomicfile.Create("board.csv")
//	if err != nil {
//		return err
//	}
//	defer f.Discard()
//	…                  // write to f, and f.ReadBack
//	return f.Commit()
//
// A process that is told to end may be anywhere: deep in a computation, or half
// through a write. It ends by Exit, which first takes away what is not whole. What
// else must not outlast the process is announced with OnExit: a terminal that hands
// over single keys, a server that runs beside.
//
// Exit cannot help where the process is not asked, as when it is killed: then a file
// named PATH.XXXXXXXX.tmp may stay behind, and PATH is still as it was.
package atomicfile
