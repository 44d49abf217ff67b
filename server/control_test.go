package server

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palate"
	"palate/internal/testdb"
	"palate/store"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func exported(t *testing.T, s *Service, board string, o ExportOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Export(t.Context(), board, &out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// free tells a vote on a pair that was not asked for.
func free(t *testing.T, s *Service, board, voter, left, right string) error {
	_, err := s.Tell(t.Context(), board, voter, Answer{Left: left, Right: right, Key: left + right, Outcome: palate.Left})
	return err
}

// TestQuota: of a voter no more votes stand than may, by however many connections and
// servers; skips are free, and an undo gives one back.
func TestQuota(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			servers := []*Service{startOn(t, open(), Options{Poll: 5 * time.Millisecond}), startOn(t, open(), Options{Poll: 5 * time.Millisecond, Seed: 2})}
			ctx, s := t.Context(), servers[0]
			b := makeBoard(t, s, NewBoard{Items: lines(8)}).Board.ID
			if err := s.SetRules(ctx, b, "owner", store.Rules{Quota: 5}); err != nil {
				t.Fatal(err)
			}
			ann := voterNamed(t, s, b, "ann")
			var told atomic.Int32
			var all sync.WaitGroup
			for k := range 16 {
				all.Go(func() {
					err := free(t, servers[k%2], b, ann, fmt.Sprintf("i%d", k%8), fmt.Sprintf("i%d", (k%8+1+k/8)%8))
					switch {
					case err == nil:
						told.Add(1)
					case !errors.Is(err, ErrQuota):
						t.Error(err)
					}
				})
			}
			all.Wait()
			wait(t, func() bool { n, err := s.VotesOf(ctx, b, ann); return err == nil && n == int(told.Load()) })
			if told.Load() != 5 {
				t.Errorf("%d votes of 5 were taken", told.Load())
			}
			if _, err := s.Ask(ctx, b, ann); !errors.Is(err, ErrQuota) {
				t.Errorf("asked all the same: %v", err)
			}
			if _, err := s.Undo(ctx, b, ann); err != nil {
				t.Fatal(err)
			}
			q, err := s.Ask(ctx, b, ann)
			if err != nil || q.Pairs != 1 {
				t.Errorf("after an undo %d pairs are left: %v", q.Pairs, err)
			}
		})
	}
}

// TestClosing: boards close at their date and when their goal is settled, no vote comes
// after, and an owner can open them again.
func TestClosing(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(2), Settings: store.Settings{Goal: "best", Level: 0.6}}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	q := must(s.Ask(ctx, b, ann))
	if err := s.SetRules(ctx, b, "owner", store.Rules{Closes: time.Now().Add(-time.Second)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tell(ctx, b, ann, Answer{Question: q.Token, Outcome: palate.Left}); !errors.Is(err, ErrClosed) {
		t.Errorf("a vote after the date: %v", err)
	}
	if _, err := s.Ask(ctx, b, ann); !errors.Is(err, ErrClosed) {
		t.Errorf("a question after the date: %v", err)
	}
	if got := must(s.Board(ctx, b)); !got.Closed {
		t.Error("the board is not closed after its date")
	}
	s.survey(time.Now())
	log := must(s.Audit(ctx, b))
	if last := log[len(log)-1]; last.Verb != "close" || last.Reason != "date" || last.Actor != "server" {
		t.Errorf("the log ends with %+v", last)
	}
	if err := s.SetClosed(ctx, b, "owner", false); err != nil {
		t.Fatal(err)
	}
	if err := free(t, s, b, ann, "i0", "i1"); err != nil {
		t.Errorf("a vote on a board that was opened again: %v", err)
	}
	for k := range 8 {
		if err := free(t, s, b, voterNamed(t, s, b, fmt.Sprint("v", k)), "i0", "i1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetRules(ctx, b, "owner", store.Rules{WhenSettled: true}); err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool { return must(s.Board(ctx, b)).Closed })
	log = must(s.Audit(ctx, b))
	if last := log[len(log)-1]; last.Reason != "settled" {
		t.Errorf("the log ends with %+v", last)
	}
}

// TestExcludedAreNotAsked, nor heard.
func TestExcludedAreNotAsked(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(3)}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	q := must(s.Ask(ctx, b, ann))
	if err := s.ExcludeVoter(ctx, b, "owner", ann, "a robot"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(ctx, b, ann); !errors.Is(err, ErrExcluded) {
		t.Errorf("asked: %v", err)
	}
	if _, err := s.Tell(ctx, b, ann, Answer{Question: q.Token, Outcome: palate.Left}); !errors.Is(err, ErrExcluded) {
		t.Errorf("heard: %v", err)
	}
	if err := s.Propose(ctx, b, ann, "tea"); !errors.Is(err, ErrExcluded) {
		t.Errorf("proposed: %v", err)
	}
	if err := s.ExcludeVoter(ctx, b, "owner", ann, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tell(ctx, b, ann, Answer{Question: q.Token, Outcome: palate.Left}); err != nil {
		t.Errorf("let in again: %v", err)
	}
}

// TestHidden: rankings are for owners and their programs until the voting has ended.
func TestHidden(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(3), Public: true}).Board.ID
	ann := Identity{Board: b, Voter: voterNamed(t, s, b, "ann")}
	if err := s.SetRules(ctx, b, "owner", store.Rules{Hidden: true}); err != nil {
		t.Fatal(err)
	}
	for name, who := range map[string]Identity{"voter": ann, "stranger": {Board: b}} {
		for _, voter := range []string{"", "me"} {
			if _, err := s.ViewFor(ctx, who, voter, ""); !errors.Is(err, ErrHidden) {
				t.Errorf("%s, %q: %v", name, voter, err)
			}
		}
	}
	for _, who := range []Identity{{Board: b, Owner: true}, {Board: b, Scopes: []Scope{CanRead}}} {
		if _, err := s.ViewFor(ctx, who, "", ""); err != nil {
			t.Errorf("%+v: %v", who, err)
		}
	}
	if err := s.SetClosed(ctx, b, "owner", true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ViewFor(ctx, ann, "me", ""); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestProposals are decided on once, and become items that are asked about.
func TestProposals(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(2)}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	if err := s.Propose(ctx, b, ann, "tea"); !errors.Is(err, ErrForbidden) {
		t.Errorf("where none are taken: %v", err)
	}
	if err := s.SetRules(ctx, b, "owner", store.Rules{Proposals: true}); err != nil {
		t.Fatal(err)
	}
	for k := range proposalsOfVoter + 1 {
		err := s.Propose(ctx, b, ann, fmt.Sprintf("tea %d", k))
		if (err != nil) != (k == proposalsOfVoter) {
			t.Errorf("proposal %d: %v", k, err)
		}
	}
	all := must(s.Proposals(ctx, b, ann))
	var won atomic.Int32
	var owners sync.WaitGroup
	for range 4 {
		owners.Go(func() {
			if _, err := s.Decide(ctx, b, "owner", all[0].ID, true, ""); err == nil {
				won.Add(1)
			} else if !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
		})
	}
	owners.Wait()
	if items := must(s.Items(ctx, b)); won.Load() != 1 || len(items) != 3 || items[2].ID != "tea 0" {
		t.Errorf("accepted %d times, items %+v", won.Load(), items)
	}
	if _, err := s.Decide(ctx, b, "owner", "nothing", true, ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if p, err := s.Decide(ctx, b, "owner", all[1].ID, false, "one tea is enough"); err != nil || p.State != store.Refused || p.Reason != "one tea is enough" {
		t.Errorf("%+v, %v", p, err)
	}
	left := must(s.Ask(ctx, b, ann)).Pairs
	if left != 3 {
		t.Errorf("%d pairs of three items", left)
	}
}

// TestLinks: a link that was taken away or exchanged lets nobody in, nor does what it let
// in before; the votes stay, and the new link is the same voter's.
func TestLinks(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(3), Access: store.Private}).Board.ID
	link := must(s.Invite(ctx, b, "owner", "", []string{"Ann"}))[0]
	who := func(p Pass) string {
		return must(s.Identify(ctx, b, Shown{Passes: map[Role]string{AsVoter: p.Text}})).Voter
	}
	first := must(s.EnterPrivate(ctx, b, link.Secret))
	l := must(s.board(ctx, b))
	for met, k := len(l.met), 0; k < 3; k++ { // coming in again is no news
		if must(s.EnterPrivate(ctx, b, link.Secret)); len(l.met) != met {
			t.Errorf("%d voters were met, %d before", len(l.met), met)
		}
	}
	if err := free(t, s, b, who(first), "i0", "i1"); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeLink(ctx, b, "owner", link.Voter.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EnterPrivate(ctx, b, link.Secret); !errors.Is(err, ErrForbidden) || who(first) != "" {
		t.Errorf("a link that was taken away: %v, and its pass is of %q", err, who(first))
	}
	again := must(s.RenewLink(ctx, b, "owner", link.Voter.ID))
	second := must(s.EnterPrivate(ctx, b, again.Secret))
	if who(second) != link.Voter.ID || who(first) != "" {
		t.Errorf("the new link is of %q, the old pass of %q", who(second), who(first))
	}
	if n := must(s.VotesOf(ctx, b, link.Voter.ID)); n != 1 {
		t.Errorf("%d votes of the voter", n)
	}
	if _, err := s.RenewLink(ctx, b, "owner", voterNamed(t, s, b, "a program's")); !errors.Is(err, ErrInvalid) {
		t.Errorf("a link for who has none: %v", err)
	}
}

// TestTeam: further owners do what owners do, under their names, but for what is the first
// one's; who was removed is a stranger.
func TestTeam(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	made := makeBoard(t, s, NewBoard{Items: lines(3)})
	b := made.Board.ID
	eve := must(s.AddOwner(ctx, b, "owner", "Eve"))
	pass := must(s.EnterOwner(ctx, b, eve.Secret))
	who := func() Identity {
		return must(s.Identify(ctx, b, Shown{Passes: map[Role]string{AsOwner: pass.Text}}))
	}
	if id := who(); !id.Owner || id.Head || id.Actor != "owner: Eve" || id.MustHead() == nil || id.MustOwn() != nil {
		t.Errorf("%+v", id)
	}
	if id, err := s.Identify(ctx, b, Shown{Bearer: eve.Secret}); err != nil || !id.Owner || id.Head {
		t.Errorf("%+v, %v", id, err)
	}
	if id, err := s.Identify(ctx, b, Shown{Bearer: made.Secret}); err != nil || !id.Head {
		t.Errorf("%+v, %v", id, err)
	}
	other := makeBoard(t, s, NewBoard{Items: lines(3)}).Board.ID
	if _, err := s.EnterOwner(ctx, other, eve.Secret); !errors.Is(err, ErrForbidden) {
		t.Errorf("an owner of another board: %v", err)
	}
	if err := s.RemoveOwner(ctx, b, "owner", eve.ID); err != nil {
		t.Fatal(err)
	}
	if id := who(); id.Owner {
		t.Errorf("removed, and yet %+v", id)
	}
	if _, err := s.EnterOwner(ctx, b, eve.Secret); !errors.Is(err, ErrForbidden) {
		t.Errorf("removed, and let in: %v", err)
	}
}

// TestErase: when a voter's votes, comments and proposals are deleted, exports and fits
// are those of a board that never had them, on every server.
func TestErase(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			s := startOn(t, open(), Options{Poll: 5 * time.Millisecond})
			other := startOn(t, open(), Options{Poll: 5 * time.Millisecond})
			ctx := t.Context()
			rules := store.Rules{Comments: true, Proposals: true}
			boards := map[string]string{}
			for _, name := range []string{"with", "without"} {
				b := makeBoard(t, s, NewBoard{Items: lines(5)}).Board.ID
				boards[name] = b
				if err := s.SetRules(ctx, b, "owner", rules); err != nil {
					t.Fatal(err)
				}
				ann, bob := voterNamed(t, s, b, "ann"), voterNamed(t, s, b, "bob")
				for k := range 10 {
					left, right := fmt.Sprintf("i%d", k%5), fmt.Sprintf("i%d", (k%5+1+k/5)%5)
					if _, err := s.Tell(ctx, b, bob, Answer{Left: left, Right: right, Key: fmt.Sprint(k), Outcome: palate.Outcome(k % 3), Comment: "bob's word"}); err != nil {
						t.Fatal(err)
					}
					if name == "without" {
						continue
					}
					if _, err := s.Tell(ctx, b, ann, Answer{Left: right, Right: left, Key: fmt.Sprint(k), Outcome: palate.Left, Comment: "ann's word"}); err != nil {
						t.Fatal(err)
					}
				}
			}
			b := boards["with"]
			ann := voterNamed(t, s, b, "ann")
			if _, err := s.Undo(ctx, b, ann); err != nil {
				t.Fatal(err)
			}
			if err := s.Propose(ctx, b, ann, "ann's tea"); err != nil {
				t.Fatal(err)
			}
			settle(t, s, b)
			settle(t, other, b)
			if text := exported(t, s, b, ExportOptions{}); !strings.Contains(text, "ann's word") || !strings.Contains(text, ann) {
				t.Errorf("comments are not exported:\n%s", text)
			}
			if err := s.Erase(ctx, b, ann); err != nil {
				t.Fatal(err)
			}
			for _, server := range []*Service{s, other} {
				wait(t, func() bool { return len(must(server.Records(ctx, b, ann))) == 0 })
				for _, log := range []bool{false, true} {
					if text := exported(t, server, b, ExportOptions{Log: log}); strings.Contains(text, ann) || strings.Contains(text, "ann's") {
						t.Errorf("an export has what was deleted:\n%s", text)
					}
				}
				if p := must(server.Proposals(ctx, b, "")); len(p) != 0 {
					t.Errorf("proposals %+v", p)
				}
				for _, c := range must(server.Comments(ctx, b, 100)) {
					if c.Voter == ann {
						t.Errorf("comment %+v", c)
					}
				}
				x, y := settle(t, server, b), settle(t, server, boards["without"])
				for i := range 5 {
					mx, vx := x.model.Utility(-1, i)
					my, vy := y.model.Utility(-1, i)
					if math.Abs(mx-my) > 1e-9 || math.Abs(vx-vy) > 1e-9 {
						t.Errorf("item %d is at %g ± %g, and %g ± %g where the voter never was", i, mx, vx, my, vy)
					}
				}
			}
			if _, err := s.Ask(ctx, b, ann); err != nil {
				t.Errorf("the voter may begin anew: %v", err)
			}
		})
	}
}

// TestDelete: a board that was deleted is there for its owners only, who can have it back
// for a day; then nothing is left.
func TestDelete(t *testing.T) {
	s, st := start(t, Options{})
	ctx := t.Context()
	made := makeBoard(t, s, NewBoard{Items: lines(3), Public: true})
	b := made.Board.ID
	ann := voterNamed(t, s, b, "ann")
	pass := s.voterPass(store.Voter{Board: b, ID: ann})
	key := must(s.NewToken(ctx, b, "owner", "ci", []Scope{CanVote, CanRead, CanExport}))
	if err := free(t, s, b, ann, "i0", "i1"); err != nil {
		t.Fatal(err)
	}
	strangers := map[string]Shown{"stranger": {}, "voter": {Passes: map[Role]string{AsVoter: pass.Text}}, "token": {Bearer: key}}
	there := func() (all []string) {
		for name, shown := range strangers {
			if _, err := s.Identify(ctx, b, shown); err == nil {
				all = append(all, name)
			}
		}
		return all
	}
	until := must(s.Delete(ctx, b, "owner"))
	if left := time.Until(until); left > DeletedFor || left < DeletedFor-time.Minute {
		t.Errorf("it can be taken back for %v", left)
	}
	if who := there(); len(who) != 0 {
		t.Errorf("a deleted board is there for %v", who)
	}
	if id, err := s.Identify(ctx, b, Shown{Bearer: made.Secret}); err != nil || !id.Owner {
		t.Errorf("its owner: %+v, %v", id, err)
	}
	if err := free(t, s, b, ann, "i1", "i2"); !errors.Is(err, ErrClosed) {
		t.Errorf("a vote: %v", err)
	}
	if text := exported(t, s, b, ExportOptions{}); strings.Count(text, "\n") != 2 {
		t.Errorf("the export before it is gone:\n%s", text)
	}
	if err := s.Restore(ctx, b, "owner"); err != nil {
		t.Fatal(err)
	}
	if who := there(); len(who) != 3 {
		t.Errorf("taken back, it is there for %v", who)
	}
	s.survey(time.Now().Add(2 * DeletedFor))
	if _, err := st.Board(ctx, b); err != nil {
		t.Fatalf("a board that was taken back was removed: %v", err)
	}
	must(s.Delete(ctx, b, "owner"))
	s.survey(time.Now().Add(DeletedFor - time.Minute))
	if _, err := st.Board(ctx, b); err != nil {
		t.Fatalf("removed too soon: %v", err)
	}
	s.survey(time.Now().Add(DeletedFor + time.Minute))
	if _, err := s.Board(ctx, b); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after a day: %v", err)
	}
	if votes := must(st.Votes(ctx, b, 0, 10)); len(votes) != 0 {
		t.Errorf("%d votes are left", len(votes))
	}
}

// TestDuplicate copies what a board is, and nothing of what was said on it.
func TestDuplicate(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	made := makeBoard(t, s, NewBoard{Title: "Teas", Question: "Which tea?", Items: lines(4), Password: "correct horse"})
	if err := s.ExcludeItem(ctx, made.Board.ID, "owner", "i1", "cold"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetRules(ctx, made.Board.ID, "owner", store.Rules{Quota: 3, Closes: time.Now()}); err != nil {
		t.Fatal(err)
	}
	again := must(s.Duplicate(ctx, made.Board.ID))
	b := must(s.Board(ctx, again.Board.ID))
	var ids []string
	for _, i := range must(s.Items(ctx, b.ID)) {
		ids = append(ids, i.ID)
	}
	if b.Title != "Teas" || b.Question != "Which tea?" || b.Closed || b.Rules.Quota != 3 || !slices.Equal(ids, []string{"i0", "i2", "i3"}) {
		t.Errorf("%+v with items %v", b, ids)
	}
	for secret, mine := range map[string]bool{made.Secret: false, again.Secret: true} {
		if _, err := s.EnterOwner(ctx, b.ID, secret); (err == nil) != mine {
			t.Errorf("the owner's link: %v", err)
		}
	}
	if _, err := s.EnterPassword(ctx, b.ID, "correct horse", Shown{}); !errors.Is(err, ErrForbidden) {
		t.Errorf("the password of the first: %v", err)
	}
}

// TestMine lists the boards that a browser's owner has been in, and still owns.
func TestMine(t *testing.T) {
	s, _ := start(t, Options{})
	ctx := t.Context()
	shown := Shown{Passes: map[Role]string{}}
	var made []Created
	for k := range 3 {
		made = append(made, makeBoard(t, s, NewBoard{Title: fmt.Sprint(k), Items: lines(2)}))
		shown.Passes[AsKeeper] = s.Keep(shown, must(s.EnterOwner(ctx, made[k].Board.ID, made[k].Secret))).Text
	}
	titles := func(shown Shown) (all string) {
		for _, b := range must(s.Mine(ctx, shown)) {
			all += b.Title
		}
		return all
	}
	if got := titles(shown); got != "210" {
		t.Errorf("boards %q", got)
	}
	must(s.RenewOwner(ctx, made[1].Board.ID, "owner"))
	if got := titles(shown); got != "20" {
		t.Errorf("after another link of one: %q", got)
	}
	if got := titles(Shown{Passes: map[Role]string{AsKeeper: shown.Passes[AsKeeper] + "x"}}); got != "" {
		t.Errorf("forged: %q", got)
	}
	if got := titles(Shown{Passes: map[Role]string{AsKeeper: must(s.EnterOwner(ctx, made[0].Board.ID, made[0].Secret)).Text}}); got != "" {
		t.Errorf("a pass of another kind: %q", got)
	}
}
