-- +goose Up
CREATE TABLE imports (
	id       TEXT PRIMARY KEY,
	board    TEXT NOT NULL REFERENCES boards (id),
	actor    TEXT NOT NULL,
	name     TEXT NOT NULL,
	settings TEXT NOT NULL,
	state    TEXT NOT NULL,
	rows     INTEGER NOT NULL,
	done     INTEGER NOT NULL,
	added    INTEGER NOT NULL,
	bad      INTEGER NOT NULL,
	says     TEXT NOT NULL,
	worker   TEXT NOT NULL,
	until    INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	changed  INTEGER NOT NULL
);
CREATE INDEX imports_of_board ON imports (board, created);
CREATE TABLE import_parts (
	import TEXT NOT NULL REFERENCES imports (id),
	part   INTEGER NOT NULL,
	bytes  BLOB NOT NULL,
	PRIMARY KEY (import, part)
);
