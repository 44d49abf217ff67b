package ui

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"palate/report"
	"palate/server"
	"palate/server/web"
	"palate/store"
)

//go:embed templates/*.html static
var files embed.FS

// Options are the settings of the pages; the zero value is useful.
type Options struct {
	// Log takes structured records; nil: slog.Default.
	Log *slog.Logger
}

// pages is the handler of all pages.
type pages struct {
	http.Handler
	svc     *server.Service
	front   *web.Front
	options Options
	tongues []*tongue
	// sheets are the pages' templates by language and name.
	sheets map[*tongue]map[string]*template.Template
	static map[string][]byte
	recent recent
	// version of the static files, part of their address.
	version string
}

// New returns the handler of the pages, which the front of the service is to serve.
func New(svc *server.Service, front *web.Front, o Options) (web.Pages, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	p := &pages{svc: svc, front: front, options: o, tongues: tongues(), static: map[string][]byte{}}
	if err := p.loadStatic(); err != nil {
		return nil, err
	}
	if err := p.loadSheets(); err != nil {
		return nil, err
	}
	p.Handler = p.routes()
	return p, nil
}

// routes is the table of pages.
func (p *pages) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.page(p.home))
	mux.HandleFunc("POST /admin", p.page(p.enterAdmin))
	mux.HandleFunc("POST /language", p.page(p.choose))
	mux.HandleFunc("GET /my", p.page(p.my))
	mux.HandleFunc("POST /boards", p.page(p.create))
	mux.HandleFunc("GET "+web.Callback, p.page(p.returned))
	mux.HandleFunc("GET /static/{version}/{file}", p.serveStatic)
	for pattern, h := range map[string]handler{
		"GET /b/{board}":               p.welcome,
		"POST /b/{board}/join":         p.join,
		"GET /b/{board}/sso":           p.signIn,
		"GET /b/{board}/v/{secret}":    p.invited,
		"POST /b/{board}/v/{secret}":   p.enterPrivate,
		"GET /b/{board}/own/{secret}":  p.owned,
		"POST /b/{board}/own/{secret}": p.enterOwner,
		"POST /b/{board}/enter":        p.enterMember,
		"GET /b/{board}/login":         p.login,
		"POST /b/{board}/login":        p.enterPassword,
		"POST /b/{board}/leave":        p.leave,
		"GET /b/{board}/vote":          p.vote,
		"POST /b/{board}/tell":         p.tell,
		"POST /b/{board}/undo":         p.undo,
		"GET /b/{board}/board":         p.board,
		"GET /b/{board}/rows":          p.rows,
		"GET /b/{board}/events":        p.events,
		"GET /b/{board}/me":            p.me,
		"POST /b/{board}/propose":      p.propose,
		"POST /b/{board}/erase":        p.erase,
		"GET /b/{board}/owner":         p.owner,
		"GET /b/{board}/imports":       p.imports,
		"POST /b/{board}/owner/{verb}": p.act,
	} {
		mux.HandleFunc(pattern, p.page(h))
	}
	mux.HandleFunc("/", p.page(func(w http.ResponseWriter, r *http.Request) error {
		return fmt.Errorf("ui: %s: %w", r.URL.Path, store.ErrNotFound)
	}))
	return mux
}

// handler is a page: it writes an answer, or says why there is none.
type handler func(w http.ResponseWriter, r *http.Request) error

// page turns errors into pages.
func (p *pages) page(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			p.fail(w, r, err)
		}
	}
}

// status is the code that an error stands for, and the text that says it.
func (t *tongue) status(err error) (int, string) {
	var large *http.MaxBytesError
	var long *server.TooLong
	var bad *server.BadAnswer
	switch {
	case errors.As(err, &bad):
		return http.StatusUnprocessableEntity, t.badAnswer(bad)
	case errors.As(err, &long):
		return http.StatusUnprocessableEntity, t.Say("too-long", long.Most)
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, t.Say("too-large", int(large.Limit>>20))
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound, t.Say("nothing-here")
	case errors.Is(err, store.ErrUnavailable):
		return http.StatusServiceUnavailable, t.Say("cannot-store")
	case errors.Is(err, server.ErrTooMany):
		return http.StatusTooManyRequests, t.Say("too-quick")
	case errors.Is(err, server.ErrClosed):
		return http.StatusConflict, t.Say("board-ended")
	case errors.Is(err, server.ErrHidden):
		return http.StatusForbidden, t.Say("results-hidden")
	case errors.Is(err, server.ErrExcluded):
		return http.StatusForbidden, t.Say("over-excluded")
	case errors.Is(err, server.ErrQuota):
		return http.StatusGone, t.Say("quota-used")
	case errors.Is(err, server.ErrForbidden):
		return http.StatusForbidden, t.Say("not-for-you")
	case errors.Is(err, server.ErrInvalid):
		return http.StatusUnprocessableEntity, sentence(reason(err))
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, t.Say("takes-long")
	case errors.Is(err, context.Canceled):
		return web.StatusGone, t.Say("nobody-waits")
	}
	return http.StatusInternalServerError, t.Say("went-wrong")
}

// reason is the part of an invalid input's error that is for people.
func reason(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, server.ErrInvalid.Error()+": "); ok {
		text = after
	}
	return text
}

// fail answers with what went wrong.
func (p *pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	code, says := p.tongueOf(r).status(err)
	if code == http.StatusInternalServerError {
		p.options.Log.Error("page", "path", r.Pattern, "error", err)
	}
	p.refuse(w, r, code, says)
}

// Refuse says why the checks that every request passes have let this one not through.
func (p *pages) Refuse(w http.ResponseWriter, r *http.Request, code int, says string) {
	t := p.tongueOf(r)
	switch code {
	case http.StatusForbidden:
		says = t.Say("from-elsewhere")
	case http.StatusNotFound:
		says = t.Say("nothing-here")
	case http.StatusTooManyRequests:
		says = t.Say("too-many")
	case http.StatusInternalServerError:
		says = t.Say("went-wrong")
	}
	p.refuse(w, r, code, sentence(says))
}

// refuse says why there is no page: as a page with a way on, or, to htmx, as a line that
// leaves everything else in its place.
func (p *pages) refuse(w http.ResponseWriter, r *http.Request, code int, says string) {
	if r.Header.Get("HX-Request") != "" {
		w.Header().Set("HX-Retarget", "#problem")
		w.Header().Set("HX-Reswap", "innerHTML")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<p>%s</p>", template.HTMLEscapeString(says))
		return
	}
	board := ""
	if rest, below := strings.CutPrefix(r.URL.Path, "/b/"); below {
		board, _, _ = strings.Cut(rest, "/")
	}
	if err := p.render(w, r, code, "problem", map[string]any{"Title": says, "Says": says, "Board": board}); err != nil {
		p.options.Log.Error("page", "path", r.Pattern, "error", err)
	}
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[n:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "。") {
		text += "."
	}
	return text
}

// loadSheets reads the templates, for every language: each page with the layout and the
// parts.
func (p *pages) loadSheets() error {
	p.sheets = map[*tongue]map[string]*template.Template{}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("ui: %w", err)
	}
	for _, t := range p.tongues {
		base, err := template.New("").Funcs(p.functions(t)).ParseFS(files, "templates/layout.html", "templates/parts.html")
		if err != nil {
			return fmt.Errorf("ui: %w", err)
		}
		p.sheets[t] = map[string]*template.Template{}
		for _, path := range names {
			name := strings.TrimSuffix(strings.TrimPrefix(path, "templates/"), ".html")
			if name == "layout" || name == "parts" {
				continue
			}
			sheet, err := template.Must(base.Clone()).ParseFS(files, path)
			if err != nil {
				return fmt.Errorf("ui: %w", err)
			}
			p.sheets[t][name] = sheet
		}
	}
	return nil
}

// render writes a whole page.
func (p *pages) render(w http.ResponseWriter, r *http.Request, code int, name string, data any) error {
	return p.part(w, r, code, name, "layout", data)
}

// part writes a part of a page, for htmx; nothing is sent when the template fails.
func (p *pages) part(w http.ResponseWriter, r *http.Request, code int, page, name string, data any) error {
	text, err := p.text(r, page, name, data)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	w.Write(text) // an error means that the reader has gone
	return nil
}

// text is a part of a page.
func (p *pages) text(r *http.Request, page, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := p.sheets[p.tongueOf(r)][page].ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("ui: %w", err)
	}
	return p.front.Base(out.Bytes()), nil
}

// loadStatic reads the files that are served as they are; the colours are those
// of the pictures.
func (p *pages) loadStatic() error {
	sum := sha256.New()
	for _, name := range []string{"palate.css", "palate.js", "icon.svg", "htmx.min.js", "htmx-sse.min.js"} {
		b, err := files.ReadFile("static/" + name)
		if err != nil {
			return fmt.Errorf("ui: %w", err)
		}
		if name == "palate.css" {
			b = append([]byte(report.Style()), b...)
		}
		p.static[name] = b
		sum.Write(b)
	}
	p.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return nil
}

func (p *pages) serveStatic(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	b, ok := p.static[name]
	if !ok {
		p.fail(w, r, fmt.Errorf("ui: %s: %w", name, store.ErrNotFound))
		return
	}
	w.Header().Set("Content-Type", map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}[filepath.Ext(name)])
	if r.PathValue("version") == p.version { // else another version's page asks, while servers are exchanged
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Write(b)
}
