package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"palate/internal/testdb"
	"palate/server"
	"palate/store"
	"palate/store/sqlite"
)

// TestThreats has a case for every line of the threat model (docs/security.md),
// and none besides.
func TestThreats(t *testing.T) {
	cases := map[string]func(*testing.T){
		"another's votes": anothersVotes, "forged cookie": forgedCookie, "cross-site request": crossSite,
		"text with HTML": textWithHTML, "picture with script": pictureWithScript, "path traversal": pathTraversal,
		"oversized body": oversized, "malformed body": malformed, "mistakes without end": endlessMistakes, "page that asks a model of this machine": elsewhere("modelfile_test.go", "TestModelOfThisMachine"), "table without end": elsewhere("../ui/item_test.go", "TestTablesHaveAnEnd"), "poisoned text": poisoned, "token beyond its scope": beyondScope,
		"token of another board": anotherBoard, "replayed vote": replayed, "answer that is none": noAnswer, "stuffed ballot": stuffed, "question of another": anothersQuestion,
		"guessed owner": guessedOwner, "guessed password": guessedPassword, "stale owner": staleOwner,
		"unsafe link": unsafeLink, "template of addresses": elsewhere("../space_test.go", "TestTemplates"),
		"space without end": elsewhere("../space_test.go", "TestHardSpaces"), "board of a space that is filled": elsewhere("../space_test.go", "TestSpaceStaysSmall"), "fit that keeps others waiting": elsewhere("../fitter_test.go", "TestTurns"), "flood": flood, "slow request": elsewhere("../slow_test.go", "TestNothingWaitsForSlow"),
		"own page taken for another's": ownPage, "entry by a picture": elsewhere("../ui/entry_test.go", "TestGetChangesNobody"), "work before trust": workBeforeTrust,
		"file that unpacks": unpacks, "many uploads at once": elsewhere("uploads_test.go", "TestHostileUploads"),
		"formula in an export": formula, "small group": smallGroup, "login again": elsewhere("sso_test.go", "TestSSO"), "locked-out owner": lockedOut, "stolen database": stolen, "who voted": whoVoted, "secret at rest": secretAtRest, "silent change": silentChange, "import that stops the votes": besideImport, "database that takes no votes": notReady,
		"deleting another's votes": erasedByOthers, "stolen private link": stolenLink, "owner who turns": furtherOwner, "results too early": earlyResults, "deleted board": deletedBoard,
		"webhook to a private address": elsewhere("poster_test.go", "TestWebhooksReach"), "forged message of a webhook": elsewhere("poster_test.go", "TestWebhooks"),
		"page in a frame": elsewhere("base_test.go", "TestBase"), "size of a compressed page": elsewhere("../ui/ranking_test.go", "TestPagesOfRanking"), "damaged backup": elsewhere("../../store/sqlite/backup_test.go", "TestBackup"),
		"vote after the end": elsewhere("../../store/storetest/rules.go", "rules"), "votes beyond the quota": elsewhere("../control_test.go", "TestQuota"),
		"votes that come back": elsewhere("../../store/storetest/people.go", "erasure"), "proposal accepted twice": elsewhere("../../store/storetest/people.go", "proposals"),
	}
	doc, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(doc)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(line, "| ") && name != "threat" && name != "request" && !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "`") {
			listed++
			if cases[name] == nil {
				t.Errorf("no test of %q", name)
			}
		}
	}
	if listed != len(cases) {
		t.Errorf("%d threats are listed, %d tested", listed, len(cases))
	}
	for name, test := range cases {
		t.Run(name, test)
	}
}

// elsewhere is a case that is a test of its own.
func elsewhere(file, name string) func(*testing.T) {
	return func(t *testing.T) {
		if source, err := os.ReadFile(file); err != nil || !strings.Contains(string(source), "func "+name+"(") {
			t.Errorf("%s is not in %s: %v", name, file, err)
		}
	}
}

// scene is a board with an owner and two voters in browsers.
type scene struct {
	*site
	board, secret string
	owner         *program
	ann, bob      *program
}

func setScene(t *testing.T, o server.Options) *scene {
	t.Helper()
	s := &scene{site: startSite(t, o)}
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	s.board, s.secret, s.owner = made.Board.ID, made.Secret, s.program(t, made.Secret)
	s.ann, s.bob = s.browser(t), s.browser(t)
	for _, p := range []*program{s.ann, s.bob} {
		if err := joinAs(s.site, p, s.board); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *scene) api(what string) string { return "/api/boards/" + s.board + what }

func (s *scene) ask(p *program) (q QuestionJSON) {
	p.t.Helper()
	p.want(200, "POST", s.api("/ask"), `{}`, &q)
	return q
}

func tellJSON(q QuestionJSON, outcome string) string {
	return fmt.Sprintf(`{"question":%q,"outcome":%q}`, q.Question, outcome)
}

func anothersVotes(t *testing.T) {
	s := setScene(t, server.Options{})
	s.ann.want(200, "POST", s.api("/tell"), tellJSON(s.ask(s.ann), "left"), nil)
	var votes []RecordJSON
	s.bob.want(200, "GET", s.api("/votes"), "", &votes)
	if len(votes) != 0 {
		t.Errorf("one voter sees another's votes: %+v", votes)
	}
	s.bob.want(409, "POST", s.api("/undo"), `{}`, nil) // there is nothing of his own
	for _, v := range s.people(t, s.board) {
		id := v.ID
		s.bob.want(403, "GET", s.api("/votes?voter="+id), "", nil)
		s.bob.want(403, "GET", s.api("/board?voter="+id), "", nil)
		s.bob.want(403, "POST", s.api("/ask"), fmt.Sprintf(`{"voter":%q}`, id), nil)
		s.bob.want(403, "POST", s.api("/undo"), fmt.Sprintf(`{"voter":%q}`, id), nil)
	}
	s.bob.want(403, "GET", s.api("/export"), "", nil)
	s.bob.want(403, "GET", s.api("/voters"), "", nil)
}

func forgedCookie(t *testing.T) {
	s := setScene(t, server.Options{})
	good := s.ann.header["Cookie"]
	forged := s.ask(s.ann).Question // signed, but a question
	for _, cookie := range []string{good + "x", good[:len(good)-4], cookieOf(server.AsVoter) + "=e30.AAAA", cookieOf(server.AsVoter) + "=" + forged, cookieOf(server.AsVoter) + "=", cookieOf(server.AsOwner) + "=" + strings.TrimPrefix(good, cookieOf(server.AsVoter)+"=")} {
		p := s.browser(t)
		p.header["Cookie"] = cookie
		p.want(403, "POST", s.api("/ask"), `{}`, nil)
		p.want(403, "GET", s.api("/audit"), "", nil)
	}
	// The cookie of one board on another.
	var other CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &other)
	s.ann.want(403, "POST", "/api/boards/"+other.Board.ID+"/ask", `{}`, nil)
}

func crossSite(t *testing.T) {
	s := setScene(t, server.Options{})
	q := s.ask(s.ann)
	for _, header := range []map[string]string{{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}} {
		p := *s.ann
		p.header = map[string]string{"Cookie": s.ann.header["Cookie"]}
		for k, v := range header {
			p.header[k] = v
		}
		p.want(403, "POST", s.api("/tell"), tellJSON(q, "left"), nil)
	}
	s.ann.want(200, "POST", s.api("/tell"), tellJSON(q, "left"), nil)
	pass, err := s.svc.EnterOwner(t.Context(), s.board, s.secret)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.front.Admit(w, pass)
	for _, c := range w.Result().Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || !strings.Contains(c.Path, s.board) {
			t.Errorf("cookie %+v", c)
		}
	}
}

func textWithHTML(t *testing.T) {
	s := setScene(t, server.Options{})
	s.owner.want(200, "POST", s.api("/items"), `{"items":[{"id":"x","body":"<script>alert(1)</script>"}]}`, nil)
	r, err := http.NewRequest("GET", s.URL+s.api("/items"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	h := res.Header
	if !strings.HasPrefix(h.Get("Content-Type"), "application/json") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", h)
	}
	for _, must := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), must) {
			t.Errorf("policy %q lacks %q", h.Get("Content-Security-Policy"), must)
		}
	}
	if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("policy %q", h.Get("Content-Security-Policy"))
	}
}

func pictureWithScript(t *testing.T) {
	s := setScene(t, server.Options{})
	svg := `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
	s.owner.want(422, "POST", s.api("/images?name=a.png"), svg, nil)
	var item ItemJSON
	s.owner.want(200, "POST", s.api("/images?name=b"), string(append(picture(t), svg...)), &item)
	res, err := http.Get(s.URL + item.Media)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if h := res.Header; h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("headers %v", h)
	}
}

func pathTraversal(t *testing.T) {
	s := setScene(t, server.Options{})
	for _, path := range []string{"/b/" + s.board + "/media/../../../etc/passwd", "/b/" + s.board + "/media/%2e%2e%2fpalate.db", "/b/..%2f..%2fetc/media/passwd", "/api/boards/..%2f..", "/api/boards/%00"} {
		if code, text := s.program(t, "").do("GET", path, ""); code < 400 {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

func oversized(t *testing.T) {
	s := setScene(t, server.Options{})
	for path, size := range map[string]int{"/ask": 256<<10 + 1, "/tell": 256<<10 + 1, "/items": server.MaxJSONBody + 1, "/images?name=x": server.MaxUpload + 1} {
		code, text := s.owner.do("POST", s.api(path), `{"voter":"`+strings.Repeat("a", size)+`"}`)
		if code != 413 {
			t.Errorf("%s of %d bytes: %d %.100s", path, size, code, text)
		}
	}
	s.owner.want(422, "POST", s.api("/items"), `{"items":[{"body":"`+strings.Repeat("a", server.MaxText+1)+`"}]}`, nil)
}

func malformed(t *testing.T) {
	s := setScene(t, server.Options{})
	for _, body := range []string{`{`, `[]`, `"x"`, `{"outcome":1}`, `{"outcome":"left"}`, `{"outcome":"left","unknown":1}`, "\xff", `{"voter":"a","left":"soup","right":"soup","key":"1","outcome":"left"}`, `{"voter":"a","left":"soup","right":"none","key":"1","outcome":"left"}`, `{"voter":"a","left":"soup","right":"pie","outcome":"left"}`, `{"voter":"a","question":"a.b","outcome":"left"}`, `{"voter":"a","left":"soup","right":"pie","key":"1","outcome":"left","seconds":-1}`} {
		if code, text := s.owner.do("POST", s.api("/tell"), body); code < 400 || code >= 500 {
			t.Errorf("%s: %d %s", body, code, text)
		}
	}
	if votes := s.votes(t, s.board); len(votes) != 0 {
		t.Errorf("%d votes came of that", len(votes))
	}
}

// endlessMistakes: neither the answer nor the memory that it takes grows with the mistakes of a
// body, or with their product.
func endlessMistakes(t *testing.T) {
	s := setScene(t, server.Options{})
	of := func(n int, what func(k int) string) string {
		all := make([]string, n)
		for k := range all {
			all[k] = what(k)
		}
		return strings.Join(all, ",")
	}
	ones := func(int) string { return "1" }
	for name, body := range map[string]string{
		"members that are not known": "{" + of(2000, func(k int) string { return fmt.Sprintf(`"a%d":1`, k) }) + "}",
		"values that are no items":   `{"items":[` + of(listMost, ones) + `]}`,
		"too many of them":           `{"items":[` + of(listMost+1, ones) + `]}`,
		"a name without end":         `{"` + strings.Repeat("a", 100_000) + `":1}`,
		"words within words":         `{"items":["` + strings.Repeat(`\",`, listMost+1) + `"]}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, text := s.owner.do("POST", s.api("/items"), body)
		runtime.ReadMemStats(&after)
		if code < 400 || code >= 500 || len(text) > 10_000 || strings.Contains(text, "a list of more than") != (name == "too many of them") {
			t.Errorf("%s: %d, %d bytes: %.200s", name, code, len(text), text)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 200 {
			t.Errorf("%s: %d MB", name, took)
		}
	}
	s.owner.want(200, "GET", s.api(""), "", nil)
}

func beyondScope(t *testing.T) {
	s := setScene(t, server.Options{})
	var k struct{ Token string }
	s.owner.want(200, "POST", s.api("/tokens"), `{"name":"ci","scopes":["read"]}`, &k)
	p := s.program(t, k.Token)
	p.want(200, "GET", s.api("/board"), "", nil)
	p.want(403, "GET", s.api("/export"), "", nil)
	p.want(403, "PATCH", s.api(""), `{"closed":true}`, nil)
	p.want(403, "POST", s.api("/tokens"), `{"name":"more","scopes":["export"]}`, nil)
	p.want(403, "POST", s.api("/ask"), `{"voter":"ann"}`, nil)
	s.owner.want(200, "DELETE", s.api("/tokens/ci"), "", nil)
	p.want(403, "GET", s.api("/board"), "", nil)
}

func anotherBoard(t *testing.T) {
	s := setScene(t, server.Options{})
	var other CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, &other)
	s.program(t, other.Secret).want(403, "GET", s.api("/audit"), "", nil)
	var k struct{ Token string }
	s.program(t, other.Secret).want(200, "POST", "/api/boards/"+other.Board.ID+"/tokens", `{"name":"ci","scopes":["read","vote","export","import"]}`, &k)
	s.program(t, k.Token).want(403, "GET", s.api("/board"), "", nil)
}

func replayed(t *testing.T) {
	s := setScene(t, server.Options{})
	q := s.ask(s.ann)
	for k := range 5 {
		var r ReceiptJSON
		s.ann.want(200, "POST", s.api("/tell"), tellJSON(q, []string{"left", "right"}[k%2]), &r)
		if r.Fresh != (k == 0) || r.Votes != 1 {
			t.Errorf("told %d times: %+v", k+1, r)
		}
	}
	s.ann.want(200, "POST", s.api("/undo"), `{}`, nil)
	var r ReceiptJSON
	s.ann.want(200, "POST", s.api("/tell"), tellJSON(q, "left"), &r)
	if r.Fresh || r.Votes != 0 {
		t.Errorf("told again after it was taken back: %+v", r)
	}
}

// noAnswer: what is no answer to a question about several items is refused, and the question
// stays open.
func noAnswer(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", `{"settings":{"ask":"best-worst","size":3},"items":[{"body":"soup"},{"body":"pie"},{"body":"egg"},{"body":"ham"}]}`, &made)
	if made.Board.Settings.Ask != "best-worst" || made.Board.Settings.Size != 3 {
		t.Errorf("settings %+v", made.Board.Settings)
	}
	b, owner := "/api/boards/"+made.Board.ID, s.program(t, made.Secret)
	var q QuestionJSON
	owner.want(200, "POST", b+"/ask", `{"voter":"ann"}`, &q)
	if q.Ask != "best-worst" || len(q.Items) != 3 || q.Left != nil {
		t.Fatalf("asked %+v", q)
	}
	in, out := []string{q.Items[0].ID, q.Items[1].ID, q.Items[2].ID}, ""
	for _, id := range []string{"soup", "pie", "egg", "ham"} {
		if !slices.Contains(in, id) {
			out = id
		}
	}
	tell := func(code int, how string, args ...any) (r ReceiptJSON) {
		t.Helper()
		owner.want(code, "POST", b+"/tell", fmt.Sprintf(`{"voter":"ann","question":%q,`+how+`}`, append([]any{q.Question}, args...)...), &r)
		return r
	}
	tell(422, `"best":%q,"worst":%q`, out, in[0])
	tell(422, `"best":%q,"worst":"<script>"`, in[0])
	tell(422, `"best":%q,"worst":%q`, in[0], in[0])
	tell(422, `"best":%q`, in[0])
	tell(422, `"outcome":"left"`)
	tell(422, `"outcome":"tie","best":%q,"worst":%q`, in[0], in[1])
	tell(422, `"order":[%q,%q,%q]`, in[0], in[1], in[2])
	tell(422, `"order":["a"`+strings.Repeat(`,"a"`, 60)+`]`)
	tell(422, `"reason":"none"`)
	if r := tell(200, `"best":%q,"worst":%q`, in[0], in[1]); !r.Fresh || r.Votes != 1 {
		t.Errorf("told: %+v", r)
	}
	if r := tell(200, `"best":%q,"worst":%q`, in[2], in[1]); r.Fresh || r.Votes != 1 {
		t.Errorf("replayed: %+v", r)
	}
	var votes []RecordJSON
	owner.want(200, "GET", b+"/votes?voter=ann", "", &votes)
	if len(votes) != 1 || votes[0].Ask != "best-worst" || fmt.Sprint(votes[0].Places) != fmt.Sprintf("[[%s] [%s] [%s]]", in[0], in[2], in[1]) {
		t.Errorf("votes %+v", votes)
	}
	owner.want(200, "POST", b+"/tell", fmt.Sprintf(`{"voter":"ann","key":"mine","items":["soup","pie","egg","ham"],"best":%q}`, out), nil)
	owner.want(422, "POST", b+"/tell", `{"voter":"ann","key":"mine2","items":["soup","soup","pie"],"best":"soup"}`, nil)
	owner.want(422, "POST", b+"/tell", `{"voter":"ann","key":"mine3","items":["soup","pie","egg"],"best":"ham"}`, nil)
	owner.want(422, "PATCH", b, `{"settings":{"ask":"choice","size":9}}`, nil)
	owner.want(422, "PATCH", b, `{"settings":{"ask":"guess"}}`, nil)
	owner.want(200, "PATCH", b, `{"settings":{"ask":"pairs"}}`, nil)
	owner.want(200, "POST", b+"/ask", `{"voter":"bob"}`, &q)
	if q.Ask != "pairs" || q.Left == nil {
		t.Errorf("asked %+v", q)
	}
}

// stuffed: one private link on a board of two items asks and tells twenty times, and
// a token tells in the voter's name; one vote stands.
func stuffed(t *testing.T) {
	s := startSite(t, server.Options{})
	var made CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", `{"access":"private","items":[{"body":"soup"},{"body":"pie"}]}`, &made)
	b, owner := "/api/boards/"+made.Board.ID, s.program(t, made.Secret)
	invited, err := s.svc.Invite(t.Context(), made.Board.ID, "owner", "", []string{"Ann"})
	if err != nil {
		t.Fatal(err)
	}
	pass, err := s.svc.EnterPrivate(t.Context(), made.Board.ID, invited[0].Secret)
	if err != nil {
		t.Fatal(err)
	}
	ann := s.browser(t)
	ann.holds(pass)
	questions := map[string]bool{}
	var last QuestionJSON
	for range 20 {
		ann.want(200, "POST", b+"/ask", `{}`, &last)
		questions[last.Question] = true
	}
	for q := range questions {
		ann.do("POST", b+"/tell", tellJSON(QuestionJSON{Question: q}, "left"))
	}
	ann.want(410, "POST", b+"/ask", `{}`, nil)
	for k := range 20 {
		owner.want(200, "POST", b+"/tell", fmt.Sprintf(`{"voter":"bob","left":"soup","right":"pie","key":"%d","outcome":"left"}`, k), nil)
	}
	board := owner.settled(made.Board.ID)
	if len(questions) != 1 || board.Votes != 2 || board.Rows[0].Votes != 2 {
		t.Errorf("%d questions; two voters cast %d votes", len(questions), board.Votes)
	}
	// Undo brings the same pair back, as it was shown.
	var again QuestionJSON
	ann.want(200, "POST", b+"/undo", `{}`, nil)
	ann.want(200, "POST", b+"/ask", `{}`, &again)
	if again.Left.ID != last.Left.ID || again.Right.ID != last.Right.ID || again.Question == last.Question {
		t.Errorf("after an undo: %s, %s", again.Left.ID, again.Right.ID)
	}
}

func anothersQuestion(t *testing.T) {
	s := setScene(t, server.Options{})
	q := s.ask(s.ann)
	s.bob.want(403, "POST", s.api("/tell"), tellJSON(q, "left"), nil)
	body, mac, _ := strings.Cut(q.Question, ".")
	q.Question = strings.Replace(body, body[10:12], "AA", 1) + "." + mac
	s.ann.want(403, "POST", s.api("/tell"), tellJSON(q, "left"), nil)
	// Voters answer what they are asked.
	s.ann.want(403, "POST", s.api("/tell"), `{"left":"soup","right":"pie","key":"1","outcome":"left"}`, nil)
}

func guessedOwner(t *testing.T) {
	s := setScene(t, server.Options{})
	for _, secret := range []string{"x", s.secret + "a", s.secret[1:], strings.ToUpper(s.secret), s.board, "pt_" + s.secret} {
		s.program(t, secret).want(403, "GET", s.api("/audit"), "", nil)
		if _, err := s.svc.EnterOwner(t.Context(), s.board, secret); secret != "pt_"+s.secret && !errors.Is(err, server.ErrForbidden) {
			t.Errorf("%q makes an owner: %v", secret, err)
		}
	}
	if len(s.secret) < 32 {
		t.Errorf("a secret of %d letters", len(s.secret))
	}
}

func guessedPassword(t *testing.T) {
	s := setScene(t, server.Options{})
	enter := func(password string) error {
		_, err := s.svc.EnterPassword(t.Context(), s.board, password, server.Shown{From: "somewhere"})
		return err
	}
	if err := enter(""); !errors.Is(err, server.ErrForbidden) {
		t.Errorf("a board without a password: %v", err)
	}
	if err := s.svc.SetPassword(t.Context(), s.board, "owner", "short"); !errors.Is(err, server.ErrInvalid) {
		t.Errorf("a short password: %v", err)
	}
	if err := s.svc.SetPassword(t.Context(), s.board, "owner", "correct horse"); err != nil {
		t.Fatal(err)
	}
	if err := enter("correct horse"); err != nil {
		t.Error(err)
	}
	var last error
	for range 10 {
		last = enter("wrong horse")
	}
	if !errors.Is(last, server.ErrTooMany) {
		t.Errorf("after ten wrong passwords: %v", last)
	}
}

func staleOwner(t *testing.T) {
	s := setScene(t, server.Options{})
	pass, err := s.svc.EnterOwner(t.Context(), s.board, s.secret)
	if err != nil {
		t.Fatal(err)
	}
	p := s.browser(t)
	p.holds(pass)
	p.want(200, "GET", s.api("/audit"), "", nil)
	if _, err := s.svc.RenewOwner(t.Context(), s.board, "owner"); err != nil {
		t.Fatal(err)
	}
	p.want(403, "GET", s.api("/audit"), "", nil)
	s.owner.want(403, "GET", s.api("/audit"), "", nil)
}

func unsafeLink(t *testing.T) {
	s := setScene(t, server.Options{})
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "//example.org", "file:///etc/passwd", "http://", ""} {
		s.owner.want(422, "POST", s.api("/items"), fmt.Sprintf(`{"items":[{"id":"l","kind":"link","url":%q}]}`, address), nil)
	}
}

func flood(t *testing.T) {
	s := setScene(t, server.Options{RequestsPerMinute: 20})
	codes := map[int]int{}
	for range 40 {
		code, _ := s.program(t, "").do("GET", s.api(""), "")
		codes[code]++
	}
	if codes[429] < 15 {
		t.Errorf("of 40 requests: %v", codes)
	}
	// Whoever has a network of version 6 is one, by way of a proxy, too.
	for same, hosts := range map[string][]string{
		"192.0.2.1":     {"192.0.2.1", "192.0.2.1:1000", "192.0.2.1:2000", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:80"},
		"2001:db8::/64": {"2001:db8::1", "2001:db8::2", "[2001:db8::3]", "[2001:db8::4]:80"},
		"fe80::/64":     {"fe80::1%eth0", "fe80::2%eth1", "[fe80::3%eth2]:80"},
		"somebody":      {"somebody"},
		"":              {""},
	} {
		for _, host := range hosts {
			if got := customer(host); got != same {
				t.Errorf("%q is %q, want %q", host, got, same)
			}
		}
	}
	for _, proxies := range []int{0, 1} {
		front := &Front{options: Options{Proxies: proxies}}
		names := map[string]bool{}
		for _, host := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"} {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = "[" + host + "]:99"
			if proxies > 0 {
				r.Header.Set("X-Forwarded-For", "made up, "+host)
			}
			names[front.from(r)] = true
		}
		if len(names) != 2 {
			t.Errorf("%d proxies: two networks are %v", proxies, names)
		}
	}
}

func whoVoted(t *testing.T) {
	s := setScene(t, server.Options{})
	s.owner.want(200, "POST", s.api("/tell"), `{"voter":"ann@example.org","left":"soup","right":"pie","key":"1","outcome":"left"}`, nil)
	for _, path := range []string{"/export", "/export?log=true", "/board"} {
		if text := s.owner.want(200, "GET", s.api(path), "", nil); strings.Contains(text, "example.org") {
			t.Errorf("%s: %s", path, text)
		}
	}
}

func secretAtRest(t *testing.T) {
	s := setScene(t, server.Options{})
	if err := s.svc.SetPassword(t.Context(), s.board, "owner", "correct horse"); err != nil {
		t.Fatal(err)
	}
	made, err := s.svc.Invite(t.Context(), s.board, "owner", "", []string{"Ann"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.svc.NewToken(t.Context(), s.board, "owner", "ci", []server.Scope{server.CanRead})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.store.Board(t.Context(), s.board)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := s.svc.Tokens(t.Context(), s.board)
	if err != nil {
		t.Fatal(err)
	}
	voters, err := s.store.Voters(t.Context(), s.board)
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.svc.Audit(t.Context(), s.board)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%+v %s %s %+v %+v %+v", b, b.OwnerHash, tokens[0].Hash, tokens, voters, log)
	for _, secret := range []string{s.secret, k, made[0].Secret, "correct horse"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is kept as it is", secret)
		}
	}
	if !strings.HasPrefix(b.Password, "$argon2id$") {
		t.Errorf("password kept as %s", b.Password)
	}
}

func silentChange(t *testing.T) {
	s := setScene(t, server.Options{})
	ctx, b := t.Context(), s.board
	voter := s.people(t, b)[0].ID
	did := []error{
		s.svc.SetClosed(ctx, b, "owner", true), s.svc.SetPublic(ctx, b, "owner", true), s.svc.SetSettings(ctx, b, "owner", store.Settings{}),
		s.svc.ExcludeVoter(ctx, b, "owner", voter, "r"), s.svc.ExcludeItem(ctx, b, "owner", "pie", "r"), s.svc.SetPassword(ctx, b, "owner", "correct horse"),
	}
	_, err := s.svc.AddItems(ctx, b, "ci", []server.NewItem{{ID: "new"}})
	did = append(did, err)
	_, err = s.svc.NewToken(ctx, b, "owner", "k", []server.Scope{server.CanRead})
	did = append(did, err, s.svc.RevokeToken(ctx, b, "owner", "k"))
	_, err = s.svc.Invite(ctx, b, "owner", "", []string{"Ann"})
	did = append(did, err)
	s.imports(t, b, "v.csv", "left,right,winner\nsoup,egg,left\n")
	did = append(did, nil, nil) // its beginning and its end
	_, err = s.svc.RenewOwner(ctx, b, "owner")
	did = append(did, err)
	if err := errors.Join(did...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"owner", "server", "voter", "owner: Bob"} { // whom the log names
		if _, err := s.svc.NewToken(ctx, b, "owner", name, []server.Scope{server.CanRead}); !errors.Is(err, server.ErrInvalid) {
			t.Errorf("a token called %s: %v", name, err)
		}
	}
	log, err := s.svc.Audit(ctx, b)
	if err != nil || len(log) != len(did)+1 {
		t.Fatalf("%d of %d actions are on record (%v): %+v", len(log)-1, len(did), err, log)
	}
}

// ownPage: on a host of any name, without HTTPS, a form of our own page is taken as
// such, with what browsers say there.
func ownPage(t *testing.T) {
	s := setScene(t, server.Options{})
	post := func(front *Front, host string, header map[string]string) *http.Response {
		r := httptest.NewRequest("POST", s.api("/ask"), strings.NewReader("{}"))
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Cookie", s.ann.header["Cookie"])
		for k, v := range header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		front.Handler(nil).ServeHTTP(w, r)
		return w.Result()
	}
	res := post(s.front, "board.lan:8080", map[string]string{"Origin": "http://board.lan:8080"})
	if res.StatusCode != 200 {
		t.Errorf("a form of our own on plain HTTP: %d", res.StatusCode)
	}
	// With no-referrer a browser would hide the origin of our own forms, too.
	if p := res.Header.Get("Referrer-Policy"); p != "same-origin" {
		t.Errorf("Referrer-Policy: %s", p)
	}
	for _, origin := range []string{"null", "http://board.lan", "http://evil.lan:8080"} {
		res := post(s.front, "board.lan:8080", map[string]string{"Origin": origin})
		if res.StatusCode != 403 || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("from %s: %d %s", origin, res.StatusCode, res.Header.Get("Content-Type"))
		}
	}
	// Behind a proxy that exchanges the name, --url says what it is.
	behind := New(s.svc, Options{Log: silent(), URL: "https://vote.example.org"})
	if res := post(behind, "127.0.0.1:8080", map[string]string{"Origin": "https://vote.example.org"}); res.StatusCode != 200 {
		t.Errorf("behind a proxy: %d", res.StatusCode)
	}
}

// untouched is a body that nobody reads.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// workBeforeTrust: what a stranger sends is not read where it is not for strangers.
func workBeforeTrust(t *testing.T) {
	s := setScene(t, server.Options{})
	closed := startSite(t, server.Options{Admin: "the server's own"})
	for _, c := range []struct {
		at            *site
		method, path  string
		authorization string
	}{
		{closed, "POST", "/api/boards", ""},
		{closed, "POST", "/api/boards", "Bearer wrong"},
		{s.site, "POST", s.api("/items"), ""},
		{s.site, "POST", s.api("/images"), ""},
		{s.site, "POST", s.api("/import"), ""},
		{s.site, "POST", s.api("/import"), "Bearer wrong"},
		{s.site, "PATCH", s.api(""), ""},
		{s.site, "POST", s.api("/exclude"), ""},
		{s.site, "POST", s.api("/invitations"), ""},
		{s.site, "POST", s.api("/tokens"), ""},
	} {
		r := httptest.NewRequest(c.method, c.path, untouched{t})
		r.Header.Set("Content-Type", "application/json")
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := httptest.NewRecorder()
		c.at.front.Handler(nil).ServeHTTP(w, r)
		if w.Code != 403 {
			t.Errorf("%s %s %s: %d", c.method, c.path, c.authorization, w.Code)
		}
	}
}

// formula: what would be a formula in a spreadsheet is text, and comes back from there.
func formula(t *testing.T) {
	s := setScene(t, server.Options{})
	const evil = "=HYPERLINK(A1)"
	s.owner.want(200, "POST", s.api("/items"), `{"items":[{"id":"`+evil+`"},{"id":"-5 %"},{"id":"@x"}]}`, nil)
	for k, pair := range [][2]string{{evil, "-5 %"}, {"-5 %", "@x"}, {"soup", evil}} {
		s.owner.want(200, "POST", s.api("/tell"), fmt.Sprintf(`{"voter":"v","left":%q,"right":%q,"key":"%d","outcome":"left","reason":"+1"}`, pair[0], pair[1], k), nil)
	}
	for _, path := range []string{"/export", "/export?format=tsv", "/export?log=true"} {
		text := s.owner.want(200, "GET", s.api(path), "", nil)
		for _, bad := range []string{",=", ",-5", ",@", ",+", "\t=", "\t-5", "\t@", "\t+", "\n="} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q:\n%s", path, bad, text)
			}
		}
	}
	if text := s.owner.want(200, "GET", s.api("/export?format=jsonl"), "", nil); !strings.Contains(text, `"`+evil+`"`) {
		t.Errorf("JSON needs no apostrophe: %s", text)
	}
	var other CreatedJSON
	s.program(t, "").want(201, "POST", "/api/boards", `{"items":[{"id":"soup"},{"id":"`+evil+`"},{"id":"-5 %"},{"id":"@x"}]}`, &other)
	s.imports(t, other.Board.ID, "votes.csv", s.owner.want(200, "GET", s.api("/export"), "", nil))
}

// smallGroup: the ranking of four people is for the owner only, by name and by token.
func smallGroup(t *testing.T) {
	s := setScene(t, server.Options{})
	made, err := s.svc.Invite(t.Context(), s.board, "owner", "team", []string{"1", "2", "3", "4", "5"})
	if err != nil {
		t.Fatal(err)
	}
	vote := func(k int) {
		if _, err := s.svc.Tell(t.Context(), s.board, made[k].Voter.ID, server.Answer{Left: "soup", Right: "pie", Key: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 4 {
		vote(k)
	}
	s.ann.want(403, "GET", s.api("/board?group=team"), "", nil)
	s.ann.want(403, "GET", s.api("/predict?group=team&left=soup&right=pie"), "", nil)
	s.owner.want(200, "GET", s.api("/board?group=team"), "", nil)
	vote(4)
	s.ann.want(200, "GET", s.api("/board?group=team"), "", nil)
}

// lockedOut: whoever guesses passwords does not use up the tries of the owner, who is
// elsewhere, or has been here before.
func lockedOut(t *testing.T) {
	s := setScene(t, server.Options{})
	if err := s.svc.SetPassword(t.Context(), s.board, "owner", "correct horse"); err != nil {
		t.Fatal(err)
	}
	enter := func(from, password string, pass string) error {
		_, err := s.svc.EnterPassword(t.Context(), s.board, password, server.Shown{From: from, Passes: map[server.Role]string{server.AsOwner: pass}})
		return err
	}
	before, err := s.svc.EnterOwner(t.Context(), s.board, s.secret)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for range 11 {
		last = enter("here", "wrong horse", "")
	}
	if !errors.Is(last, server.ErrTooMany) {
		t.Errorf("after eleven guesses: %v", last)
	}
	if err := enter("elsewhere", "correct horse", ""); err != nil {
		t.Errorf("the owner, elsewhere: %v", err)
	}
	if err := enter("here", "correct horse", before.Text); err != nil {
		t.Errorf("the owner, who has been here before: %v", err)
	}
	if err := enter("here", "correct horse", before.Text+"x"); !errors.Is(err, server.ErrTooMany) {
		t.Errorf("a forged pass has tries of its own: %v", err)
	}
}

// stolen: the database alone does not sign cookies.
func stolen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	key := server.NewKey()
	s := siteOn(t, st, server.Options{Key: key}, Options{}, nil)
	s.program(t, "").want(201, "POST", "/api/boards", fourItems, nil)
	if kept, err := server.KeptKey(t.Context(), st); err != nil || kept != nil {
		t.Errorf("the database holds a key: %v", err)
	}
	if _, err := server.New(t.Context(), st, server.Options{Key: server.NewKey(), Log: silent()}); !errors.Is(err, server.ErrKey) {
		t.Errorf("a server with another key: %v", err)
	}
	if _, err := server.New(t.Context(), st, server.Options{Key: key[:31], Log: silent()}); err == nil {
		t.Error("a short key was taken")
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", about.Mode(), err)
	}
	file, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(file), string(key)) {
		t.Errorf("the key is in the file, %v", err)
	}
}

// refusing is a store that a vote cannot be written to.
type refusing struct{ store.Store }

func (refusing) Check(context.Context) error { return store.ErrUnavailable }

func notReady(t *testing.T) {
	s := setScene(t, server.Options{})
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		s.program(t, "").want(200, "GET", path, "", nil)
	}
	away := siteOn(t, refusing{s.store}, server.Options{}, Options{}, nil).program(t, "")
	away.want(200, "GET", "/livez", "", nil)
	away.want(503, "GET", "/readyz", "", nil)
	away.want(503, "GET", "/healthz", "", nil)
}

// besideImport: votes on another board are taken while a file is imported.
func besideImport(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			s := siteOn(t, open(), server.Options{}, Options{}, nil)
			var boards [2]CreatedJSON
			for k := range boards {
				s.program(t, "").want(201, "POST", "/api/boards", fourItems, &boards[k])
			}
			owner, other := s.program(t, boards[0].Secret), s.program(t, boards[1].Secret)
			file := "user,left,right,winner\n" + strings.Repeat("ann,soup,pie,left\nbob,egg,t,right\n", 10_000)
			var i ImportJSON
			at := "/api/boards/" + boards[0].Board.ID
			began, err := s.svc.Import(t.Context(), boards[0].Board.ID, "owner", "v.csv", strings.NewReader(file), store.ImportSettings{})
			if err != nil {
				t.Fatal(err)
			}
			votes := 0
			for i.State == "" || i.State == "running" { // none is refused meanwhile
				other.want(200, "POST", "/api/boards/"+boards[1].Board.ID+"/tell", fmt.Sprintf(`{"voter":"v","left":"soup","right":"pie","key":"%d","outcome":"left"}`, votes), nil)
				votes++
				owner.want(200, "GET", at+"/imports/"+began.ID, "", &i)
			}
			if i.State != "done" || i.Added != 20_000 || votes < 2 {
				t.Errorf("%+v, %d votes meanwhile", i, votes)
			}
			owner.want(422, "DELETE", at+"/imports/"+began.ID, "", nil)
			owner.want(404, "DELETE", at+"/imports/none", "", nil)
			other.want(403, "GET", at+"/imports", "", nil)
			owner.want(422, "POST", at+"/import?name=v.csv", "user,left,right,winner\nann,soup,pie,left\nann,soup,none,left\n", nil)
			owner.want(200, "POST", at+"/import?name=v.csv&skip_bad=true", "user,left,right,winner\nann,soup,pie,left\nann,soup,none,left\n", &i)
			if i.State != "done" || i.Added != 1 || i.Bad != 1 || !strings.Contains(i.Says, "v.csv:3") {
				t.Errorf("%+v", i)
			}
		})
	}
}
