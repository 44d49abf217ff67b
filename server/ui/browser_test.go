package ui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"palate/internal/browser"
	"palate/server"
	"palate/store"
)

// person is somebody at a browser.
type person struct {
	*browser.Window
	t     *testing.T
	votes []string // the pairs answered so far
}

// pair is the pair on the page.
func (p *person) pair() string {
	return strings.Join(browser.Eval[[]string](p.Window, `[...document.querySelectorAll("#ballot .item")].map(e => e.textContent.trim())`), " or ")
}

// look looks at a page on a phone and on a desk, by day and by night: nothing leaves the
// screen, no word is broken that has room, and everybody can use it.
func (p person) look(name string) {
	for _, scheme := range []string{"dark", "light"} {
		p.Colours(scheme)
		for _, width := range []int64{390, 1280} {
			p.Size(width, 900)
			if wide := browser.Eval[int64](p.Window, "document.documentElement.scrollWidth"); wide > width {
				p.t.Errorf("%s is %d pixels wide on a screen of %d", name, wide, width)
			}
			if out := browser.Eval[[]string](p.Window, leaving); len(out) > 0 {
				p.t.Errorf("%s, %d wide: leaves its place: %v", name, width, out)
			}
			p.Shoot(name)
		}
		p.Accessible(name)
	}
}

// leaving are the items and names whose text is wider than what holds it.
const leaving = `[...document.querySelectorAll(".side, .order li, .card, .board tr, .board .name, .list td, .list th, .names li, .import")].filter(e => !e.closest(".scroll") && e.scrollWidth > e.clientWidth + 1).map(e => e.className + " " + e.textContent.trim().slice(0, 30))`

// create makes a board and returns its address.
func (p person) create(home, title string, items []string) string {
	p.Visit(home)
	p.See("form")
	p.Fill("[name=title]", title)
	p.Fill("[name=lines]", strings.Join(items, "\n"))
	p.look("home")
	p.Click("form button.primary")
	p.See("#owner-link")
	at, _, found := strings.Cut(p.Text("#owner-link"), "/own/")
	if !found {
		p.t.Fatalf("%s is no owner's link", p.Text("#owner-link"))
	}
	return at
}

// ranking is the order of the items on the page.
func (p person) ranking() string {
	return strings.Join(browser.Eval[[]string](p.Window, `[...document.querySelectorAll("table.board tbody tr")].map(r => r.dataset.id)`), " ")
}

const token = `document.querySelector("#ballot [name=question]")?.value`

// answer picks the tea with the smaller number, by key or by click, and waits
// for the next question.
func (p *person) answer(byKey bool) {
	p.See("#ballot")
	p.votes = append(p.votes, p.pair())
	asked := browser.Eval[string](p.Window, token)
	sides := browser.Eval[[]string](p.Window, `[...document.querySelectorAll("#ballot .item")].map(e => e.textContent.trim())`)
	key, side := kb.ArrowLeft, "left"
	if sides[1] < sides[0] {
		key, side = kb.ArrowRight, "right"
	}
	if byKey {
		p.Press(key)
	} else {
		p.Click("button[value=" + side + "]")
	}
	p.Wait(fmt.Sprintf("%s !== %q", token, asked))
}

// host is a name that only the tests' browsers know. It is not localhost, and not HTTPS,
// so that browsers say less of where a form comes from.
const host = "board.example"

// TestBrowser plays the whole story in a real browser: a board is made, three
// voters vote with keys and clicks, one takes an answer back, the leaderboard
// moves in another window, the owner closes the board, and what is exported
// gives the same ranking when it is imported again.
func TestBrowser(t *testing.T) {
	t.Run("plain", func(t *testing.T) { story(t, site) })
	// HTTPS ends at a proxy that takes a path off, or leaves it.
	t.Run("behind a proxy", func(t *testing.T) { story(t, proxied) })
}

func story(t *testing.T, site func(*testing.T, server.Options) (*server.Service, *httptest.Server)) {
	b := browser.Start(t, host)
	svc, s := site(t, server.Options{Seed: 1})
	s.URL = strings.Replace(s.URL, "127.0.0.1", host, 1)
	open := func(url string) *person { return &person{Window: b.Open(t, s.URL, url), t: t} }
	var teas []string
	for k := range 8 {
		teas = append(teas, fmt.Sprintf("tea-%d", k))
	}
	owner := open(s.URL)
	at := owner.create(s.URL, "Teas", teas)
	owner.look("created")
	owner.Click("[data-copy]")
	owner.Wait(`document.querySelector("[data-copy]").textContent === "Copied"`)
	owner.Visit(at + "/board")
	before := owner.ranking()

	var voters []*person
	for range 3 {
		v := open(at)
		v.look("welcome")
		v.Click("main form button")
		voters = append(voters, v)
	}
	const each = 20
	for k := range each {
		for n, v := range voters {
			v.answer((k+n)%2 == 0)
		}
		switch k {
		case 0:
			voters[0].look("vote")
			// The leaderboard follows in the owner's window, which nobody touches.
			owner.Wait(`document.querySelector("#freshness").textContent.includes("3 votes · 3 voters")`)
		case 4:
			v := voters[1]
			last := v.votes[len(v.votes)-1]
			v.Press("u")
			v.Wait(fmt.Sprintf(`document.querySelector("#count").textContent === "%d"`, k))
			if again := v.pair(); again != last {
				t.Errorf("after %s was taken back, the pair is %s", last, again)
			}
			v.answer(true)
		}
	}
	all := fmt.Sprintf(`document.querySelector("#freshness").textContent.includes("%d votes · 3 voters")`, 3*each)
	owner.Wait(all)
	after := owner.ranking()
	if after == before || !strings.HasPrefix(after, "tea-0 ") || !strings.HasSuffix(after, " tea-7") {
		t.Errorf("the ranking was %s and is %s; everybody prefers the smaller number", before, after)
	}
	owner.Click("details.matrix summary")
	owner.look("board")
	voters[2].Visit(at + "/me")
	voters[2].See("table.list")
	voters[2].look("me")

	owner.Visit(at + "/owner")
	owner.look("owner")
	owner.Click("#close")
	owner.Click("#close-now")
	owner.See("#reopen")
	v := voters[0]
	v.Press(kb.ArrowLeft)
	v.Wait(`document.querySelector("h1").textContent.includes("ended")`)
	if says := v.Text(".tally"); !strings.Contains(says, fmt.Sprintf("Your votes: %d", each)) {
		t.Errorf("the page of a closed board says %q", says)
	}
	v.look("closed")

	file := filepath.Join(t.TempDir(), "votes.csv")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := svc.Export(t.Context(), filepath.Base(at), out, server.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	again := owner.create(s.URL, "Again", teas)
	owner.Visit(again + "/owner")
	owner.Upload("[name=votes]", file)
	browser.Eval[bool](owner.Window, `document.querySelector("[name=votes]").closest("details").open = true`)
	owner.Click(`form[action$="/owner/import"] button`)
	owner.See(".shown")
	if says := owner.Text(".shown"); !strings.Contains(says, strconv.Itoa(3*each)+" votes") {
		t.Errorf("the import says %q", says)
	}
	owner.Visit(again + "/board")
	owner.Wait(all)
	if got := owner.ranking(); got != after {
		t.Errorf("imported again the ranking is %s, not %s", got, after)
	}
}

// TestWithoutFetchHeaders: a browser that does not say where requests come from, as old
// ones and those behind some proxies, can vote, and focus stays where it was.
func TestWithoutFetchHeaders(t *testing.T) {
	b := browser.Start(t, host)
	svc, s := site(t, server.Options{Seed: 1})
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "Sec-Fetch-") {
				r.Header.Del(name)
			}
		}
		inner.ServeHTTP(w, r)
	})
	made, err := svc.Create(t.Context(), server.NewBoard{Title: "Teas", Items: []server.NewItem{{Body: "tea-0"}, {Body: "tea-1"}, {Body: "tea-2"}}})
	if err != nil {
		t.Fatal(err)
	}
	home := strings.Replace(s.URL, "127.0.0.1", host, 1)
	v := &person{Window: b.Open(t, home, home+"/b/"+made.Board.ID), t: t}
	v.Click("main form button")
	v.See("#ballot")
	browser.Eval[bool](v.Window, `document.getElementById("pick-left").focus(), true`)
	asked := browser.Eval[string](v.Window, token)
	v.Press(kb.Enter)
	v.Wait(fmt.Sprintf("%s !== %q", token, asked))
	if focus := browser.Eval[string](v.Window, "document.activeElement.id"); focus != "pick-left" {
		t.Errorf("after Enter the focus is at %q", focus)
	}
	v.answer(true)
	v.answer(false)
	v.Wait(`document.querySelector("#over")`)
}

// awkward are names that are long, without a place to break, written from right to left,
// or not letters at all.
func awkward(n int) []server.NewItem {
	kinds := []string{
		"A tea whose name goes on for longer than anybody would care to read aloud at a counter", "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
		"شاي بالنعناع من أسوان مع ورق السدر", "👩‍👩‍👧‍👦🍵🫖🏳️‍🌈", "https://example.org/" + strings.Repeat("a", 120), "煎茶と抹茶の飲み比べ", "x",
	}
	var items []server.NewItem
	for k := range n {
		items = append(items, server.NewItem{Body: fmt.Sprintf("%s %d", kinds[k%len(kinds)], k)})
	}
	return items
}

// TestPages looks at every page of boards with few, many and very many items, before and
// after votes.
func TestPages(t *testing.T) {
	b := browser.Start(t, host)
	svc, s := site(t, server.Options{Seed: 1, VotesPerMinute: -1, RequestsPerMinute: -1})
	home := strings.Replace(s.URL, "127.0.0.1", host, 1)
	for _, n := range []int{2, 60, 2000} {
		made, err := svc.Create(t.Context(), server.NewBoard{Title: "كل الشاي " + strings.Repeat("in der Welt ", 5), Items: awkward(n), Public: true})
		if err != nil {
			t.Fatal(err)
		}
		at := home + "/b/" + made.Board.ID
		look := func(p *person, page, name string) {
			p.Visit(at + page)
			p.look(fmt.Sprintf("%s-%d", name, n))
		}
		// A ranking of very many items may take longer to make than a page may to come.
		ranked := func() {
			voters, err := svc.Voters(t.Context(), made.Board.ID)
			if err != nil {
				t.Fatal(err)
			}
			views := []server.View{{}}
			for _, v := range voters {
				views = append(views, server.View{Voter: v.ID})
			}
			for _, v := range views {
				for behind := true; behind; {
					b, err := svc.Leaderboard(t.Context(), made.Board.ID, v)
					if err != nil {
						t.Fatal(err)
					}
					behind = b.Behind
				}
			}
		}
		ranked()
		stranger := &person{Window: b.Open(t, home, at), t: t}
		stranger.Expect("404") // of the page that is not there
		look(stranger, "/board", "empty")
		if browser.Eval[bool](stranger.Window, `!!document.querySelector("table.board")`) {
			t.Error("a board without votes has ranks")
		}
		look(stranger, "/login", "login")
		look(stranger, "/nothing", "nothing")
		stranger.Visit(at)
		stranger.Click("main form button")
		for range min(n-1, 12) {
			stranger.answer(false)
		}
		look(stranger, "/vote", "vote")
		ranked()
		stranger.Visit(at + "/board")
		stranger.Wait(fmt.Sprintf(`document.querySelector("#freshness").textContent.includes("%d vote")`, min(n-1, 12)))
		stranger.look(fmt.Sprintf("board-%d", n))
		look(stranger, "/me", "mine")
		stranger.Visit(at + "/own/" + made.Secret)
		stranger.look(fmt.Sprintf("threshold-%d", n))
		stranger.Click("main form button")
		stranger.See(".checks")
		browser.Eval[bool](stranger.Window, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
		stranger.look(fmt.Sprintf("owner-%d", n))
	}
}

// TestImportPage looks at files of votes that are done, refused and on their way, and at
// one that is cancelled.
func TestImportPage(t *testing.T) {
	b := browser.Start(t, host)
	svc, s := site(t, server.Options{Seed: 1})
	home := strings.Replace(s.URL, "127.0.0.1", host, 1)
	made, err := svc.Create(t.Context(), server.NewBoard{Title: "Teas", Items: []server.NewItem{{Body: "tea-0"}, {Body: "tea-1"}, {Body: "tea-2"}}})
	if err != nil {
		t.Fatal(err)
	}
	const header = "user,left,right,winner\n"
	begin := func(name, file string) store.Import {
		i, err := svc.Import(t.Context(), made.Board.ID, "owner", name, strings.NewReader(file), store.ImportSettings{})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	begin("small.csv", header+"ann,tea-0,tea-1,left\n")
	begin("a-file-with-a-name-that-goes-on-"+strings.Repeat("and-on-", 10)+".csv", header+"ann,tea-0,coffee with milk, sugar and a biscuit,left\n")
	var many strings.Builder
	many.WriteString(header)
	for k := range 300_000 { // more than can be done while it is looked at
		fmt.Fprintf(&many, "v%d,tea-%d,tea-%d,left\n", k%1000, k%3, (k+1)%3)
	}
	begin("many.csv", many.String())
	owner := &person{Window: b.Open(t, home, home+"/b/"+made.Board.ID+"/own/"+made.Secret), t: t}
	owner.Click("main form button")
	owner.Wait(`document.querySelector("#imports progress")?.value > 0`)
	if says := owner.Text("#imports"); !strings.Contains(says, "of 300,000 votes gone through") || !strings.Contains(says, "small.csv: 1 vote added.") {
		t.Errorf("imports: %q", says)
	}
	owner.look("imports")
	owner.Click(`form[action$="/owner/cancel-import"] button`)
	owner.Wait(`document.querySelector("#imports").textContent.includes("many.csv: cancelled")`)
	owner.look("cancelled")
}

// TestServerToken: where boards are made with the server's token, the first page asks for
// it, says when it is wrong, and leads on.
func TestServerToken(t *testing.T) {
	b := browser.Start(t, host)
	_, s := site(t, server.Options{Seed: 1, Admin: "the server's own word"})
	home := strings.Replace(s.URL, "127.0.0.1", host, 1)
	p := &person{Window: b.Open(t, home, home), t: t}
	p.Expect("403")
	p.look("token")
	p.Fill("[name=admin]", "wrong")
	p.Click("main form button")
	p.See(".alert")
	p.look("token-wrong")
	p.Fill("[name=admin]", "the server's own word")
	p.Click("main form button")
	p.See("[name=lines]")
}

// TestErrorsNearby: what is wrong with a form is said in the form, which keeps what was
// typed.
func TestErrorsNearby(t *testing.T) {
	b := browser.Start(t, host)
	svc, s := site(t, server.Options{Seed: 1})
	home := strings.Replace(s.URL, "127.0.0.1", host, 1)
	p := &person{Window: b.Open(t, home, home), t: t}
	p.Expect("422")
	p.Fill("[name=title]", "My title")
	p.Fill("[name=lines]", "only one")
	p.Click("form button.primary")
	p.See("[name=lines][aria-invalid]")
	if says := p.Text(".alert"); !strings.Contains(says, "takes two items to compare") || browser.Eval[string](p.Window, `document.querySelector("[name=title]").value`) != "My title" {
		t.Errorf("the form says %q", says)
	}
	p.look("wrong")
	made, err := svc.Create(t.Context(), server.NewBoard{Items: awkward(2)})
	if err != nil {
		t.Fatal(err)
	}
	p.Visit(home + "/b/" + made.Board.ID + "/own/" + made.Secret)
	p.Click("main form button")
	p.See(".checks")
	browser.Eval[bool](p.Window, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
	p.Fill("form[action$='/owner/password'] [name=password]", "short")
	p.Click("form[action$='/owner/password'] button")
	p.See("form[action$='/owner/password'] .alert")
}
