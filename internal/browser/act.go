package browser

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
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

// Drag drags the first element that a selector finds onto that of another, with the mouse.
func (w *Window) Drag(from, to string) {
	w.t.Helper()
	w.Do(chromedp.DragAndDrop(chromedp.CSS(from), chromedp.CSS(to)))
}

// Swipe drags the middle of the first element that a selector finds down by some pixels, with
// a finger.
func (w *Window) Swipe(selector string, by float64) {
	w.t.Helper()
	at := Eval[[]float64](w, fmt.Sprintf("(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); return [b.left + b.width/2, b.top + b.height/2] })(document.querySelector(%q))", selector))
	const steps = 12
	for k := range steps + 2 {
		touch := input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove, TouchPoints: []*input.TouchPoint{{X: at[0], Y: at[1] + by*float64(min(k, steps))/steps}}}
		switch k {
		case 0:
			touch.Type = input.DispatchTouchEventTypeTouchStart
		case steps + 1:
			touch.Type, touch.TouchPoints = input.DispatchTouchEventTypeTouchEnd, []*input.TouchPoint{}
		}
		w.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, touch)
			return err
		}))
	}
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
