// Package cli is what the commands of the module have in common: how a command line is
// prepared and run, its exit codes, signals, files that are written whole or not at all,
// and notes and progress on standard error.
//
//	func main() { os.Exit(cli.Run(newRoot(), os.Args[1:])) }
//
// [Prepare] takes a tree of commands and makes all of it explain what is wrong with a
// command line in the same words. A command that finds a mistake of usage itself returns
// [Usage]; all other errors of its work end with the exit code 1.
//
// A command writes its result to an [Output], and puts it into place by Commit. When
// the process is told to stop, the context of the command ends; it returns, and what it
// had not committed is as if it had never begun. A command that does not return in time
// is ended; one with the annotation [InOrder] is given longer, and ends well.
package cli
