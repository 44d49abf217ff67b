package ui_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"palate/server"
	"palate/store"
)

// TestSetsWithoutScripts: a ranking is moved and told by buttons alone, and what is no answer is
// refused in the reader's language, with the question left open.
func TestSetsWithoutScripts(t *testing.T) {
	svc, s := site(t, server.Options{Seed: 1})
	made, err := svc.Create(t.Context(), server.NewBoard{
		Title: "Tee", Settings: store.Settings{Ask: store.Ranking, Size: 3},
		Items: []server.NewItem{{ID: "a"}, {ID: "b"}, {ID: "<c>"}, {ID: "d"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := "/b/" + made.Board.ID
	v := newVisitor(t, s)
	v.header.Set("Accept-Language", "de")
	v.post(at+"/join", nil)
	values := func(page, name string) (all []string) {
		for _, found := range regexp.MustCompile(`name="`+name+`" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			all = append(all, html.UnescapeString(found[1]))
		}
		return all
	}
	_, page := v.get(at + "/vote")
	token, order := values(page, "question")[0], values(page, "order")
	if len(order) != 3 || !strings.Contains(page, "das Beste zuerst") {
		t.Fatalf("asked about %q", order)
	}
	out := "a"
	for _, id := range []string{"b", "<c>", "d"} {
		if !slices.Contains(order, id) {
			out = id
		}
	}
	for _, c := range []struct {
		says string
		form url.Values
	}{
		{"Die Antwort ist nicht vollständig", url.Values{}},
		{"Die Antwort ist nicht vollständig", url.Values{"order": order[:2]}},
		{"gehört nicht zu den Einträgen", url.Values{"order": {order[0], order[1], out}}},
		{"gehört nicht zu den Einträgen", url.Values{"order": append(slices.Clone(order), out)}},
		{"steht zweimal in der Antwort", url.Values{"order": {order[0], order[1], order[0]}}},
		{"Das ist keine Antwort auf die Frage", url.Values{"best": {order[0]}}},
		{"Das ist keine Antwort auf die Frage", url.Values{"outcome": {"left"}}},
	} {
		if c.form.Get("outcome") == "left" {
			c.form.Set("best", order[0])
		}
		c.form.Set("question", token)
		if code, page := v.post(at+"/tell", c.form); code != 422 || !strings.Contains(html.UnescapeString(page), c.says) {
			t.Errorf("%v: %d without %q", c.form, code, c.says)
		}
	}
	// The last goes up twice, and off the list it does not go.
	item := order[2]
	for range 3 {
		_, page = v.post(at+"/tell", url.Values{"question": {token}, "order": order, "move": {"up:" + item}})
		order = values(page, "order")
	}
	if order[0] != item || len(order) != 3 || values(page, "question")[0] != token {
		t.Fatalf("%q was moved up: %q", item, order)
	}
	v.post(at+"/tell", url.Values{"question": {token}, "order": order})
	_, page = v.get(at + "/me")
	if text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")); !strings.Contains(text, strings.Join(order, " > ")) {
		t.Errorf("%q was told", order)
	}
}
