package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"palate/store"
)

// movingVotes is a file of votes up to now: i0 was better than i1 at first, and is worse for
// the last third of the days, i2 is below both.
func movingVotes(days int) string {
	var file strings.Builder
	file.WriteString("user,left,right,winner,time\n")
	for day := range days {
		at := time.Now().UTC().AddDate(0, 0, day-days+1).Add(-time.Minute)
		winner, loser := "i0", "i1"
		if 3*day >= 2*days {
			winner, loser = loser, winner
		}
		for k := range 3 {
			pair := [2]string{winner, loser}
			if k == 2 {
				pair = [2]string{pair[day%2], "i2"}
			}
			fmt.Fprintf(&file, "v%d,%s,%s,left,%s\n", day*3+k, pair[0], pair[1], at.Add(time.Duration(k)*time.Second).Format(time.RFC3339))
		}
	}
	return file.String()
}

// TestMovingBoard: where the owner says that utilities may move the leaderboard is as of now, by
// all processes and after a restart, and without it of all the time; a young board is as it was.
func TestMovingBoard(t *testing.T) {
	s, st := start(t, Options{Poll: 10 * time.Millisecond})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(3), Settings: store.Settings{Over: "day"}}).Board.ID
	shows := func(s *Service, best, as string) {
		t.Helper()
		settle(t, s, b)
		wait(t, func() bool { // what was made a moment ago may be shown
			board, err := s.Leaderboard(ctx, b, View{})
			if err != nil {
				t.Fatal(err)
			}
			return board.Rows()[0].ID == best && board.AsOf == as
		})
	}
	ann := voterNamed(t, s, b, "ann")
	if err := free(t, s, b, ann, "i0", "i2"); err != nil {
		t.Fatal(err)
	}
	shows(s, "i0", "")
	i, err := s.Import(ctx, b, "owner", "votes.csv", strings.NewReader(movingVotes(30)), store.ImportSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if i = await(t, s, i); i.Added != 90 {
		t.Fatalf("import %+v", i)
	}
	today := time.Now().UTC().Format("2006-01-02")
	shows(s, "i1", today)
	if p, err := s.Predict(ctx, b, View{}, "i1", "i0"); err != nil || p < 0.6 {
		t.Errorf("i1 beats i0 with %g, %v", p, err)
	}
	if _, err := s.Ask(ctx, b, ann); err != nil {
		t.Errorf("no question: %v", err)
	}
	shows(startOn(t, st, Options{Seed: 3}), "i1", today)
	if err := s.SetAsking(ctx, b, "owner", store.Pairs, 0, ""); err != nil {
		t.Fatal(err)
	}
	shows(s, "i0", "")
	if err := s.SetAsking(ctx, b, "owner", store.Pairs, 0, "fortnight"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a unit that is none: %v", err)
	}
}
