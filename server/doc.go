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
// posterior. Undo is a further record.
//
// # The law of votes
//
// A voter has at most one open question on a board. Asking again returns it, and
// only an answer to it is taken; a question counts once, however often it is told.
// Undo takes back what the voter said last and makes its pair the open question.
//
// A voter has at most one standing vote on a pair: what they said last, unless it
// was taken back. A vote that a program tells in the voter's name, or that a file
// holds, is an answer like any other: the later one stands. Votes of a file that
// names no voters are of people unknown, and all stand.
//
// The law holds for any number of connections, and of servers on one database:
// the store has the last word on which question is open (store.Ballot), and what
// stands follows from the log alone, in whatever order a server hears of it.
//
// # What may be deleted
//
// Votes are a log, but whoever cast them can have them deleted ([Service.Erase]): the
// board is then read anew, on every server, and is what it would be without them. A board
// is deleted by its owner ([Service.Delete]), who can take that back for a day.
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
// Personal boards come from the population model, which another worker learns in
// the background, within the same share, once somebody asks for one; a voter is
// folded into it with the votes there are now. Rankings of groups are learnt there,
// too. Before the first is there, the consensus stands in, and says so.
//
// Nothing slow is done under a board's lock. Lists of votes are only appended to, so
// that whoever needs all of them, to fit, to count or to export, reads a moment off
// in a time that does not depend on their number, and works on that. Choosing a pair
// works on a copy of the posterior, which is made once a vote at most.
//
// # A space in place of a list
//
// The items of a board may be points of a space of parameters (store.Space): two are
// added with every question, which a tune.Search chooses. Its fit in the background and
// what it has found, [Service.Best], take the place of the model of items; votes, voters
// and all else are those of any board.
//
// # Caveats
//
// A board holds at most [MaxItems] items. Rate limits and the pairs that others
// are looking at are kept by each process for itself.
package server
