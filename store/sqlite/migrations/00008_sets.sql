-- +goose Up
-- Several items that were shown together, and where they were put; empty for a pair.
ALTER TABLE votes ADD COLUMN several TEXT NOT NULL DEFAULT '';
ALTER TABLE ballots ADD COLUMN several TEXT NOT NULL DEFAULT '';
