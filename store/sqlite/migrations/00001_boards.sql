-- +goose Up
CREATE TABLE boards (
	id         TEXT PRIMARY KEY,
	title      TEXT NOT NULL,
	question   TEXT NOT NULL,
	access     TEXT NOT NULL,
	closed     BOOLEAN NOT NULL,
	public     BOOLEAN NOT NULL,
	settings   TEXT NOT NULL,
	features   TEXT NOT NULL,
	owner_hash BLOB,
	password   TEXT NOT NULL,
	created    INTEGER NOT NULL
);
CREATE TABLE items (
	board    TEXT NOT NULL REFERENCES boards (id),
	number   INTEGER NOT NULL,
	id       TEXT NOT NULL,
	kind     TEXT NOT NULL,
	body     TEXT NOT NULL,
	url      TEXT NOT NULL,
	media    TEXT NOT NULL,
	features TEXT NOT NULL,
	excluded TEXT NOT NULL,
	created  INTEGER NOT NULL,
	PRIMARY KEY (board, number),
	UNIQUE (board, id)
);
CREATE TABLE voters (
	board    TEXT NOT NULL REFERENCES boards (id),
	id       TEXT NOT NULL,
	name     TEXT NOT NULL,
	subject  TEXT,
	excluded TEXT NOT NULL,
	created  INTEGER NOT NULL,
	PRIMARY KEY (board, id),
	UNIQUE (board, subject)
);
CREATE TABLE votes (
	seq        INTEGER PRIMARY KEY AUTOINCREMENT,
	board      TEXT NOT NULL,
	voter      TEXT NOT NULL,
	key        TEXT NOT NULL,
	lft        INTEGER NOT NULL,
	rgt        INTEGER NOT NULL,
	outcome    INTEGER NOT NULL,
	reason     TEXT NOT NULL,
	undoes     INTEGER NOT NULL,
	policy     TEXT NOT NULL,
	propensity REAL NOT NULL,
	response   INTEGER NOT NULL,
	time       INTEGER NOT NULL,
	UNIQUE (board, voter, key),
	FOREIGN KEY (board, voter) REFERENCES voters (board, id),
	FOREIGN KEY (board, lft) REFERENCES items (board, number),
	FOREIGN KEY (board, rgt) REFERENCES items (board, number)
);
CREATE INDEX votes_of_board ON votes (board, seq);
CREATE TABLE secrets (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
);
