-- +goose Up
CREATE TABLE imports (
	id       TEXT PRIMARY KEY,
	board    TEXT NOT NULL REFERENCES boards (id),
	actor    TEXT NOT NULL,
	name     TEXT NOT NULL,
	settings TEXT NOT NULL,
	state    TEXT NOT NULL,
	rows     BIGINT NOT NULL,
	done     BIGINT NOT NULL,
	added    BIGINT NOT NULL,
	bad      BIGINT NOT NULL,
	says     TEXT NOT NULL,
	worker   TEXT NOT NULL,
	until    BIGINT NOT NULL,
	created  BIGINT NOT NULL,
	changed  BIGINT NOT NULL
);
CREATE INDEX imports_of_board ON imports (board, created);
CREATE TABLE import_parts (
	import TEXT NOT NULL REFERENCES imports (id),
	part   INTEGER NOT NULL,
	bytes  BYTEA NOT NULL,
	PRIMARY KEY (import, part)
);
