package ui_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"palate/server"
)

// Files of the version that a page names are kept for good; under another version's name, as
// while servers are exchanged, they are not.
func TestStaticFilesAreKeptByVersion(t *testing.T) {
	_, s := site(t, server.Options{})
	get := func(path string) (*http.Response, string) {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(text)
	}
	_, page := get("/")
	path := regexp.MustCompile(`/static/[0-9a-f]+/palate\.css`).FindString(page)
	if path == "" {
		t.Fatal("the page has no style")
	}
	for at, want := range map[string]string{path: "immutable", "/static/0123456789ab/palate.css": "no-store"} {
		if res, _ := get(at); res.StatusCode != http.StatusOK || !strings.Contains(res.Header.Get("Cache-Control"), want) {
			t.Errorf("%s: %d, %s", at, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
}
