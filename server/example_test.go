package server_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"palate"
	"palate/server"
	"palate/store/sqlite"
)

// A board without HTTP: somebody is invited, asked, and answers.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "palate")
	check(err)
	defer os.RemoveAll(folder)
	st, err := sqlite.Open(ctx, filepath.Join(folder, "palate.db"))
	check(err)
	defer st.Close()
	svc, err := server.New(ctx, st, server.Options{Seed: 1})
	check(err)
	defer svc.Close()

	made, err := svc.Create(ctx, server.NewBoard{Title: "Lunch", Items: []server.NewItem{{Body: "soup"}, {Body: "pie"}, {Body: "salad"}}})
	check(err)
	invited, err := svc.Invite(ctx, made.Board.ID, "owner", "", []string{"Ann"})
	check(err)
	ann := invited[0].Voter.ID
	for range 3 { // Ann likes what comes first in the alphabet
		q, err := svc.Ask(ctx, made.Board.ID, ann)
		check(err)
		a := server.Answer{Question: q.Token, Outcome: palate.Left}
		if q.Right.ID < q.Left.ID {
			a.Outcome = palate.Right
		}
		_, err = svc.Tell(ctx, made.Board.ID, ann, a)
		check(err)
	}
	board, err := svc.Leaderboard(ctx, made.Board.ID, server.View{})
	check(err)
	for _, r := range board.Groups[0].Rows {
		fmt.Println(r.Rank, r.ID)
	}
	// Output:
	// 1 pie
	// 2 salad
	// 3 soup
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
