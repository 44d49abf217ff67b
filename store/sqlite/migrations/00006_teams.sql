-- +goose Up
-- What voters may do on a board, and until when.
ALTER TABLE boards ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';
-- How often a voter was given another link, or had it taken away.
ALTER TABLE voters ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;
-- Further owners of a board.
CREATE TABLE owners (
	board   TEXT NOT NULL REFERENCES boards (id),
	id      TEXT NOT NULL,
	name    TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE,
	created INTEGER NOT NULL,
	PRIMARY KEY (board, id)
);
-- Why a voter answered so.
CREATE TABLE comments (
	seq   INTEGER PRIMARY KEY REFERENCES votes (seq),
	board TEXT NOT NULL,
	voter TEXT NOT NULL,
	text  TEXT NOT NULL
);
CREATE INDEX comments_on_board ON comments (board, seq);
-- Items that voters propose; item is the number of the one it became, or −1.
CREATE TABLE proposals (
	board   TEXT NOT NULL,
	id      TEXT NOT NULL,
	voter   TEXT NOT NULL,
	body    TEXT NOT NULL,
	state   TEXT NOT NULL,
	item    INTEGER NOT NULL,
	reason  TEXT NOT NULL,
	created INTEGER NOT NULL,
	PRIMARY KEY (board, id),
	FOREIGN KEY (board, voter) REFERENCES voters (board, id)
);
CREATE INDEX proposals_of_voter ON proposals (board, voter);
