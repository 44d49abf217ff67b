// Package doctest keeps the documents true. Its tests read README.md,
// CONTRIBUTING.md and docs/ and check that
//
//   - every console block, run as it stands, prints what it shows;
//   - every Go block is part of a tested example;
//   - every function, type, test and file that is named exists;
//   - the way of a vote in docs/architecture.md is the one that it takes;
//   - every link within the project leads somewhere.
//
// In a console block a line that begins with "$ " is a command and the lines up
// to the next one are its output, standard output and error together. A line
// "…" stands for lines left out; numbers with four decimals or more need agree
// to three only. The blocks of one document share a folder, in
// order, which is empty at first.
package doctest
