// Package ui is the pages of the server: a form that makes a board, the voting
// page, the leaderboard, a voter's own page and the owner's.
//
//	front := web.New(svc, web.Options{})
//	pages, err := ui.New(svc, front, ui.Options{})
//	http.ListenAndServe(addr, front.Handler(pages))
//
// Pages are made on the server and work without scripts: every control is a form
// or a link. Where scripts run, htmx swaps the part that changed, keys answer the
// questions, and the leaderboard follows the votes by server-sent events. Nothing
// is loaded from elsewhere, and there are neither inline styles nor inline
// scripts, so that the strictest content security policy holds.
//
//	/                       make a board
//	/my                     the boards that this browser's owner has been in
//	/b/BOARD                come in, then vote
//	/b/BOARD/v/SECRET       a voter's private link
//	/b/BOARD/own/SECRET     the owner's link
//	/b/BOARD/board          the leaderboard; ?view=me, ?group=NAME
//	/b/BOARD/me             a voter's own ranking and votes
//	/b/BOARD/owner          the owner's page
//
// # Languages
//
// No template holds a word of its own: what it says is a text of the catalogue, a file a
// language in package phrases, by a key. Templates are read once a language.
//
// # Who sees what
//
// A voter sees the two items of a question and nothing about their standing: the
// page is blind. The leaderboard is for the board's voters and owner, and for
// everybody once the owner says so. Votes are shown to whoever cast them, and to
// nobody else.
package ui
