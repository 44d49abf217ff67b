package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"palate/internal/browser"
	"palate/server"
)

// shown are the items of the question, in the order of the page.
func (p *person) shown() []string {
	return browser.Eval[[]string](p.Window, `[...document.querySelectorAll("#ballot .item")].map(e => e.textContent.trim())`)
}

// next does something that answers the question, and waits for the one after it.
func (p *person) next(do func()) {
	p.t.Helper()
	asked := browser.Eval[string](p.Window, token)
	do()
	p.Wait(fmt.Sprintf("%s && %s !== %q", token, token, asked))
}

// hears waits until a screen reader is told a text.
func (p *person) hears(text string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf(`document.getElementById("said").textContent.includes(%q)`, text))
}

// last is what the voter's own page says of the last answer.
func (p *person) last(at string) string {
	p.Visit(at + "/me")
	p.See("table.list")
	said := browser.Eval[string](p.Window, `document.querySelector("table.list.votes tbody tr td:last-child").textContent`)
	p.Visit(at + "/vote")
	p.See("#ballot")
	return said
}

// card is the selector of the n-th card, from 1.
func card(n int) string { return fmt.Sprintf("#ballot .several .side:nth-child(%d)", n) }

// TestBrowserSets plays the ways of asking about several items: one is chosen by a tap and by a
// key, the best and the worst are marked, and a ranking is made by dragging with a mouse and
// with a finger, by arrows and by keys. The owner changes how voters are asked.
func TestBrowserSets(t *testing.T) {
	b := browser.Start(t, host)
	_, s := site(t, server.Options{Seed: 1})
	s.URL = strings.Replace(s.URL, "127.0.0.1", host, 1)
	open := func(url string) *person { return &person{Window: b.Open(t, s.URL, url), t: t} }
	owner := open(s.URL)
	owner.Fill("[name=title]", "Teas")
	owner.Fill("[name=lines]", "Assam\nDarjeeling, first flush, from a garden at 2,000 metres\nEarl Grey\nSencha\nMatcha\nOolong\nRooibos\nPu-erh")
	owner.unfold()
	owner.Fill("[name=ask]", "choice")
	owner.look("sets-home")
	owner.Click("form button.primary")
	owner.See("#owner-link")
	at, _, _ := strings.Cut(owner.Text("#owner-link"), "/own/")
	ask := func(way, size string) {
		owner.Visit(at + "/owner")
		owner.Fill("[name=ask]", way)
		owner.Fill("[name=size]", size)
		owner.Fill("[name=over]", "month")
		owner.send("asking", fmt.Sprintf(`document.querySelector("[name=ask] [selected]")?.value === %q && document.querySelector("[name=over] [selected]")?.value === "month"`, way))
	}

	// A choice, by a tap on the card and by a key; skipped, and taken back.
	ann := open(at)
	ann.Click("main form button")
	ann.See(card(4))
	ann.turn("sets-choice")
	was := ann.shown()
	ann.next(func() { ann.Click(card(2) + " .item") })
	if got := ann.last(at); !strings.HasPrefix(got, was[1]) && !strings.HasPrefix(was[1], got[:5]) {
		t.Errorf("%q was tapped, and %q said", was[1], got)
	}
	was = ann.shown()
	ann.next(func() { ann.Press("3") })
	ann.hears("Noted: " + was[2])
	ann.next(func() { ann.Press(" ") })
	ann.next(func() { ann.Press("u") }) // the skip
	ann.next(func() { ann.Press("u") })
	if again := ann.shown(); !slices.Equal(again, was) {
		t.Errorf("after an undo of %v: %v", was, again)
	}

	// The best, then the worst.
	ask("best-worst", "4")
	ann.Visit(at + "/vote")
	ann.See("#marks")
	ann.Click(card(1) + " .item")
	was = ann.shown()
	ann.hears("Best: ")
	ann.Click(card(1) + " .item")
	ann.hears("not marked any more")
	ann.Press("2")
	ann.Press(kb.Enter) // nothing is the worst yet
	ann.Click(card(3) + " .worst")
	ann.hears("Worst: " + was[2])
	ann.Click(card(3) + " .best") // no item is both, and one is the best
	ann.Wait(`document.querySelectorAll("#marks :checked").length === 1`)
	ann.Press("4")
	ann.hears("Worst: " + was[3])
	ann.turn("sets-best-worst")
	ann.next(func() { ann.Press(kb.Enter) })
	if got := ann.last(at); !strings.HasPrefix(got, was[2]) || !strings.HasSuffix(got, was[3]) {
		t.Errorf("best %q and worst %q were marked, and %q said", was[2], was[3], got)
	}
	ann.next(func() { ann.Click("#pick-skip") })

	// A ranking: of five, each way of moving moves one.
	ask("ranking", "5")
	ann.Visit(at + "/vote")
	ann.See(".order")
	ann.turn("sets-ranking")
	want := ann.shown()
	expect := func(how string, from, to int) {
		t.Helper()
		item := want[from]
		want = slices.Insert(slices.Delete(want, from, from+1), to, item)
		if got := ann.shown(); !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", how, got, want)
		}
		ann.hears(fmt.Sprintf(": place %d of 5", to+1))
		ann.Wait(`document.getAnimations().length === 0`)
	}
	li := func(n int) string { return fmt.Sprintf(".order li:nth-child(%d)", n+1) }
	browser.Eval[bool](ann.Window, fmt.Sprintf(`document.querySelector(%q).focus(), true`, li(4)+" .grip"))
	ann.Press(kb.ArrowUp)
	ann.Press(kb.ArrowUp)
	expect("keys", 4, 2)
	if !browser.Eval[bool](ann.Window, fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, li(2)+" .grip")) {
		t.Error("what was moved by keys has lost the focus")
	}
	ann.Click(li(0) + " [data-move='1']")
	expect("arrow", 0, 1)
	ann.Drag(li(3)+" .item", li(0)+" .item")
	expect("mouse", 3, 0)
	ann.Size(390, 900)
	ann.Swipe(li(0)+" .grip", 2.2*browser.Eval[float64](ann.Window, fmt.Sprintf(`document.querySelector(%q).offsetTop`, li(1))))
	expect("finger", 0, 2)
	ann.Size(1280, 900)
	ann.next(func() { ann.Click("#done") })
	if got := ann.last(at); got != strings.Join(want, " > ") {
		t.Errorf("%v was told, and %q is said", want, got)
	}
	ann.Visit(at + "/me")
	ann.See("table.list")
	ann.turn("sets-me")
	owner.Visit(at + "/board")
	owner.Wait(`document.querySelector("#freshness").textContent.includes("3 votes · 1 voter")`)
	owner.Visit(at + "/owner")
	owner.See(".checks")
	owner.turn("sets-owner")
}
