// Package store keeps what the server must not lose: boards, their items and
// voters, the votes, what owners did, and snapshots of models.
//
//	st, err := sqlite.Open(ctx, "palate.db") // or postgres.Open(ctx, dsn)
//	defer st.Close()
//	v, fresh, err := st.Append(ctx, store.Entry{Vote: store.Vote{Board: b, Voter: u, Key: key, Left: 3, Right: 7}})
//
// [Store] is the contract; store/sqlite and store/postgres implement it, and
// store/storetest holds both to the same laws.
//
// # Two logs
//
// Votes and actions are append-only logs. A vote is never changed: to take one
// back is a further record that names it (Vote.Undoes). Only EraseVoter and DropBoard
// delete records. What an owner changes is
// changed together with the record of it ([Action]) in one transaction. Every
// record has a number, Seq, that grows in the order in which records become
// visible, over all boards and all processes: whoever has read up to n has
// missed nothing below n. Processes that share a database follow each other by
// reading on from there.
//
// # Once, and for good
//
// Append returns after the vote is on disk: it survives the end of the process
// and of the machine. Votes that arrive together share one write. A vote whose
// voter has used the same key before on that board is not stored again: Append
// returns the first one, and that it is not fresh. A client that has heard
// nothing may therefore send again.
//
// # One question at a time
//
// A voter has at most one open question on a board ([Ballot]), whatever process
// asks: Pose opens it only if nothing else has happened meanwhile, and an answer
// is stored only while its question is open. A vote that fails, as one with text
// that the database refuses, fails alone: those that shared its write are written
// again one by one.
//
// # Caveats
//
// A snapshot is bytes to this package, and so is a secret. Times are kept to the
// microsecond in UTC. Tokens and links are kept as hashes only; nothing here
// holds an address of a person or a machine.
package store
