package ui_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"palate/server"
	"palate/store"
)

// visitor is a browser without scripts.
type visitor struct {
	t      *testing.T
	home   string
	client *http.Client
	header http.Header // added to every request
}

func newVisitor(t *testing.T, s *httptest.Server) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, home: s.URL, client: &http.Client{Jar: jar}, header: http.Header{}}
}

func (v *visitor) send(method, path, kind string, body io.Reader) (int, string) {
	v.t.Helper()
	r, err := http.NewRequest(method, v.home+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header = v.header.Clone()
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.send("GET", path, "", nil)
}

func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	return v.send("POST", path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// upload sends the form of a new board with a picture.
func (v *visitor) upload(path, name string, content []byte, fields map[string]string) (int, string) {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for k, x := range fields {
		if err := form.WriteField(k, x); err != nil {
			v.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("pictures", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return v.send("POST", path, form.FormDataContentType(), &body)
}

// nasty is an item that tries to run scripts, in every kind.
func nasty() []server.NewItem {
	script := `<script>alert(1)</script><img src=x onerror="alert(1)">`
	return []server.NewItem{
		{ID: "text " + script, Body: script},
		{ID: "markdown", Kind: store.Markdown, Body: "**bold** " + script + "\n\n[press](javascript:alert(1)) ![](http://elsewhere.example/x.png)"},
		{ID: "link", Kind: store.Link, Body: script, URL: "https://example.org/\"onmouseover=\"alert(1)"},
	}
}

// TestNothingRuns asks for every page of a board whose title, question and items
// try to run scripts.
func TestNothingRuns(t *testing.T) {
	svc, s := site(t, server.Options{Seed: 3})
	made, err := svc.Create(t.Context(), server.NewBoard{Title: "<script>alert(1)</script>", Question: `"><script>alert(1)</script>`, Items: nasty()})
	if err != nil {
		t.Fatal(err)
	}
	owner, voter := newVisitor(t, s), newVisitor(t, s)
	at := "/b/" + made.Board.ID
	if code, _ := owner.enter(at + "/own/" + made.Secret); code != http.StatusOK {
		t.Fatalf("the owner's link: %d", code)
	}
	if err := svc.SetRules(t.Context(), made.Board.ID, "owner", store.Rules{Comments: true, Proposals: true}); err != nil {
		t.Fatal(err)
	}
	voter.post(at+"/join", nil)
	script := `<script>alert(1)</script><img src=x onerror="alert(1)">`
	if code, text := voter.post(at+"/propose", url.Values{"body": {script}}); code != http.StatusOK {
		t.Fatalf("a proposal: %d %s", code, text)
	}
	if code, text := owner.post(at+"/owner/add-owner", url.Values{"name": {script}}); code != http.StatusOK {
		t.Fatalf("an owner: %d %s", code, text)
	}
	var all strings.Builder
	for range 3 { // all pairs of three items
		_, page := voter.get(at + "/vote")
		all.WriteString(page)
		token := regexp.MustCompile(`name="question" value="([^"]+)"`).FindStringSubmatch(page)
		if token == nil {
			t.Fatal("there is no question on the page")
		}
		if code, answer := voter.post(at+"/tell", url.Values{"question": token[1:], "outcome": {"left"}, "comment": {script}}); code != http.StatusOK {
			t.Fatalf("the answer: %d %s", code, answer)
		}
	}
	for _, page := range []string{"", "/board", "/rows", "/me", "/vote"} {
		code, text := voter.get(at + page)
		if code != http.StatusOK {
			t.Errorf("%s: %d", page, code)
		}
		all.WriteString(text)
	}
	for _, page := range []string{at + "/owner", "/my"} {
		_, text := owner.get(page)
		all.WriteString(text)
	}
	for _, bad := range []string{"<script>alert", "<img src=x", `" onmouseover`, `"onmouseover`, "javascript:alert"} {
		if strings.Contains(all.String(), bad) {
			t.Errorf("a page has %s", bad)
		}
	}
	if !strings.Contains(all.String(), "<strong>bold</strong>") {
		t.Error("Markdown is not shown as such")
	}
}

// TestWhoSeesWhat is the table of who may ask for what.
func TestWhoSeesWhat(t *testing.T) {
	svc, s := site(t, server.Options{Seed: 3})
	items := []server.NewItem{{Body: "a"}, {Body: "b"}, {Body: "c"}}
	create := func(n server.NewBoard) server.Created {
		n.Title, n.Items = "Board", items
		made, err := svc.Create(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	open, private := create(server.NewBoard{Password: "correct horse"}), create(server.NewBoard{Access: store.Private})
	invited, err := svc.Invite(t.Context(), private.Board.ID, "owner", "", []string{"Ann"})
	if err != nil {
		t.Fatal(err)
	}
	o, p := "/b/"+open.Board.ID, "/b/"+private.Board.ID
	stranger, voter, owner, ann, site := newVisitor(t, s), newVisitor(t, s), newVisitor(t, s), newVisitor(t, s), newVisitor(t, s)
	voter.post(o+"/join", nil)
	owner.enter(o + "/own/" + open.Secret)
	ann.enter(p + "/v/" + invited[0].Secret)
	site.header.Set("Sec-Fetch-Site", "cross-site")
	site.client.Jar = owner.client.Jar // the owner's browser, on a page elsewhere

	for _, c := range []struct {
		who    *visitor
		name   string
		method string
		path   string
		code   int
		says   string
	}{
		{stranger, "stranger", "GET", o, 200, "Start voting"},
		{stranger, "stranger", "GET", o + "/vote", 200, "Start voting"}, // by way of the entrance
		{stranger, "stranger", "GET", o + "/board", 403, "not for you"},
		{stranger, "stranger", "GET", o + "/rows", 403, ""},
		{stranger, "stranger", "GET", o + "/events", 403, ""},
		{stranger, "stranger", "GET", o + "/me", 403, ""},
		{stranger, "stranger", "GET", o + "/owner", 200, "Password"}, // asks for it
		{stranger, "stranger", "GET", "/api/boards/" + open.Board.ID + "/export", 403, ""},
		{stranger, "stranger", "POST", o + "/tell", 403, ""},
		{stranger, "stranger", "POST", o + "/undo", 403, ""},
		{stranger, "stranger", "POST", o + "/owner/close", 403, ""},
		{stranger, "stranger", "GET", o + "/own/" + private.Secret, 403, ""},
		{stranger, "stranger", "GET", p, 200, "by invitation"},
		{stranger, "stranger", "POST", p + "/join", 403, ""},
		{stranger, "stranger", "GET", p + "/v/guess", 403, ""},
		{stranger, "stranger", "POST", o + "/login?password=wrong", 403, "not the password"},
		{stranger, "stranger", "GET", "/b/nosuchboard", 404, "nothing at this address"},
		{stranger, "stranger", "GET", "/static/x/../../../../etc/passwd", 404, ""},
		{stranger, "stranger", "GET", "/static/x/palate.db", 404, ""},
		{voter, "voter", "GET", o + "/vote", 200, "ballot"},
		{voter, "voter", "GET", o + "/board", 200, "Leaderboard"},
		{voter, "voter", "GET", o + "/me", 200, "My ranking"},
		{voter, "voter", "GET", "/api/boards/" + open.Board.ID + "/export", 403, ""},
		{voter, "voter", "POST", o + "/owner/close", 403, ""},
		{voter, "voter", "POST", o + "/tell?outcome=perhaps", 422, "perhaps"},
		{voter, "voter", "POST", o + "/tell?outcome=left&question=forged", 403, ""},
		{voter, "voter", "GET", p + "/me", 403, ""}, // a cookie is for one board
		{ann, "invited", "GET", p + "/vote", 200, "ballot"},
		{ann, "invited", "GET", o + "/me", 403, ""},
		{owner, "owner", "GET", o + "/owner", 200, "Can the ranking be trusted"},
		{owner, "owner", "GET", "/api/boards/" + open.Board.ID + "/export?format=csv", 200, "left"},
		{owner, "owner", "GET", "/api/boards/" + open.Board.ID + "/export?format=exe", 422, ""},
		{owner, "owner", "GET", "/api/boards/" + private.Board.ID + "/export", 403, ""},
		{stranger, "stranger", "POST", o + "/propose?body=x", 403, ""},
		{stranger, "stranger", "POST", o + "/erase", 403, ""},
		{stranger, "stranger", "GET", "/my", 200, "No boards yet"},
		{voter, "voter", "POST", o + "/owner/delete", 403, ""},
		{voter, "voter", "POST", o + "/owner/add-owner?name=x", 403, ""},
		{voter, "voter", "POST", o + "/propose?body=x", 403, ""}, // the board takes none
		{site, "another site", "POST", o + "/owner/delete", 403, ""},
		{site, "another site", "POST", o + "/erase", 403, ""},
		{owner, "owner", "GET", "/my", 200, ">Board</a>"},
		{owner, "owner", "POST", o + "/owner/rules?quota=x", 422, "not a number of votes"},
		{owner, "owner", "POST", o + "/owner/rules?closes=x", 422, "not a date"},
		{owner, "owner", "POST", o + "/owner/edit?title=" + strings.Repeat("x", 300), 422, "title"},
		{owner, "owner", "POST", o + "/owner/nonsense", 404, ""},
		{owner, "owner", "POST", o + "/owner/items?lines=d", 422, "The form cannot be read"},
		{owner, "owner", "POST", o + "/owner/import?votes=d", 422, "The form cannot be read"},
		{site, "another site", "POST", o + "/owner/close", 403, ""},
		{owner, "owner", "POST", o + "/owner/close", 200, "Open the board again"},
		{voter, "voter", "GET", o + "/vote", 200, "has ended"},
	} {
		path, query, _ := strings.Cut(c.path, "?")
		var code int
		var text string
		if c.method == "POST" {
			form, _ := url.ParseQuery(query)
			code, text = c.who.post(path, form)
		} else {
			code, text = c.who.get(c.path)
		}
		if code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s, %s %s: %d, want %d and %q in\n%.400s", c.name, c.method, c.path, code, c.code, c.says, text)
		}
	}
}

// TestPictures uploads what is no picture.
func TestPictures(t *testing.T) {
	_, s := site(t, server.Options{Seed: 3})
	fields := map[string]string{"title": "Pictures", "lines": "a\nb"}
	for _, c := range []struct {
		name, content string
		code          int
	}{
		{"script.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, 422},
		{"page.png", "<html><script>alert(1)</script></html>", 422},
		{"../../palate.db", "not a picture", 422},
		{"large.png", strings.Repeat("x", server.MaxBoard+1), 413},
	} {
		code, text := newVisitor(t, s).upload("/boards", c.name, []byte(c.content), fields)
		if code != c.code {
			t.Errorf("%s: %d, want %d: %.300s", c.name, code, c.code, text)
		}
	}
}
