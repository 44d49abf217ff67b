package browser

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chromedp/chromedp"
)

// Visit goes to another page.
func (w *Window) Visit(url string) {
	w.t.Helper()
	w.Do(chromedp.Navigate(url))
}

// Press presses keys, one rune each (see package kb of chromedp for arrows).
func (w *Window) Press(keys string) {
	w.t.Helper()
	w.Do(chromedp.KeyEvent(keys))
}

// Fill puts a value into the first field that a selector finds.
func (w *Window) Fill(selector, value string) {
	w.t.Helper()
	Eval[string](w, fmt.Sprintf("document.querySelector(%q).value = %q", selector, value))
}

// Upload chooses a file in the first field that a selector finds.
func (w *Window) Upload(selector, path string) {
	w.t.Helper()
	w.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

// Wait waits until an expression holds, over pages that come and go.
func (w *Window) Wait(expression string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		// A page that is being left has no answer.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			w.Shoot("failed")
			w.t.Fatalf("browser: waited in vain for %s", expression)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// See waits for an element.
func (w *Window) See(selector string) {
	w.t.Helper()
	w.Wait(fmt.Sprintf("document.querySelector(%q)", selector))
}

// Text returns the words of the first element that a selector finds.
func (w *Window) Text(selector string) string {
	w.t.Helper()
	return Eval[string](w, fmt.Sprintf("document.querySelector(%q).textContent.trim()", selector))
}

// Accessible fails the test where axe-core finds that a page cannot be used by
// everybody. Without PALATE_AXE, which names its script, nothing is looked at.
func (w *Window) Accessible(name string) {
	w.t.Helper()
	path := os.Getenv("PALATE_AXE")
	if path == "" {
		return
	}
	script, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatalf("browser: PALATE_AXE: %v", err)
	}
	Eval[bool](w, string(script)+"; true")
	Eval[bool](w, "window.found = null; axe.run().then(r => { window.found = r.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' ')) }); true")
	w.Wait("window.found")
	for _, v := range Eval[[]string](w, "window.found") {
		w.t.Errorf("%s, %d wide, %s: %s", name, w.width, w.colours, v)
	}
}
