// Package server turns boards into a service: who may vote, which pair to ask,
// what the votes say so far.
//
//	st, err := sqlite.Open(ctx, "palate.db")
//	svc, err := server.New(ctx, st, server.Options{})
//	defer svc.Close()
//	made, err := svc.Create(ctx, server.NewBoard{Title: "Lunch", Items: items})
//	q, err := svc.Ask(ctx, made.Board.ID, voter)
//	r, err := svc.Tell(ctx, made.Board.ID, voter, server.Answer{Question: q.Token, Outcome: palate.Left})
//	b, err := svc.Leaderboard(ctx, made.Board.ID, server.View{})
//
// A voter comes from [Service.Invite], or by a [Pass]: see [Service.Join]. A
// [Service] knows nothing of HTTP. Its errors wrap one of a few kinds (errors.go),
// which its faces turn into words of their own: server/web is the JSON interface
// and the checks that every request passes, server/ui the pages. Who is asking
// they find out by [Service.Identify], and what that one may do by the methods
// of permit.go.
//
// # A vote
//
// Ask chooses a pair and returns it with a signed token that says what was
// shown, to whom, and with which probability it was chosen. Tell takes the token
// back with the answer. The vote is on disk when Tell returns, and in the
// posterior. A question counts once, however often it is told; Undo is a further
// record.
//
// # Live inference
//
// Every board in use has its votes in memory and a model.Linked that folds each
// new vote in, in O(n²). A worker refits boards in the background, scale and tie
// margin included, takes no more than a share of one processor, and blocks
// nobody: votes that arrive meanwhile are folded into its result before it takes
// the place of the old one. The state is a function of the votes, so that it
// is the same after a restart; a snapshot of the last fit only saves time.
// Several processes on one database follow each other's votes.
//
// Personal boards come from the population model: the population is refitted in
// the background, and a voter is folded into it with the votes there are now.
//
// # Caveats
//
// A board holds at most [MaxItems] items. Rate limits and the pairs that others
// are looking at are kept by each process for itself.
package server
