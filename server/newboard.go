package server

import "palate/store"

// DefaultQuestion is what voters are asked when the owner says nothing else. Pages may
// ask it in the voter's language.
const DefaultQuestion = "Which is better?"

// NewBoard is what a board is made from.
type NewBoard struct {
	Title    string
	Question string // empty: DefaultQuestion
	Access   store.Access
	Public   bool
	Settings store.Settings // zero fields stand for the defaults; Explore < 0: none
	Password string         // of the owner, beside the secret link; may be empty
	Items    []NewItem
	Space    *store.Space // in place of items: what they are to be points of
}

// NewItem is what an item is made from.
type NewItem struct {
	ID   string         // empty: the first line of Body, as far as it is unique
	Kind store.ItemKind // empty: text, or image when there is one
	Body string
	URL  string // of a link
	// Image is a PNG, JPEG, GIF or WebP file; it is decoded and encoded anew.
	Image []byte
	// Features are numbers by name; all items of a board have the same names.
	Features map[string]float64
}

// Created is a new board, with the secret that makes its owner, shown once.
type Created struct {
	Board  store.Board
	Secret string
}
