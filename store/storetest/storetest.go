// Package storetest holds stores to the laws of package store.
//
//	func TestStore(t *testing.T) { storetest.Run(t, open) }
package storetest

import (
	"context"
	"testing"
	"time"

	"palate"
	"palate/store"
)

// Opener opens a store; again with the same place, that which was there. An
// empty place is a fresh one.
type Opener func(t *testing.T, place string) (st store.Store, at string)

// laws are what every store must do.
func laws() map[string]func(*testing.T, Opener) {
	return map[string]func(*testing.T, Opener){
		"Boards": boards, "Items": items, "Media": media, "Voters": voters,
		"Votes": votes, "Once": once, "Imports": files, "Order": order, "Follow": follow,
		"Actions": actions, "Tokens": tokens, "Webhooks": webhooks, "Snapshots": snapshots, "Secrets": secrets,
		"Rules": rules, "Quota": quota, "Comments": comments, "Proposals": proposals, "Owners": owners, "Renewal": renewal, "Erasure": erasure, "Drop": drop,
		"Questions": questions, "Sets": sets, "Alone": alone, "Reopen": reopen, "Unknown": unknown, "Text": text,
	}
}

// Run runs all laws on fresh stores.
func Run(t *testing.T, open Opener) {
	for name, law := range laws() {
		t.Run(name, func(t *testing.T) { law(t, open) })
	}
}

func fresh(t *testing.T, open Opener) (context.Context, store.Store) {
	t.Helper()
	st, _ := open(t, "")
	t.Cleanup(func() { st.Close() })
	return t.Context(), st
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 123456000, time.UTC)

func act(verb string) store.Action { return store.Action{Actor: "owner", Verb: verb, Time: noon} }

// example is a board with every field set.
func example(id string) store.Board {
	return store.Board{
		ID: id, Title: "Lunch", Question: "Which is better?", Access: store.Private, Public: true,
		Settings: store.Settings{Goal: "top-3", Explore: 0.1, Novice: 5, Level: 0.95, Ask: store.BestWorst, Size: 4, Over: "month"},
		Rules:    store.Rules{WhenSettled: true, Hidden: true, Comments: true, Proposals: true},
		Space:    &store.Space{Text: `{"parameters": []}`, URL: "https://example.org/?p={price}", Body: "{price} <€>", Seed: 1<<64 - 1},
		Features: []string{"price", "salt"}, OwnerHash: []byte{1, 2, 0, 255}, Password: "$argon2id$x", Created: noon,
	}
}

func exampleItems() []store.Item {
	return []store.Item{
		{ID: "soup", Kind: store.Text, Body: "Soup", Features: []float64{3, 0.5}, Created: noon},
		{ID: "pie", Kind: store.Markdown, Body: "*Pie*", Features: []float64{4, 0.1}, Created: noon},
		{ID: "egg", Kind: store.Image, Body: "an egg", Media: "sha256:aa", Features: []float64{1, 0}, Created: noon},
		{ID: "shop", Kind: store.Link, Body: "The shop", URL: "https://example.org/?a=b&c", Features: []float64{-1, 1e-300}, Created: noon},
	}
}

// setUp makes a board with items and two voters.
func setUp(t *testing.T, ctx context.Context, st store.Store, id string) {
	t.Helper()
	ok(t, st.CreateBoard(ctx, example(id), exampleItems(), act("create")))
	for _, v := range []string{"ann", "bob"} {
		_, err := st.AddVoter(ctx, store.Voter{Board: id, ID: v, Created: noon})
		ok(t, err)
	}
}

func vote(board, voter, key string, left, right int) store.Vote {
	return store.Vote{Board: board, Voter: voter, Key: key, Left: left, Right: right, Outcome: palate.Right, Policy: "soft-bald", Propensity: 0.25, Response: 1500 * time.Millisecond, Time: noon}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
