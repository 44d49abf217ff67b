package server

import (
	"errors"
	"strings"
	"testing"

	"palate"
	"palate/internal/testdb"
	"palate/store"
)

// badTexts are what no database need take: NULs, bytes that are not UTF-8, and more
// than there is room for.
func badTexts() map[string]string {
	return map[string]string{
		"a NUL": "\x00", "a NUL within": "a\x00b", "a lone byte": "\xff", "a broken letter": "\xc3(", "a surrogate": "\xed\xa0\x80",
		"an overlong letter": "\xc0\xaf", "too much": strings.Repeat("x", MaxText+1),
	}
}

// TestBadText puts bad text into every place where text is taken: it is said what
// is wrong with it, or that there is nothing of that name, on any database, and
// nothing is stored.
func TestBadText(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			st := open()
			s := startOn(t, st, Options{})
			ctx := t.Context()
			b := makeBoard(t, s, NewBoard{Items: lines(3), Password: "correct horse"}).Board.ID
			ann := voterNamed(t, s, b, "ann")
			tell := func(a Answer) error { _, err := s.Tell(ctx, b, ann, a); return err }
			create := func(n NewBoard) error {
				if n.Items == nil {
					n.Items = lines(2)
				}
				_, err := s.Create(ctx, n)
				return err
			}
			add := func(i NewItem) error {
				_, err := s.AddItems(ctx, b, "owner", []NewItem{i})
				return err
			}
			places := map[string]func(string) error{
				"title": func(x string) error { return create(NewBoard{Title: x}) }, "question": func(x string) error { return create(NewBoard{Question: x}) },
				"access": func(x string) error { return create(NewBoard{Access: store.Access(x)}) },
				"goal":   func(x string) error { return create(NewBoard{Settings: store.Settings{Goal: x}}) },
				"feature": func(x string) error {
					return create(NewBoard{Items: []NewItem{{ID: "a", Features: map[string]float64{x: 1}}, {ID: "b", Features: map[string]float64{x: 2}}}})
				},
				"item": func(x string) error { return add(NewItem{ID: x}) }, "body": func(x string) error { return add(NewItem{ID: "z", Body: x}) },
				"kind": func(x string) error { return add(NewItem{ID: "z", Kind: store.ItemKind(x)}) },
				"url":  func(x string) error { return add(NewItem{ID: "z", Kind: store.Link, URL: "http://a/" + x}) },
				"reason of a skip": func(x string) error {
					return tell(Answer{Left: "i0", Right: "i1", Key: "k", Outcome: palate.Skip, Reason: x})
				},
				"key": func(x string) error { return tell(Answer{Left: "i0", Right: "i1", Key: x}) }, "left": func(x string) error { return tell(Answer{Left: x, Right: "i1", Key: "k"}) },
				"right": func(x string) error { return tell(Answer{Left: "i0", Right: x, Key: "k"}) }, "token of a question": func(x string) error { return tell(Answer{Question: x}) },
				"voter's name":   func(x string) error { _, err := s.ActsFor(ctx, Identity{Board: b, Owner: true}, x); return err },
				"excluded voter": func(x string) error { return s.ExcludeVoter(ctx, b, "owner", x, "r") }, "reason of an exclusion": func(x string) error { return s.ExcludeVoter(ctx, b, "owner", ann, x) },
				"excluded item": func(x string) error { return s.ExcludeItem(ctx, b, "owner", x, "r") }, "reason of an item's": func(x string) error { return s.ExcludeItem(ctx, b, "owner", "i0", x) },
				"invited":      func(x string) error { _, err := s.Invite(ctx, b, "owner", "", []string{"Bob", x}); return err },
				"group":        func(x string) error { _, err := s.Invite(ctx, b, "owner", x, []string{"Bob"}); return err },
				"token":        func(x string) error { _, err := s.NewToken(ctx, b, "owner", x, []Scope{CanRead}); return err },
				"scope":        func(x string) error { _, err := s.NewToken(ctx, b, "owner", "t", []Scope{Scope(x)}); return err },
				"revoked":      func(x string) error { return s.RevokeToken(ctx, b, "owner", x) },
				"board":        func(x string) error { _, err := s.Board(ctx, x); return err },
				"picture":      func(x string) error { _, err := s.Media(ctx, b, x); return err },
				"voter":        func(x string) error { _, err := s.Ask(ctx, b, x); return err },
				"view":         func(x string) error { _, err := s.Leaderboard(ctx, b, View{Voter: x}); return err },
				"whose":        func(x string) error { _, err := s.ViewFor(ctx, Identity{Board: b, Owner: true}, x, ""); return err },
				"bearer":       func(x string) error { _, err := s.Identify(ctx, b, Shown{Bearer: x}); return err },
				"link":         func(x string) error { _, err := s.EnterPrivate(ctx, b, x); return err },
				"new title":    func(x string) error { return s.Edit(ctx, b, "owner", x, "") },
				"new question": func(x string) error { return s.Edit(ctx, b, "owner", "t", x) },
				"comment": func(x string) error {
					return tell(Answer{Left: "i0", Right: "i1", Key: "k", Comment: x})
				},
				"proposal":               func(x string) error { return s.Propose(ctx, b, ann, x) },
				"decided":                func(x string) error { _, err := s.Decide(ctx, b, "owner", x, false, ""); return err },
				"reason of a refusal":    func(x string) error { _, err := s.Decide(ctx, b, "owner", "p", false, x); return err },
				"owner":                  func(x string) error { _, err := s.AddOwner(ctx, b, "owner", x); return err },
				"removed owner":          func(x string) error { return s.RemoveOwner(ctx, b, "owner", x) },
				"voter of a link":        func(x string) error { return s.RevokeLink(ctx, b, "owner", x) },
				"voter who is forgotten": func(x string) error { return s.Erase(ctx, b, x) },
				"secret":                 func(x string) error { _, err := s.EnterOwner(ctx, b, x); return err },
			}
			before, _, err := st.Ends(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for place, put := range places {
				for what, text := range badTexts() {
					err := put(text)
					if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrForbidden) && !errors.Is(err, store.ErrNotFound) {
						t.Errorf("%s as %s: %v", what, place, err)
					}
				}
			}
			if after, _, err := st.Ends(ctx); err != nil || after != before {
				t.Errorf("votes up to %d, then %d, %v", before, after, err)
			}
		})
	}
}
