-- +goose Up
CREATE TABLE actions (
	seq    INTEGER PRIMARY KEY AUTOINCREMENT,
	board  TEXT NOT NULL,
	actor  TEXT NOT NULL,
	verb   TEXT NOT NULL,
	object TEXT NOT NULL,
	reason TEXT NOT NULL,
	time   INTEGER NOT NULL
);
CREATE INDEX actions_on_board ON actions (board, seq);
CREATE TABLE tokens (
	board   TEXT NOT NULL REFERENCES boards (id),
	name    TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE,
	scopes  TEXT NOT NULL,
	revoked BOOLEAN NOT NULL,
	created INTEGER NOT NULL,
	PRIMARY KEY (board, name)
);
CREATE TABLE media (
	board  TEXT NOT NULL,
	digest TEXT NOT NULL,
	type   TEXT NOT NULL,
	bytes  BLOB NOT NULL,
	PRIMARY KEY (board, digest)
);
CREATE TABLE snapshots (
	board  TEXT NOT NULL REFERENCES boards (id),
	kind   TEXT NOT NULL,
	seq    INTEGER NOT NULL,
	action INTEGER NOT NULL,
	bytes  BLOB NOT NULL,
	time   INTEGER NOT NULL,
	PRIMARY KEY (board, kind)
);
