// Package archtest holds the architecture to its word: the table of packages
// in docs/architecture.md, as a test.
//
// Every package of the module has a row that says what of the module it may
// import. A package imports only from rows above its own, so that there is one
// direction. The test reads the sources themselves, under all build tags, and
// leaves test files alone: tests may look at anything.
//
// To add a package, or an import, change the table here and in the document;
// the test fails until both say the same.
package archtest
