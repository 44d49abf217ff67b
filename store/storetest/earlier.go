package storetest

import (
	"database/sql"
	"testing"

	"palate/store"
)

// Migrations opens the tables of each version before the newest with this one;
// earlier makes a place with the tables of a version.
func Migrations(t *testing.T, newest int, earlier func(t *testing.T, version int) (db *sql.DB, place string), open Opener) {
	for v := 1; v < newest; v++ {
		db, place := earlier(t, v)
		fillEarlier(t, db, v)
		db.Close()
		st, _ := open(t, place)
		checkEarlier(t, st, v)
		st.Close()
	}
}

// fillEarlier puts a board with a vote, and what else there was then, into the
// tables of an earlier version.
func fillEarlier(t *testing.T, db *sql.DB, version int) {
	t.Helper()
	script := []string{
		`INSERT INTO boards (id, title, question, access, closed, public, settings, features, password, created) VALUES ('a', 'Lunch', 'Which?', 'open', FALSE, TRUE, '{"goal":"best"}', 'null', '', 1000000)`,
		`INSERT INTO items (board, number, id, kind, body, url, media, features, excluded, created) VALUES ('a', 0, 'soup', 'text', 'Soup', '', '', 'null', '', 0), ('a', 1, 'pie', 'text', 'Pie', '', '', 'null', '', 0)`,
		`INSERT INTO voters (board, id, name, excluded, created) VALUES ('a', 'ann', 'Ann', '', 0)`,
		`INSERT INTO votes (board, voter, key, lft, rgt, outcome, reason, undoes, policy, propensity, response, time) VALUES ('a', 'ann', 'k', 0, 1, 1, '', 0, 'random', 0.5, 0, 2000000)`,
		`INSERT INTO secrets (name, value) VALUES ('cookies', '12')`,
	}
	if version >= 2 {
		script = append(script,
			`INSERT INTO actions (board, actor, verb, object, reason, time) VALUES ('a', 'owner', 'create', '', '', 0)`,
			`INSERT INTO snapshots (board, kind, seq, action, bytes, time) VALUES ('a', 'single', 1, 1, '7', 0)`)
	}
	for _, s := range script {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("version %d: %s: %v", version, s, err)
		}
	}
}

// checkEarlier looks for what fillEarlier put there.
func checkEarlier(t *testing.T, st store.Store, version int) {
	t.Helper()
	ctx := t.Context()
	b, err := st.Board(ctx, "a")
	ok(t, err)
	if b.Title != "Lunch" || b.Settings.Goal != "best" || !b.Public || b.Closed {
		t.Errorf("version %d: board %+v", version, b)
	}
	v, err := st.Voter(ctx, "a", "ann")
	ok(t, err)
	if v.Name != "Ann" || v.Group != "" {
		t.Errorf("version %d: voter %+v", version, v)
	}
	votes, err := st.Votes(ctx, "a", 0, 10)
	ok(t, err)
	if len(votes) != 1 || votes[0].Key != "k" || votes[0].Time.Unix() != 2 {
		t.Errorf("version %d: votes %+v", version, votes)
	}
	if version >= 2 {
		if s, err := st.Snapshot(ctx, "a", "single"); err != nil || string(s.Bytes) != "7" {
			t.Errorf("version %d: snapshot %+v, %v", version, s, err)
		}
	}
	if _, fresh, err := st.Append(ctx, vote("a", "ann", "k2", 0, 1)); err != nil || !fresh {
		t.Errorf("version %d: a new vote: %v", version, err)
	}
}
