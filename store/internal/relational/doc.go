// Package relational is a store over database/sql, for databases that differ
// only in what a [Dialect] says.
//
// The statements are written once, in the SQL that SQLite and PostgreSQL share.
// All writing passes through one transaction at a time, under a lock where several
// processes write, so that numbers of records grow in the order in which they
// become visible. Votes that arrive while a transaction runs wait for the next
// one and share it: under load one write to disk serves many votes.
package relational
