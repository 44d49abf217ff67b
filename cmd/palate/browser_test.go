package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palate/internal/browser"
)

// TestReportInBrowser opens reports as people do: a small one, and one of 100
// items and 500 voters, which has to stay below a megabyte. At both widths, light
// and dark, nothing may go wrong, nothing be asked of a network, and nothing stick
// out.
func TestReportInBrowser(t *testing.T) {
	b := browser.Start(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must := func(args ...string) {
		t.Helper()
		if code := run(args); code != 0 {
			t.Fatalf("palate %s: exit %d", strings.Join(args, " "), code)
		}
	}
	must("demo", "--save", path("teas.csv"))
	must("simulate", "--model", "population", "--items", "100", "--users", "500", "--votes", "4000", "--seed", "4", "-o", path("large.csv"))
	must("rank", path("teas.csv"), "--model", "population", "--html", path("teas.html"), "-q", "-o", path("teas.txt"))
	must("rank", path("large.csv"), "--model", "population", "--html", path("large.html"), "--folds", "2", "-q", "-o", path("large.txt"))
	for _, name := range []string{"teas", "large"} {
		info, err := os.Stat(path(name + ".html"))
		if err != nil || info.Size() >= 1<<20 {
			t.Fatalf("%s.html: %v, %d bytes", name, err, info.Size())
		}
		url := "file://" + filepath.ToSlash(path(name+".html"))
		w := b.Open(t, url, url)
		var papers []string
		for _, width := range []int64{1280, 390} {
			for _, colours := range []string{"light", "dark"} {
				w.Colours(colours)
				w.Size(width, 900)
				what := fmt.Sprintf("%s at %d, %s", name, width, colours)
				if wide := browser.Eval[int64](w, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s: the page is %d wide", what, wide)
				}
				if n := browser.Eval[int](w, `[...document.querySelectorAll("figure")].filter(f => [".desk", ".phone"].filter(s => f.querySelector(s).getBoundingClientRect().height > 0).length === 1).length`); n < 7 {
					t.Errorf("%s: %d figures show one picture each, want 7 or more", what, n)
				}
				if cut := browser.Eval[[]string](w, outside); len(cut) > 0 {
					t.Errorf("%s: words stick out of their picture: %q", what, cut)
				}
				if small := browser.Eval[float64](w, smallest); small < 10 {
					t.Errorf("%s: words of %.1f pixels", what, small)
				}
				papers = append(papers, browser.Eval[string](w, "getComputedStyle(document.body).backgroundColor"))
				w.Shoot("report-" + name)
			}
		}
		if papers[0] == papers[1] || papers[0] != papers[2] || papers[1] != papers[3] {
			t.Errorf("%s: backgrounds %v", name, papers)
		}
		if name == "teas" {
			pointAtCell(t, w)
		} else {
			unfold(t, w)
		}
		const a4 = 718 // its width between usual margins
		w.Paper(a4)
		if wide := browser.Eval[int64](w, "document.documentElement.scrollWidth"); wide > a4 {
			t.Errorf("%s, printed: the page is %d wide", name, wide)
		}
		if n := browser.Eval[int](w, `[...document.querySelectorAll(".desk svg")].filter(s => s.getBoundingClientRect().height === 0).length`); n > 0 {
			t.Errorf("%s, printed: %d pieces of charts are missing", name, n)
		}
		w.Shoot("report-" + name)
	}
}

// outside lists words that reach over the edge of their picture, by more than a
// font that is wider than expected would explain.
const outside = `[...document.querySelectorAll("svg text")].filter(e => {
	const t = e.getBoundingClientRect(), s = e.closest("svg").getBoundingClientRect();
	return t.width > 0 && (t.left < s.left - 3 || t.right > s.right + 3 || t.top < s.top - 3 || t.bottom > s.bottom + 3);
}).map(e => e.textContent)`

// smallest is the size of the smallest words that are shown.
const smallest = `Math.min(...[...document.querySelectorAll("svg text")].filter(e => e.getBoundingClientRect().width > 0).map(e => {
	const s = e.closest("svg");
	return parseFloat(e.getAttribute("font-size")) * s.getBoundingClientRect().width / s.viewBox.baseVal.width;
}))`

// unfold shows the rest of a long leaderboard, finds an item in its table, and sorts it.
func unfold(t *testing.T, w *browser.Window) {
	t.Helper()
	w.Size(1280, 900)
	const shown = `[...document.querySelectorAll("#leaderboard .desk svg")].filter(s => s.getBoundingClientRect().height > 0).length`
	before := browser.Eval[int](w, shown)
	w.Click("#leaderboard > .unfold")
	if after := browser.Eval[int](w, shown); after <= before {
		t.Errorf("%d pieces of the leaderboard are shown, and %d on request", before, after)
	}
	w.Click("#leaderboard > .unfold")
	w.Click("#leaderboard summary")
	const rows = `[...document.querySelectorAll("#leaderboard tbody tr")].filter(r => r.getBoundingClientRect().height > 0)`
	if n := browser.Eval[int](w, rows+".length"); n != 60 {
		t.Errorf("%d rows of the table at first, want 60", n)
	}
	w.Fill("#leaderboard .search", "item077")
	browser.Eval[bool](w, `document.querySelector("#leaderboard .search").dispatchEvent(new Event("input"))`)
	if n := browser.Eval[int](w, rows+".length"); n != 1 {
		t.Errorf("%d rows of item077", n)
	}
	w.Fill("#leaderboard .search", "")
	browser.Eval[bool](w, `document.querySelector("#leaderboard .search").dispatchEvent(new Event("input"))`)
	w.Click("#leaderboard thead th:nth-child(3) button")
	if got := browser.Eval[string](w, rows+`[0].cells[2].textContent`); got != "item001" {
		t.Errorf("by name the first item is %q", got)
	}
}

// pointAtCell reads a cell of the matrix by pointing at it, and opens its table.
func pointAtCell(t *testing.T, w *browser.Window) {
	t.Helper()
	w.Size(1280, 900)
	place := browser.Eval[[]float64](w, `(() => {
		const cells = document.querySelector("#matrix .desk g[data-rows]");
		cells.scrollIntoView({block: "center"});
		const r = cells.firstElementChild.getBoundingClientRect(), n = +cells.dataset.rows;
		return [r.left + 1.5 * r.width / n, r.top + 0.5 * r.height / n];
	})()`)
	w.Point(place[0], place[1])
	if got := browser.Eval[string](w, `document.querySelector("#matrix .readout").textContent`); !strings.Contains(got, " beats ") || !strings.HasSuffix(got, " %") {
		t.Errorf("pointing at the first cell of the matrix reads %q", got)
	}
	w.Click("#matrix summary")
	if high := browser.Eval[float64](w, `document.querySelector("#matrix table").getBoundingClientRect().height`); high < 50 {
		t.Errorf("the table of numbers is %v pixels high", high)
	}
}
