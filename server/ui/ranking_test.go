package ui_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"palate/server"
)

// TestPagesOfRanking: a leaderboard of many items comes in pages, can be searched, and is
// sent compressed to whoever reads that; nothing that holds a secret is.
func TestPagesOfRanking(t *testing.T) {
	svc, s := site(t, server.Options{})
	var items []server.NewItem
	for k := range 1203 {
		items = append(items, server.NewItem{ID: strings.Repeat("x", k%3) + "Item " + string(rune('a'+k%26)) + strings.Repeat("z", k/26)})
	}
	made, err := svc.Create(t.Context(), server.NewBoard{Items: items, Public: true})
	if err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, s)
	board := "/b/" + made.Board.ID
	pass, err := svc.Join(t.Context(), made.Board.ID)
	if err != nil {
		t.Fatal(err)
	}
	q, err := svc.Ask(t.Context(), made.Board.ID, pass.Identity.Voter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Tell(t.Context(), made.Board.ID, pass.Identity.Voter, server.Answer{Question: q.Token}); err != nil {
		t.Fatal(err)
	}
	rows := func(query string) int {
		code, text := v.get(board + "/rows?" + query)
		if code != http.StatusOK {
			t.Fatal(code, text)
		}
		return strings.Count(text, "<tr data-id=")
	}
	for query, want := range map[string]int{"": 100, "page=2": 100, "page=13": 3, "page=99": 3, "page=-1": 100, "find=nothing+like+it": 0, "find=ITEM+b": 47} {
		if n := rows(query); n != want {
			t.Errorf("%q: %d rows, not %d", query, n, want)
		}
	}
	for path, packed := range map[string]bool{board + "/board": true, board + "/rows": true, board: false, "/api/boards/" + made.Board.ID + "/board": true, board + "/events": false} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "br, gzip;q=0.9")
		answer, err := v.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Header.Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%s: compressed %v, not %v", path, got, packed)
		} else if packed {
			z, err := gzip.NewReader(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(z); err != nil || !strings.Contains(string(text), "Item") {
				t.Errorf("%s: %d bytes, %v", path, len(text), err)
			}
		}
		answer.Body.Close()
	}
}
