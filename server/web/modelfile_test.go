package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"palate"
	"palate/model"
	"palate/server"
)

// aModel serves a population of 40 voters and 30 items from a file.
func aModel(t testing.TB, tokens ...string) http.Handler {
	t.Helper()
	return ModelHandler(aModelFile(t, tokens...), Options{Log: slog.New(slog.DiscardHandler)})
}

func aModelFile(t testing.TB, tokens ...string) *server.ModelFile {
	t.Helper()
	b := palate.NewBuilder()
	for u := range 40 {
		for k := range 12 {
			left, right := (u*7+k*5)%30, (u*3+k*11+1)%30
			if left == right {
				continue
			}
			if err := b.Say(fmt.Sprintf("v%d", u), fmt.Sprintf("i%d", left), fmt.Sprintf("i%d", right), palate.Left); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitPopulation(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.palate")
	if err := model.Save(t.Context(), path, m); err != nil {
		t.Fatal(err)
	}
	f, err := server.OpenModel(t.Context(), path, server.ModelOptions{Tokens: tokens, RequestsPerMinute: -1})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A page of another site whose name was made to stand for this machine reads nothing of a model
// that is for this machine's programs.
func TestModelOfThisMachine(t *testing.T) {
	f := aModelFile(t)
	for host, code := range map[string]int{"127.0.0.1:8080": 200, "[::1]:8080": 200, "localhost": 200, "Localhost:80": 200, "evil.example:8080": 421, "evil.example": 421, "": 421, "127.0.0.1.evil.example": 421, "localhost.": 421} {
		for _, local := range []bool{true, false} {
			r := httptest.NewRequest("GET", "/api/model", nil)
			r.Host = host
			w := httptest.NewRecorder()
			ModelHandler(f, Options{Local: local, Log: slog.New(slog.DiscardHandler)}).ServeHTTP(w, r)
			if want := map[bool]int{true: code, false: 200}[local]; w.Code != want {
				t.Errorf("%q, local %v: %d, want %d", host, local, w.Code, want)
			}
		}
	}
}

// asked makes a request and returns the status and the body of the answer.
func asked(h http.Handler, method, path, token, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A model over HTTP: what it answers, and what it refuses, in the words of boards.
func TestModelHandler(t *testing.T) {
	h := aModel(t, "sesame")
	long := `{"left":["` + strings.Repeat("x", 5<<20) + `"],"right":["i1"]}`
	many := `{"left":["i1"],"right":["i2"],"votes":[` + strings.Repeat(`{"left":"i1","right":"i2","outcome":"left"},`, 300) + `{"left":"i1","right":"i2","outcome":"left"}]}`
	for _, c := range []struct {
		method, path, token, body string
		code                      int
		says                      string
	}{
		{"GET", "/api/model", "sesame", "", 200, `"model":"population","items":30,"voters":40`},
		{"GET", "/api/model", "", "", 403, "it takes a token"},
		{"POST", "/api/model/predict", "wrong", `{"left":[],"right":[]}`, 403, "it takes a token"},
		{"POST", "/api/model/predict", "sesame", `{"left":["i1","i2"],"right":["i2","kiwi"],"voter":"v3"}`, 200, `,null]`},
		{"POST", "/api/model/predict", "sesame", `{"left":["i1"],"right":["i2"],"voter":"zoe"}`, 422, `no voter \"zoe\"`},
		{"POST", "/api/model/predict", "sesame", `{"left":["i1"],"right":[]}`, 422, "1 left items and 0 right ones"},
		{"POST", "/api/model/predict", "sesame", `{"left":3}`, 422, "expected array"},
		{"POST", "/api/model/predict", "sesame", long, 413, ""},
		{"POST", "/api/model/predict", "sesame", many, 422, "array length"},
		{"POST", "/api/model/predict", "sesame", `{"left":["i1"],"right":["i2"],"votes":[{"left":"i1","right":"i2","outcome":"sideways"}]}`, 422, "one of"},
		{"POST", "/api/model/top", "sesame", `{"voter":"v3","n":2,"without":["i1"]}`, 200, `"rank":2`},
		{"POST", "/api/model/top", "sesame", `{"votes":[{"left":"i9","right":"i2","outcome":"left"}]}`, 200, `"rank":10`},
		{"POST", "/api/model/top", "sesame", `{"n":0}`, 422, "n"},
		{"POST", "/api/model/neighbours", "sesame", `{"item":"i3","n":2}`, 200, `{"rank":2,"neighbour":"i`},
		{"POST", "/api/model/neighbours", "sesame", `{"item":"i3","n":9223372036854775807}`, 200, `{"rank":29,"neighbour":"i`},
		{"POST", "/api/model/top", "sesame", `{"n":9223372036854775807}`, 200, `"rank":30`},
		{"POST", "/api/model/neighbours", "sesame", `{"voter":"v3"}`, 200, `{"rank":10,"neighbour":"v`},
		{"POST", "/api/model/neighbours", "sesame", `{"votes":[{"left":"i9","right":"i2","outcome":"left"}],"n":1}`, 200, `{"rank":1,"neighbour":"v`},
		{"POST", "/api/model/neighbours", "sesame", `{"voter":"v3","item":"i3"}`, 422, "of an item, of a voter, or of somebody new"},
		{"POST", "/api/model/neighbours", "sesame", `{}`, 422, "of an item, of a voter, or of somebody new"},
		{"POST", "/api/model/neighbours", "sesame", `{"item":"kiwi"}`, 422, "kiwi"},
		{"POST", "/api/model/neighbours", "", `{"item":"i3"}`, 403, "it takes a token"},
		{"GET", "/livez", "", "", 200, "ok"},
		{"GET", "/metrics", "", "", 200, "palate_requests_total"},
		{"GET", "/api/openapi.json", "", "", 200, "/api/model/predict"},
		{"GET", "/", "", "", 404, "nothing at this address"},
		{"GET", "/api/boards/x", "sesame", "", 404, "nothing at this address"},
		{"DELETE", "/api/model", "sesame", "", 404, ""},
	} {
		code, says := asked(h, c.method, c.path, c.token, c.body)
		if code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%s %s %.60s: %d %.200s", c.method, c.path, c.body, code, says)
		}
	}
}

// BenchmarkModelPredict asks for 5,000 chances in a request, of one voter.
func BenchmarkModelPredict(b *testing.B) {
	h := aModel(b)
	var in PairsJSON
	in.Voter = "v3"
	for k := range 5000 {
		in.Left, in.Right = append(in.Left, fmt.Sprintf("i%d", k%30)), append(in.Right, fmt.Sprintf("i%d", (k+1+k/30%29)%30))
	}
	body, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if code, says := asked(h, "POST", "/api/model/predict", "", string(body)); code != 200 {
			b.Fatal(code, says)
		}
	}
}

// An answer that has begun keeps its status, and says nothing of a second one.
func TestAnswerHasOneStatus(t *testing.T) {
	for _, begin := range []func(a *answer){func(a *answer) { a.WriteHeader(http.StatusOK) }, func(a *answer) { a.Write([]byte("{")) }} {
		var told, sent int
		a := &answer{ResponseWriter: counted{httptest.NewRecorder(), &sent}, status: http.StatusOK, begins: func(http.Header) { told++ }}
		begin(a)
		before := told
		a.WriteHeader(http.StatusInternalServerError)
		if a.status != http.StatusOK || told != before || sent > 1 {
			t.Errorf("status %d, told %d times more, sent %d times", a.status, told-before, sent)
		}
	}
}

// counted counts the statuses that were sent.
type counted struct {
	http.ResponseWriter
	sent *int
}

func (c counted) WriteHeader(status int) {
	*c.sent++
	c.ResponseWriter.WriteHeader(status)
}
