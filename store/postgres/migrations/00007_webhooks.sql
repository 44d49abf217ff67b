-- +goose Up
-- Where a board tells what happens on it, and up to which vote and action it has.
CREATE TABLE webhooks (
	id      TEXT PRIMARY KEY,
	board   TEXT NOT NULL REFERENCES boards (id),
	url     TEXT NOT NULL,
	secret  BYTEA NOT NULL,
	events  TEXT NOT NULL,
	vote    BIGINT NOT NULL,
	action  BIGINT NOT NULL,
	settled BOOLEAN NOT NULL,
	worker  TEXT NOT NULL,
	until   BIGINT NOT NULL,
	tries   INTEGER NOT NULL,
	next    BIGINT NOT NULL,
	says    TEXT NOT NULL,
	created BIGINT NOT NULL
);
CREATE INDEX webhooks_of_board ON webhooks (board, created);
