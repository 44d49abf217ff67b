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
	if len(votes) != 1 || votes[0].Key != "k" || votes[0].Time.Unix() != 2 || votes[0].Set != "" || b.Settings.Ask != store.Pairs {
		t.Errorf("version %d: votes %+v", version, votes)
	}
	if version >= 2 {
		if s, err := st.Snapshot(ctx, "a", "single"); err != nil || string(s.Bytes) != "7" {
			t.Errorf("version %d: snapshot %+v, %v", version, s, err)
		}
	}
	if _, fresh, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k2", 0, 1)}); err != nil || !fresh {
		t.Errorf("version %d: a new vote: %v", version, err)
	}
	several := vote("a", "ann", "k3", 0, 1)
	several.Set = store.NewSet(store.Ranking, []int{1, 0}, []int{0, 1})
	if v, fresh, err := st.Append(ctx, store.Entry{Vote: several}); err != nil || !fresh || v.Set != several.Set {
		t.Errorf("version %d: a vote on several: %+v, %v", version, v, err)
	}
}

// Version3 looks into a store that was written by the server before there were
// ballots: a made-up board on which one voter told a pair four times and took a vote
// back, another voted and skipped, and a file without voters was imported.
func Version3(t *testing.T, st store.Store) {
	t.Helper()
	ctx := t.Context()
	boards, err := st.Boards(ctx)
	ok(t, err)
	if len(boards) != 1 || boards[0].Title != "Made-up lunch" {
		t.Fatalf("boards %+v", boards)
	}
	b := boards[0].ID
	votes, err := st.Votes(ctx, b, 0, 100)
	ok(t, err)
	voters, err := st.Voters(ctx, b)
	ok(t, err)
	if len(votes) != 13 || len(voters) != 4 {
		t.Fatalf("%d votes, %d voters", len(votes), len(voters))
	}
	ids := map[string]string{}
	for _, v := range voters {
		ids[v.Name] = v.ID
	}
	if ids["imported"] != "nobody" {
		t.Errorf("votes without a voter are those of %q", ids["imported"])
	}
	for _, v := range votes[9:] {
		if v.Voter != "nobody" || v.Policy != "import" {
			t.Errorf("imported: %+v", v)
		}
	}
	ann, err := st.Ballot(ctx, b, ids["ann"])
	ok(t, err)
	if ann != (store.Ballot{}) {
		t.Errorf("a ballot from before there were any: %+v", ann)
	}
	q := store.Question{Key: "q", Left: 0, Right: 3, Time: noon}
	ok(t, st.Pose(ctx, b, ids["ann"], ann, q))
	if v, fresh, err := st.Append(ctx, store.Entry{Vote: vote(b, ids["ann"], "q", 0, 3), Answers: true}); err != nil || !fresh || v.Seq != 14 {
		t.Errorf("a new vote: %+v, %v, %v", v, fresh, err)
	}
}
