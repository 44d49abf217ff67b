package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"palate/internal/browser"
	"palate/server"
)

// person is somebody at a browser.
type person struct {
	*browser.Window
	t *testing.T
}

// look takes pictures at two widths, if pictures are wanted.
func (p person) look(name string) {
	for _, width := range []int64{390, 1280} {
		p.Size(width, 900)
		if wide := browser.Eval[int64](p.Window, "document.documentElement.scrollWidth"); wide > width {
			p.t.Errorf("%s is %d pixels wide on a screen of %d", name, wide, width)
		}
		p.Shoot(name)
	}
}

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
func (p person) answer(byKey bool) {
	p.See("#ballot")
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

// TestBrowser plays the whole story in a real browser: a board is made, three
// voters vote with keys and clicks, one takes an answer back, the leaderboard
// moves in another window, the owner closes the board, and what is exported
// gives the same ranking when it is imported again.
func TestBrowser(t *testing.T) {
	b := browser.Start(t)
	svc, s := site(t, server.Options{Seed: 1})
	open := func(url string) person { return person{b.Open(t, s.URL, url), t} }
	var teas []string
	for k := range 8 {
		teas = append(teas, fmt.Sprintf("tea-%d", k))
	}
	owner := open(s.URL)
	at := owner.create(s.URL, "Teas", teas)
	owner.look("created")
	owner.Visit(at + "/board")
	before := owner.ranking()

	var voters []person
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
			owner.Wait(`document.querySelector("#freshness").textContent.includes("3 votes by 3 voters")`)
		case 4:
			v := voters[1]
			v.Press("u")
			v.Wait(fmt.Sprintf(`document.querySelector("#count").textContent === "%d"`, k))
			v.answer(true)
		}
	}
	all := fmt.Sprintf(`document.querySelector("#freshness").textContent.includes("%d votes by 3 voters")`, 3*each)
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
	owner.See("#reopen")
	v := voters[0]
	v.Press(kb.ArrowLeft)
	v.Wait(`document.querySelector("h1").textContent.includes("ended")`)

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
