package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"palate/internal/browser"
	"palate/server"
)

// overlapping counts the cells that lie over the next one.
const overlapping = `[...document.querySelectorAll(".tuned tbody tr")].flatMap(r => [...r.children].map((c, k, all) => [c, all[k + 1]])).filter(([a, b]) => { if (!b) return false; const x = a.getBoundingClientRect(), y = b.getBoundingClientRect(); return x.right > y.left + 1 && y.right > x.left + 1 && x.bottom > y.top + 1 && y.bottom > x.top + 1 }).length`

// TestSpaceStory plays a board of a space in a browser: it is made from lines after a template
// was refused, a voter compares ten pairs of points, and the best point is shown, on phones and
// desks, by day and by night, and from right to left.
func TestSpaceStory(t *testing.T) {
	b := browser.Start(t, host)
	_, s := site(t, server.Options{Seed: 1, Duty: 1})
	s.URL = strings.Replace(s.URL, "127.0.0.1", host, 1)
	open := func(url string) *person { return &person{Window: b.Open(t, s.URL, url), t: t} }
	owner := open(s.URL)
	owner.unfold()
	owner.Fill("[name=title]", "Espresso")
	owner.Fill("[name=space]", "dose=14..22\ntime=20..40\ngrind=fine<medium<coarse\nmilk=none|oat\ndose + time <= 58")
	owner.Fill("[name=url-template]", "javascript:alert({dose})")
	owner.Expect("422")
	owner.Click("form button.primary")
	owner.says("does not begin with http:// or https://")
	if text := browser.Eval[string](owner.Window, `document.querySelector("[name=space]").value`); !strings.Contains(text, "grind=fine<medium<coarse") {
		t.Errorf("what was written is gone: %q", text)
	}
	owner.turn("space-refused")
	owner.Fill("[name=url-template]", "https://espresso.example/{milk}?dose={dose}&time={time}&grind={grind}")
	owner.Click("form button.primary")
	owner.See("#owner-link")
	at, _, _ := strings.Cut(owner.Text("#owner-link"), "/own/")
	owner.Visit(at + "/board")
	owner.See("#live .names")
	owner.turn("space-before")

	ann := open(at)
	ann.turn("space-welcome")
	ann.Click("main form button")
	ann.See("#ballot")
	ann.turn("space-vote")
	const taste = `[...document.querySelectorAll("#ballot .item a")].map(a => { const q = new URL(a.href).searchParams; return -Math.abs(q.get("dose") - 19) - Math.abs(q.get("time") - 30) / 3 })`
	for range 10 {
		asked := browser.Eval[string](ann.Window, token)
		side := "left"
		if u := browser.Eval[[]float64](ann.Window, taste); len(u) != 2 {
			t.Fatalf("%d points are shown", len(u))
		} else if u[1] > u[0] {
			side = "right"
		}
		ann.Click("button[value=" + side + "]")
		ann.Wait(fmt.Sprintf("%s !== %q", token, asked))
	}
	ann.Visit(at + "/me")
	ann.Wait(`document.querySelectorAll(".votes tbody tr").length === 10`)
	ann.turn("space-me")

	ann.Visit(at + "/board?view=me")
	ann.Wait(`document.querySelector("#yours")?.textContent.includes("%")`)
	ann.turn("space-own")
	owner.Visit(at + "/board")
	owner.Wait(`document.querySelector(".tuned") && document.querySelector("#freshness").textContent.includes("10 votes") && !document.querySelector("#freshness").textContent.includes("since")`)
	owner.Wait(`document.querySelectorAll(".tuned tbody tr").length === 4 && document.querySelector("#best a").href.startsWith("https://espresso.example/") && document.querySelector("#over").textContent.includes("%")`)
	owner.unfold()
	if browser.Eval[int64](owner.Window, `document.querySelectorAll(".path tbody tr").length`) < 2 {
		t.Error("no path is shown")
	}
	owner.Size(390, 900)
	if over := browser.Eval[int64](owner.Window, overlapping); over > 0 {
		t.Errorf("%d cells are over others on a phone", over)
	}
	owner.turn("space-board")
	owner.Visit(at + "/owner")
	owner.See(".checks")
	owner.unfold()
	owner.turn("space-owner")
	if !browser.Eval[bool](owner.Window, `!!document.querySelector("[href$='/export?format=duels']") && !document.querySelector("form[action$='/owner/items']")`) {
		t.Error("the owner cannot take the duels along, or can add items")
	}
}
