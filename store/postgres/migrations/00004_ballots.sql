-- +goose Up
-- What a voter did last, and the question that waits for an answer; key is empty
-- when there is none.
CREATE TABLE ballots (
	board      TEXT NOT NULL,
	voter      TEXT NOT NULL,
	seq        BIGINT NOT NULL,
	key        TEXT NOT NULL,
	lft        INTEGER NOT NULL,
	rgt        INTEGER NOT NULL,
	policy     TEXT NOT NULL,
	propensity DOUBLE PRECISION NOT NULL,
	asked      BIGINT NOT NULL,
	PRIMARY KEY (board, voter),
	FOREIGN KEY (board, voter) REFERENCES voters (board, id)
);
-- Votes of files that name no voter were kept as those of one of the name
-- "imported"; they are votes of people unknown, of whom each may have said
-- something else about the same pair.
INSERT INTO voters (board, id, name, grp, subject, excluded, created)
	SELECT board, 'nobody', name, grp, 'nobody', excluded, created FROM voters
	WHERE subject = 'name:n7mce85x9r7hrt8eswkjqqehh60brp2yddmz9nh6asux30vmbfja';
UPDATE votes SET voter = 'nobody' WHERE EXISTS (
	SELECT 1 FROM voters WHERE voters.board = votes.board AND voters.id = votes.voter
	AND voters.subject = 'name:n7mce85x9r7hrt8eswkjqqehh60brp2yddmz9nh6asux30vmbfja');
DELETE FROM voters WHERE subject = 'name:n7mce85x9r7hrt8eswkjqqehh60brp2yddmz9nh6asux30vmbfja';
