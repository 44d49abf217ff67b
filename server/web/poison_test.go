package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"palate/internal/testdb"
	"palate/server"
)

// badStrings are bad texts as JSON strings: escaped, raw, and too long.
func badStrings() []string {
	return []string{`"\u0000"`, `"a\u0000b"`, "\"\x00\"", "\"\xff\"", "\"\xc3(\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", `"\ud800"`, `"` + strings.Repeat("x", server.MaxText+1) + `"`}
}

// poisoned: four connections send every bad text to every place that stores some,
// while people vote on other boards: none of them notices.
func poisoned(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			s := siteOn(t, open(), server.Options{}, Options{}, nil)
			boards := make([]CreatedJSON, 3)
			for k := range boards {
				s.program(t, "").want(201, "POST", "/api/boards", fourItems, &boards[k])
			}
			h := s.front.Handler(nil)
			call := func(secret, path, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest("POST", path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+secret)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w
			}
			stop := make(chan struct{})
			var hostile, honest sync.WaitGroup
			for w := range 4 {
				hostile.Go(func() {
					at, secret := "/api/boards/"+boards[0].Board.ID, boards[0].Secret
					for k := w; ; k++ {
						select {
						case <-stop:
							return
						default:
						}
						x := badStrings()[k%len(badStrings())]
						for path, body := range map[string]string{
							at + "/tell":        `{"voter":"a","left":"soup","right":"pie","key":"` + fmt.Sprint(w, k) + `","outcome":"skip","reason":` + x + `}`,
							at + "/ask":         `{"voter":` + x + `}`,
							at + "/undo":        `{"voter":` + x + `}`,
							at + "/items":       `{"items":[{"id":"n` + fmt.Sprint(w, k) + `","body":` + x + `}]}`,
							at + "/exclude":     `{"item":"egg","reason":` + x + `}`,
							at + "/invitations": `{"names":[` + x + `]}`,
							at + "/tokens":      `{"name":` + x + `,"scopes":["read"]}`,
							"/api/boards":       `{"title":` + x + `,"items":[{"body":"a"},{"body":"b"}]}`,
						} {
							if got := call(secret, path, body); got.Code >= 500 {
								t.Errorf("%s %.60q: %d %s", path, body, got.Code, got.Body)
							}
						}
					}
				})
			}
			for w := range 6 {
				honest.Go(func() {
					b := boards[1+w%2]
					for k := range 40 {
						body := fmt.Sprintf(`{"voter":"v%d","left":"soup","right":"pie","key":"%d","outcome":"left"}`, w, k)
						if got := call(b.Secret, "/api/boards/"+b.Board.ID+"/tell", body); got.Code != http.StatusOK {
							t.Errorf("refused: %d %s", got.Code, got.Body)
						}
					}
				})
			}
			honest.Wait()
			close(stop)
			hostile.Wait()
			if n := len(s.votes(t, boards[1].Board.ID)) + len(s.votes(t, boards[2].Board.ID)); n != 240 {
				t.Errorf("%d of 240 votes are there", n)
			}
		})
	}
}
