// Package browser opens pages in headless Chromium, for tests.
//
//	w := browser.Start(t).Open(t, home, home+"/votes")
//	w.Size(390, 800)
//	w.Click("summary")
//	high := browser.Eval[float64](w, "document.body.scrollHeight")
//
// In the end a window fails its test if a script failed, if the browser had
// something to complain about, or if anything was asked for that is not below the
// page's own address. Where there is no Chromium the test is skipped, unless
// PALATE_BROWSER=required says that there has to be one. When PALATE_AXE names the
// script of axe-core, [Window.Accessible] asks it about a page. When PALATE_SHOTS names
// a folder, [Window.Shoot] leaves pictures in it.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to answer.
const patience = time.Minute

// Browser is a running Chromium with an empty profile.
type Browser struct{ ctx context.Context }

// Start starts a browser that ends with the test. It finds the named hosts on this
// machine.
func Start(t testing.TB, hosts ...string) *Browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("PALATE_BROWSER") == "required" {
			t.Fatal("there is no Chromium on this machine, and PALATE_BROWSER=required")
		}
		t.Skip("there is no Chromium on this machine")
	}
	var rules []string
	for _, host := range hosts {
		rules = append(rules, "MAP "+host+" 127.0.0.1")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.Flag("host-resolver-rules", strings.Join(rules, ",")),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("ignore-certificate-errors", true), // of servers that tests start
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}

// Window is one person at a browser.
type Window struct {
	t       testing.TB
	ctx     context.Context
	width   int64
	colours string

	mu         sync.Mutex
	complaints []string
	expects    []string
}

// Open opens a page in a window with cookies of its own. Nothing may be asked for
// but what is below home.
func (b *Browser) Open(t testing.TB, home, url string) *Window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	w := &Window{t: t, ctx: ctx}
	var listeners sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		listeners.Wait() // they have heard everything by then
		for _, c := range w.complaints {
			t.Error(c)
		}
	})
	if err := chromedp.Do(ctx); err != nil { // the window lives as long as this context
		t.Fatal(err)
	}
	w.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return err
	}))
	console, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	listeners.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if text := fmt.Sprint(m); !w.expected(text) {
				w.complain("the browser says: %v", text)
			}
		}
	})
	listeners.Go(func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			if u := e.Request.URL; !strings.HasPrefix(u, home) && !strings.HasPrefix(u, "data:") {
				w.complain("%s was asked for, which is elsewhere", u)
			}
		}
	})
	w.Do(chromedp.Navigate(url))
	return w
}

// Expect lets the browser complain of something, as a status that is to come.
func (w *Window) Expect(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expects = append(w.expects, text)
}

func (w *Window) expected(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.expects, func(e string) bool { return strings.Contains(text, e) })
}

func (w *Window) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complaints = append(w.complaints, fmt.Sprintf(format, args...))
}

// run acts, and fails the test when the page does not answer.
func run[T any](w *Window, a chromedp.Action[T]) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	x, err := chromedp.Run(ctx, a)
	if err != nil {
		w.Shoot("failed")
		w.t.Fatalf("browser: %v", err)
	}
	return x
}

// Do acts, one step after the other.
func (w *Window) Do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	run(w, chromedp.Steps(steps...))
}

// Eval returns what an expression comes to.
func Eval[T any](w *Window, expression string) T {
	w.t.Helper()
	return run(w, chromedp.Evaluate[T](expression))
}

// Click clicks on the first element that a selector finds.
func (w *Window) Click(selector string) {
	w.t.Helper()
	w.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Point moves the mouse.
func (w *Window) Point(x, y float64) {
	w.t.Helper()
	w.Do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

// Size sets the size of the window in pixels; narrow ones are phones.
func (w *Window) Size(width, height int64) {
	w.t.Helper()
	w.width = width
	if width < 500 {
		w.Do(chromedp.EmulateViewport(width, height, chromedp.EmulateMobile))
		return
	}
	w.Do(chromedp.EmulateViewport(width, height))
}

// Colours makes the screen prefer light or dark.
func (w *Window) Colours(scheme string) {
	w.t.Helper()
	w.colours = scheme
	w.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// Paper shows the page as it is printed, on paper of some width in pixels.
func (w *Window) Paper(width int64) {
	w.t.Helper()
	w.Size(width, 1000)
	w.colours = "paper"
	w.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	}))
}

// Shoot takes a picture of the whole page when PALATE_SHOTS names a folder.
func (w *Window) Shoot(name string) {
	dir := os.Getenv("PALATE_SHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	picture := chromedp.FullScreenshot(100)
	if high, err := chromedp.Run(ctx, chromedp.Evaluate[int]("document.documentElement.scrollHeight")); err == nil && high > 10000 {
		picture = chromedp.CaptureScreenshot() // what is on the screen; the rest is more of the same
	}
	png, err := chromedp.Run(ctx, picture)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, w.width, w.colours)), png, 0o666)
	}
	if err != nil {
		w.t.Logf("no picture: %v", err)
	}
}
