package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"palate/internal/browser"
	"palate/server"
)

// turn looks at a page as it is, and turned around for a script that runs from right to
// left, on a phone.
func (p person) turn(name string) {
	p.t.Helper()
	p.look(name)
	p.Size(390, 900)
	browser.Eval[string](p.Window, `document.documentElement.dir = "rtl"`)
	if wide := browser.Eval[int64](p.Window, "document.documentElement.scrollWidth"); wide > 390 {
		p.t.Errorf("%s is %d pixels wide from right to left", name, wide)
	}
	if out := browser.Eval[[]string](p.Window, leaving); len(out) > 0 {
		p.t.Errorf("%s, from right to left: leaves its place: %v", name, out)
	}
	// The left item of a pair stays left: votes say which side was picked.
	if browser.Eval[bool](p.Window, `!!document.querySelector("#pick-left") && document.querySelector("#pick-left").getBoundingClientRect().left > document.querySelector("#pick-right").getBoundingClientRect().left`) {
		p.t.Errorf("%s: left is right from right to left", name)
	}
	p.Shoot(name + "-rtl")
	p.Accessible(name + "-rtl")
	browser.Eval[string](p.Window, `document.documentElement.dir = "ltr"`)
	p.Size(1280, 900)
}

// unfold opens all that is folded.
func (p person) unfold() {
	browser.Eval[bool](p.Window, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
}

// send presses the button of the form that does something as the owner, and waits until
// something holds.
func (p person) send(verb, until string) {
	p.t.Helper()
	p.unfold()
	browser.Eval[bool](p.Window, fmt.Sprintf(`document.querySelector("form[action$='/owner/%s'] button").click(), true`, verb))
	p.Wait(until)
	p.See("footer, .shown, #owner-link") // of the page that follows
}

// says waits until a page has a text.
func (p person) says(text string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf(`document.body?.textContent.includes(%q)`, text))
}

// TestStory plays every control of an owner in a browser that reads Japanese, with a voter
// who comments, proposes and has all of it deleted, one who comes by a private link, and a
// further owner. Every page is also looked at from right to left.
func TestStory(t *testing.T) {
	b := browser.Start(t, host)
	_, s := site(t, server.Options{Seed: 1})
	s.URL = strings.Replace(s.URL, "127.0.0.1", host, 1)
	open := func(url string) *person {
		p := &person{Window: b.Open(t, s.URL, url), t: t}
		p.Click(`.foot [value=ja]`)
		p.Wait(`document.documentElement.lang === "ja"`)
		return p
	}
	owner := open(s.URL)
	owner.Fill("[name=title]", "お茶")
	owner.Fill("[name=lines]", "煎茶\n抹茶\nほうじ茶\n玄米茶")
	owner.Click("form button.primary")
	owner.See("#owner-link")
	owner.turn("story-created")
	at, _, _ := strings.Cut(owner.Text("#owner-link"), "/own/")
	owner.Visit(at + "/owner")
	owner.says("管理")

	// Title, question and rules.
	owner.Fill("form[action$='/owner/edit'] [name=title]", `日本のお茶 <img src=x onerror=alert(1)>`)
	owner.Fill("form[action$='/owner/edit'] [name=question]", "どちらのお茶が好きですか？")
	owner.send("edit", `document.querySelector("h1")?.textContent.startsWith("日本のお茶")`)
	owner.Fill("[name=quota]", "3")
	for _, rule := range []string{"hidden", "comments", "proposals", "when-settled"} {
		browser.Eval[bool](owner.Window, fmt.Sprintf(`document.querySelector("[name=%s]").checked = true`, rule))
	}
	owner.send("rules", `document.querySelector("[name=hidden]")?.hasAttribute("checked")`)
	owner.unfold()
	owner.Wait(`document.querySelector(".code img")?.naturalWidth > 0`)

	// A voter answers, says why, proposes, and has no votes left.
	ann := open(at)
	ann.turn("story-welcome")
	ann.Click("main form button")
	ann.See("#ballot")
	ann.unfold()
	ann.turn("story-vote")
	if browser.Eval[bool](ann.Window, `[...document.querySelectorAll("nav a")].some(a => a.href.endsWith("/board"))`) {
		t.Error("results that are hidden are in the menu")
	}
	for k := range 3 {
		browser.Eval[string](ann.Window, fmt.Sprintf(`document.querySelector("[name=comment]").value = "理由 %d <script>alert(1)</script>"`, k))
		if k < 2 {
			ann.answer(k == 0)
			continue
		}
		ann.Click("button[value=left]")
	}
	ann.says("お一人3票")
	ann.turn("story-quota")
	ann.Visit(at + "/me")
	for _, tea := range []string{"番茶 <b>bold</b>", "紅茶"} {
		ann.Fill("[name=body]", tea)
		browser.Eval[bool](ann.Window, `document.querySelector("form[action$='/propose'] button").click(), true`)
		ann.Wait(fmt.Sprintf(`[...document.querySelectorAll(".proposed th")].some(e => e.textContent === %q)`, tea))
	}
	ann.turn("story-me")

	// The owner reads, decides, invites, takes a link away and gives another.
	owner.Visit(at + "/owner")
	owner.says("理由 2 <script>alert(1)</script>")
	owner.turn("story-owner")
	owner.send("accept", `document.querySelectorAll(".proposed tr").length === 1`)
	owner.Fill("form[action$='/owner/refuse'] [name=reason]", "今回は見送ります")
	owner.send("refuse", `document.querySelectorAll(".proposed tr").length === 0`)
	owner.Fill("[name=names]", "ボブ")
	owner.send("invite", `document.querySelector(".shown code")`)
	owner.turn("story-shown")
	link := owner.Text(".shown code")
	bob := open(link)
	bob.Expect("403")
	bob.Click("main form button")
	bob.See("#ballot")
	owner.Visit(at + "/owner")
	owner.unfold()
	browser.Eval[bool](owner.Window, `document.querySelector("[formaction$='/owner/revoke-link']").click(), true`)
	owner.says("リンクは無効です")
	bob.Visit(at + "/vote")
	bob.says("投票を始める") // as a stranger
	bob.Visit(link)
	bob.says("このページは表示できません")
	bob.turn("story-refused")
	owner.send("renew-link", `document.querySelector(".shown code")`)
	bob.Visit(owner.Text(".shown code"))
	bob.Click("main form button")
	bob.See("#ballot")

	// A voter who is excluded is not asked; let in again, they are.
	owner.Visit(at + "/owner")
	owner.Fill("form[action$='/owner/voter'] [name=reason]", "確認中")
	owner.send("voter", `document.querySelector(".people .undone")`)
	ann.Visit(at + "/vote")
	ann.says("数えられません")
	ann.look("story-excluded")
	owner.send("voter", `document.querySelector(".people") && !document.querySelector(".people .undone")`)

	// A further owner, for a while.
	owner.Fill("form[action$='/owner/add-owner'] [name=name]", "イブ")
	owner.send("add-owner", `document.querySelector(".shown code")`)
	eve := open(owner.Text(".shown code"))
	eve.turn("story-threshold")
	eve.Click("main form button")
	eve.See(".checks")
	if browser.Eval[bool](eve.Window, `!!document.querySelector("#delete, form[action$='/owner/renew'], form[action$='/owner/add-owner']")`) {
		t.Error("a further owner can delete the board, or change the team")
	}
	owner.Visit(at + "/owner")
	owner.send("remove-owner", `document.querySelector(".people") && !document.querySelector("form[action$='/owner/remove-owner']")`)
	eve.Visit(at + "/owner")
	eve.See("[name=password]") // as a stranger

	// The date has come; results are shown; the board is opened again.
	owner.Fill("[name=closes]", "2020-01-02T03:04")
	owner.send("rules", `document.querySelector("#reopen")`)
	ann.Visit(at + "/board")
	ann.See("table.board")
	ann.Expect("403") // once results are hidden again
	ann.turn("story-board")
	owner.send("open", `document.querySelector("#close")`)

	// A copy, and the list of boards.
	owner.send("duplicate", `document.querySelector("#owner-link")`)
	owner.Visit(s.URL + "/my")
	owner.Wait(`document.querySelectorAll(".list tr").length === 2`)
	owner.turn("story-my")

	// All that a voter said is deleted.
	ann.Visit(at + "/me")
	ann.Click("#erase")
	ann.Click("#erase-now")
	ann.says("まだありません")
	owner.Visit(at + "/owner")
	owner.See(".checks")
	if text := owner.Text("main"); strings.Contains(text, "理由 2") || strings.Contains(text, "番茶") {
		t.Error("the owner still sees what was deleted")
	}

	// The board is deleted, and taken back.
	owner.unfold()
	owner.Click("#delete-now")
	owner.See("#restore")
	owner.turn("story-deleted")
	ann.Expect("404")
	ann.Visit(at + "/vote")
	ann.says("何もありません")
	owner.Click("#restore")
	owner.See("#delete")
	ann.Visit(at + "/vote")
	ann.See("#ballot")
}
