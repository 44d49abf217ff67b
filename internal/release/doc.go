// Command release builds what is published of a version: for each system a packed folder
// with a stripped, static binary, completions for shells and manual pages; a bill of
// materials of each binary in CycloneDX's JSON; and the checksums of all.
//
//	go run ./internal/release -o dist
//
// Nothing depends on the folder, the user or the time, so that two builds of one commit by
// one version of Go are the same to the last bit, wherever they are made: paths are trimmed,
// the commit is told to the linker rather than found by Go, which does not look into every
// kind of checkout, and files in archives have the time of the commit.
package main
