package web

import (
	"net/http"

	"palate/server"
)

// BoardLink is the link for voters, by the address that a request came to.
func (f *Front) BoardLink(r *http.Request, board string) string {
	return f.Address(r) + "/b/" + board
}

// OwnerLink makes its holder an owner of a board.
func (f *Front) OwnerLink(r *http.Request, board, secret string) string {
	return f.BoardLink(r, board) + "/own/" + secret
}

// PrivateLink makes its holder the voter that it was made for.
func (f *Front) PrivateLink(r *http.Request, board, secret string) string {
	return f.BoardLink(r, board) + "/v/" + secret
}

// createdJSON is a new board with its links.
func (f *Front) createdJSON(r *http.Request, made server.Created, items int) CreatedJSON {
	b := made.Board
	return CreatedJSON{Board: boardJSON(b, items), Secret: made.Secret, Vote: f.BoardLink(r, b.ID), Owner: f.OwnerLink(r, b.ID, made.Secret)}
}
