package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"palate/server"
	"palate/store"
	"palate/store/sqlite"
)

// site is a service behind HTTP.
type site struct {
	*httptest.Server
	svc   *server.Service
	front *Front
	store store.Store
}

// startSite is a service on a fresh store, without limits and noise.
func startSite(t *testing.T, o server.Options) *site {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return siteOn(t, st, o, Options{}, nil)
}

// siteOn is a service on a store.
func siteOn(t testing.TB, st store.Store, o server.Options, w Options, pages Pages) *site {
	t.Helper()
	o.Log, w.Log = silent(), silent()
	o.Seed = cmp.Or(o.Seed, 1)
	o.VotesPerMinute, o.RequestsPerMinute = cmp.Or(o.VotesPerMinute, -1), cmp.Or(o.RequestsPerMinute, -1)
	svc, err := server.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	front := New(svc, w)
	h := httptest.NewServer(front.Handler(pages))
	t.Cleanup(func() { h.Close(); svc.Close() })
	return &site{h, svc, front, st}
}

// plainPages are pages without templates.
type plainPages struct{ *http.ServeMux }

func (plainPages) Refuse(w http.ResponseWriter, _ *http.Request, code int, says string) {
	http.Error(w, says, code)
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// settled waits until all votes of a board are in its fit.
func (p *program) settled(board string) (b LeaderboardJSON) {
	p.t.Helper()
	for range 1000 {
		p.want(200, "GET", "/api/boards/"+board+"/board", "", &b)
		if b.Pending == 0 && !b.Fitted.IsZero() {
			return b
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.t.Fatal("the board is not fitted")
	return b
}

// imports imports a file, and waits for it.
func (s *site) imports(t *testing.T, board, name, file string) {
	t.Helper()
	i, err := s.svc.Import(t.Context(), board, "ci", name, strings.NewReader(file), store.ImportSettings{})
	if err == nil {
		i, err = s.svc.AwaitImport(t.Context(), board, i.ID, time.Hour)
	}
	if err != nil || i.State != store.Finished {
		t.Fatalf("import %+v, %v", i, err)
	}
}

// people returns the voters of a board.
func (s *site) people(t *testing.T, board string) []store.Voter {
	t.Helper()
	voters, err := s.store.Voters(t.Context(), board)
	if err != nil {
		t.Fatal(err)
	}
	return voters
}

// votes returns the log of a board's votes.
func (s *site) votes(t *testing.T, board string) []store.Vote {
	t.Helper()
	votes, err := s.store.Votes(t.Context(), board, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return votes
}

// program calls the interface; it is a browser when it has a jar of cookies.
type program struct {
	t      *testing.T
	at     *site
	token  string
	client http.Client
	header map[string]string
}

func (s *site) program(t *testing.T, token string) *program {
	return &program{t: t, at: s, token: token, header: map[string]string{}}
}

func (s *site) browser(t *testing.T) *program {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := s.program(t, "")
	p.client.Jar = jar
	p.header["Sec-Fetch-Site"] = "same-origin"
	return p
}

// do makes a request and returns status and body.
func (p *program) do(method, path, body string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequest(method, p.at.URL+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	for k, v := range p.header {
		r.Header.Set(k, v)
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// want makes a request that must end with a status, and reads the answer.
func (p *program) want(status int, method, path, body string, out any) string {
	p.t.Helper()
	code, text := p.do(method, path, body)
	if code != status {
		p.t.Fatalf("%s %s: %d, want %d: %s", method, path, code, status, text)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); err != nil {
			p.t.Fatalf("%s: %v", text, err)
		}
	}
	return text
}

const fourItems = `{"title":"Lunch","items":[{"body":"soup"},{"body":"pie"},{"body":"egg"},{"id":"t","kind":"link","body":"tea","url":"https://example.org/tea"}]}`

// TestScopes: every operation, under every kind of caller.
func TestScopes(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	b := "/api/boards/" + made.Board.ID
	owner := s.program(t, made.Secret)
	callers := map[string]*program{"stranger": s.program(t, ""), "owner": owner}
	for _, scope := range server.Scopes() {
		var k struct{ Token string }
		owner.want(200, "POST", b+"/tokens", fmt.Sprintf(`{"name":%q,"scopes":[%q]}`, scope, scope), &k)
		callers[string(scope)] = s.program(t, k.Token)
	}
	voter := s.browser(t)
	if err := joinAs(s, voter, made.Board.ID); err != nil {
		t.Fatal(err)
	}
	callers["voter"] = voter
	// Who may, besides the owner.
	for _, c := range []struct {
		method, path, body string
		may                string
		good               int
	}{
		{"GET", b, "", "stranger voter vote read export import", 200},
		{"GET", b + "/items", "", "voter read", 200},
		{"GET", b + "/board", "", "voter read", 200},
		{"GET", b + "/board?voter=me", "", "voter", 200},
		{"GET", b + "/predict?left=soup&right=pie", "", "voter read", 200},
		{"POST", b + "/ask", `{"voter":"ann"}`, "vote", 200},
		{"POST", b + "/ask", `{}`, "voter", 200},
		{"POST", b + "/tell", `{"voter":"ann","left":"soup","right":"pie","key":"1","outcome":"left"}`, "vote", 200},
		{"GET", b + "/votes?voter=ann", "", "vote", 200},
		{"GET", b + "/votes", "", "voter", 200},
		{"POST", b + "/undo", `{"voter":"nobody"}`, "vote", 409},
		{"GET", b + "/export", "", "export", 200},
		{"POST", b + "/import", "user,left,right,winner\nann,soup,egg,left\n", "import", 200},
		{"POST", b + "/items", `{"items":[]}`, "import", 422},
		{"PATCH", b, `{"public":false}`, "", 200},
		{"POST", b + "/exclude", `{"item":"egg","reason":""}`, "", 200},
		{"POST", b + "/invitations", `{"names":["Ann"]}`, "", 200},
		{"POST", b + "/tokens", `{"name":"x","scopes":["none"]}`, "", 422},
		{"DELETE", b + "/tokens/nobody", "", "", 404},
		{"GET", b + "/trust", "", "", 200},
		{"GET", b + "/voters", "", "", 200},
		{"GET", b + "/audit", "", "", 200},
		{"GET", b + "/comments", "", "export", 200},
		{"GET", b + "/proposals", "", "voter", 200},
		{"POST", b + "/proposals/none", `{"accept":true}`, "", 404},
		{"GET", b + "/owners", "", "", 200},
		{"POST", b + "/owners", `{"name":"Eve"}`, "", 200},
		{"DELETE", b + "/owners/none", "", "", 404},
		{"POST", b + "/voters/none/link", "", "", 404},
		{"DELETE", b + "/voters/none/link", "", "", 404},
		{"POST", b + "/duplicate", "", "", 201},
		{"POST", b + "/restore", "", "", 200},
		{"GET", b + "/qr", "", "stranger voter vote read export import", 200},
	} {
		for who, p := range callers {
			code, text := p.do(c.method, c.path, c.body)
			may := who == "owner" && !strings.Contains(c.path, "=me") && c.path != b+"/votes" && c.body != `{}` || strings.Contains(" "+c.may+" ", " "+who+" ")
			switch {
			case may && code != c.good:
				t.Errorf("%s %s by %s: %d, want %d: %s", c.method, c.path, who, code, c.good, text)
			case !may && code < 400:
				t.Errorf("%s %s by %s: %d: %s", c.method, c.path, who, code, text)
			}
		}
	}
}

// joinAs lets a browser come into an open board.
func joinAs(s *site, p *program, board string) error {
	pass, err := s.svc.Join(p.t.Context(), board)
	if err != nil {
		return err
	}
	p.holds(pass)
	return nil
}

// holds gives a browser a pass.
func (p *program) holds(pass server.Pass) {
	p.header["Cookie"] = cookieOf(pass.Role) + "=" + pass.Text
}

// TestDescription: the interface is described, every operation with an
// identifier.
func TestDescription(t *testing.T) {
	s := startSite(t, server.Options{})
	var d struct {
		Paths map[string]map[string]struct{ OperationID, Summary string }
	}
	s.program(t, "").want(200, "GET", "/api/openapi.json", "", &d)
	n := 0
	for path, ops := range d.Paths {
		for method, o := range ops {
			n++
			if o.OperationID == "" || o.Summary == "" || !strings.HasPrefix(path, "/api/") {
				t.Errorf("%s %s: %+v", method, path, o)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d operations", n)
	}
	if code, _ := s.program(t, "").do("GET", "/docs", ""); code != 404 {
		t.Errorf("documentation that loads scripts from elsewhere: %d", code)
	}
}

// TestWatch: health, metrics, and a stream that tells of a vote.
func TestWatch(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	p := s.program(t, "")
	p.want(201, "POST", "/api/boards", fourItems, &made)
	owner := s.program(t, made.Secret)
	b := "/api/boards/" + made.Board.ID
	r, err := http.NewRequest("GET", s.URL+b+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+made.Secret)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	read := make([]byte, 100)
	if _, err := res.Body.Read(read); err != nil {
		t.Fatal(err)
	}
	owner.want(200, "POST", b+"/tell", `{"voter":"ann","left":"soup","right":"pie","key":"1","outcome":"left"}`, nil)
	for heard := ""; !strings.Contains(heard, "event: vote\ndata: {\"seq\":1}\n\n"); {
		n, err := res.Body.Read(read)
		if err != nil {
			t.Fatalf("stream: %q, %v", heard, err)
		}
		heard += string(read[:n])
	}
	if text := p.want(200, "GET", "/healthz", "", nil); text != "ok\n" {
		t.Errorf("health: %q", text)
	}
	if text := p.want(200, "GET", "/metrics", "", nil); !strings.Contains(text, "palate_votes_total 1\n") || !strings.Contains(text, `palate_tell_seconds_bucket{le="+Inf"} 1`) {
		t.Errorf("metrics: %s", text)
	}
	s.svc.EndStreams()
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Errorf("the stream ends: %v", err)
	}
}

// TestAdmin: where the server has a token, boards are made with it only.
func TestAdmin(t *testing.T) {
	s := startSite(t, server.Options{Admin: "sesame"})
	s.program(t, "").want(403, "POST", "/api/boards", fourItems, nil)
	s.program(t, "wrong").want(403, "POST", "/api/boards", fourItems, nil)
	s.program(t, "sesame").want(201, "POST", "/api/boards", fourItems, nil)
}

// TestLimits: who asks too often is told to wait.
func TestLimits(t *testing.T) {
	s := startSite(t, server.Options{VotesPerMinute: 3, RequestsPerMinute: 12})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	owner := s.program(t, made.Secret)
	for range 3 {
		owner.want(200, "POST", "/api/boards/"+made.Board.ID+"/ask", `{"voter":"ann"}`, nil)
	}
	owner.want(429, "POST", "/api/boards/"+made.Board.ID+"/ask", `{"voter":"ann"}`, nil)
	owner.want(200, "POST", "/api/boards/"+made.Board.ID+"/ask", `{"voter":"bob"}`, nil)
	codes := map[int]int{}
	for range 10 {
		code, _ := owner.do("GET", "/api/boards/"+made.Board.ID, "")
		codes[code]++
	}
	if codes[200] > 6 || codes[429] < 3 {
		t.Errorf("of ten requests too many: %v", codes)
	}
}

// TestFiles: what is exported in any format and imported into another board
// makes the same ranking; no names, no addresses.
func TestFiles(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	p := s.program(t, "")
	p.want(201, "POST", "/api/boards", fourItems, &made)
	owner := s.program(t, made.Secret)
	b := "/api/boards/" + made.Board.ID
	for k, pair := range [][3]string{{"soup", "pie", "left"}, {"pie", "egg", "left"}, {"egg", "t", "tie"}, {"t", "soup", "right"}, {"t", "pie", "skip"}, {"soup", "egg", "right"}} {
		owner.want(200, "POST", b+"/tell", fmt.Sprintf(`{"voter":"ann@example.org","left":%q,"right":%q,"key":"%d","outcome":%q,"reason":"because"}`, pair[0], pair[1], k, pair[2]), nil)
	}
	owner.want(200, "POST", b+"/undo", `{"voter":"ann@example.org"}`, nil)
	want := owner.settled(made.Board.ID)
	for _, format := range []string{"csv", "tsv", "json", "jsonl", "parquet"} {
		file := owner.want(200, "GET", b+"/export?format="+format, "", nil)
		if strings.Contains(file, "example.org") || strings.Contains(file, "127.0.0.1") {
			t.Errorf("%s tells who voted: %s", format, file)
		}
		var second CreatedJSON
		p.want(201, "POST", "/api/boards", fourItems, &second)
		other := s.program(t, second.Secret)
		var n struct{ Added int }
		other.want(200, "POST", "/api/boards/"+second.Board.ID+"/import?name=votes."+format, file, &n)
		if n.Added != 5 {
			t.Errorf("%s: %d of 5 records", format, n.Added)
		}
		got := other.settled(second.Board.ID)
		if got.Votes != 4 || got.Skips != 1 || fmt.Sprint(got.Rows) != fmt.Sprint(want.Rows) {
			t.Errorf("%s: %+v, want %+v", format, got, want)
		}
	}
	if log := owner.want(200, "GET", b+"/export?log=true", "", nil); strings.Count(log, "\n") != 8 {
		t.Errorf("log: %s", log)
	}
}

// TestImportColumns: a file of any header is imported with its columns named, and without a header by places; what is
// misspelt is told with what may be meant, of items and columns but never of voters.
func TestImportColumns(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	owner, to := s.program(t, made.Secret), "/api/boards/"+made.Board.ID+"/import?"
	var n struct{ Added int }
	query := func(columns, format string) string {
		return to + url.Values{"columns": {columns}, "time_format": {format}}.Encode()
	}
	owner.want(200, "POST", query("winner=Better,loser=Other,user=Who,time=When", "%d/%m/%Y%H:%M:%S"), "Who,Better,Other,When\nann,soup,egg,16/02/201716:51:00\n", &n)
	if n.Added != 1 {
		t.Errorf("%d of 1 added", n.Added)
	}
	owner.want(200, "POST", query("winner=2,loser=1", ""), "pie,soup\negg,pie\n", &n)
	if n.Added != 2 {
		t.Errorf("%d of 2 added", n.Added)
	}
	for _, c := range [][4]string{
		{"winner=Bettr,loser=Other", "", "Better,Other\nsoup,egg\n", `did you mean \"Better\"?`},
		{"winer=a,loser=b", "", "a,b\nsoup,egg\n", `did you mean \"winner\"?`},
		{"", "%Q", "winner,loser\nsoup,egg\n", "%Q is not one of"},
		{"", "", "winner,loser\nsoup,Egg\n", `there is no item \"Egg\" on the board; did you mean \"egg\"?`},
		{"", "", "soup,egg\negg,pie\n", "for example with columns winner=1,loser=2"},
	} {
		if says := owner.want(422, "POST", query(c[0], c[1]), c[2], nil); !strings.Contains(says, c[3]) || strings.Contains(says, "--") {
			t.Errorf("%q: %s", c[2], says)
		}
	}
	if says := owner.want(404, "GET", "/api/boards/"+made.Board.ID+"/leaderboard?voter=an", "", nil); strings.Contains(says, "ann") {
		t.Errorf("a voter is named: %s", says)
	}
}

// picture is a small PNG.
func picture(t testing.TB) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 8, 6))
	m.Set(1, 1, color.RGBA{200, 10, 10, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestImages: a picture is encoded anew, so that what was hidden in it is gone,
// and nothing else is taken for a picture.
func TestImages(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	owner := s.program(t, made.Secret)
	b := "/api/boards/" + made.Board.ID
	hidden := append(picture(t), "<script>alert(1)</script>"...)
	var item ItemJSON
	owner.want(200, "POST", b+"/images?name=red", string(hidden), &item)
	code, body := s.program(t, "").do("GET", item.Media, "")
	if code != 200 || strings.Contains(body, "script") {
		t.Errorf("picture: %d, %q", code, body)
	}
	if m, err := png.Decode(strings.NewReader(body)); err != nil || m.Bounds().Dx() != 8 {
		t.Errorf("picture: %v", err)
	}
	for name, file := range map[string]string{
		"svg":  `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
		"html": "<html>", "empty": "", "cut": string(picture(t)[:40]),
		"huge": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x06\x00\x00\x00",
	} {
		if code, text := owner.do("POST", b+"/images?name="+name, file); code != 422 && code != 400 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	if _, err := s.svc.Media(t.Context(), made.Board.ID, "../../etc/passwd"); err == nil {
		t.Error("a path is no picture")
	}
}

// TestShown: voters see a text, and not the features that the model reads.
func TestShown(t *testing.T) {
	b := store.Board{Features: []string{"size"}}
	i := store.Item{ID: "a", Body: "A", Features: []float64{2}}
	if shown := (&Front{}).shownJSON(b, i); shown.Features != nil || shown.Body != "A" || (&Front{}).itemJSON(b, i).Features["size"] != 2 {
		t.Errorf("%+v", shown)
	}
}

// TestGivenUp says that who goes before the answer comes is not the server's fault.
func TestGivenUp(t *testing.T) {
	for err, want := range map[error]int{
		fmt.Errorf("server: %w", context.Canceled):         StatusGone,
		fmt.Errorf("server: %w", context.DeadlineExceeded): 503,
		fmt.Errorf("store: %w", store.ErrUnavailable):      503,
	} {
		if code, _ := status(err); code != want {
			t.Errorf("%v: %d, want %d", err, code, want)
		}
	}
}
