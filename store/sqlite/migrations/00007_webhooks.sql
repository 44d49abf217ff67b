-- +goose Up
-- Where a board tells what happens on it, and up to which vote and action it has.
CREATE TABLE webhooks (
	id      TEXT PRIMARY KEY,
	board   TEXT NOT NULL REFERENCES boards (id),
	url     TEXT NOT NULL,
	secret  BLOB NOT NULL,
	events  TEXT NOT NULL,
	vote    INTEGER NOT NULL,
	action  INTEGER NOT NULL,
	settled BOOLEAN NOT NULL,
	worker  TEXT NOT NULL,
	until   INTEGER NOT NULL,
	tries   INTEGER NOT NULL,
	next    INTEGER NOT NULL,
	says    TEXT NOT NULL,
	created INTEGER NOT NULL
);
CREATE INDEX webhooks_of_board ON webhooks (board, created);
