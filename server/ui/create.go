package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"palate/server"
	"palate/store"
)

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	if !p.svc.IsAdmin(p.front.Shown(r)) {
		return p.render(w, r, http.StatusOK, "admin", map[string]any{"Title": "Palate", "Wrong": false})
	}
	return p.render(w, r, http.StatusOK, "home", start{Title: "Palate", HasSSO: p.svc.HasSSO()})
}

// start is the page that makes boards, with the form as it was sent and what was wrong
// with it.
type start struct {
	Title      string
	HasSSO     bool
	Form       server.NewBoard
	Lines      string
	Space      store.Space
	Field, Why string
}

// Problem is what to say at a field; what is of no field is said at the top.
func (s start) Problem(field string) string {
	if s.Why != "" && s.Field == field {
		return s.Why
	}
	return ""
}

// enterAdmin lets in who knows the server's token.
func (p *pages) enterAdmin(w http.ResponseWriter, r *http.Request) error {
	pass, err := p.svc.EnterAdmin(r.PostFormValue("admin"), p.front.Shown(r))
	if errors.Is(err, server.ErrForbidden) {
		return p.render(w, r, http.StatusForbidden, "admin", map[string]any{"Title": "Palate", "Wrong": true})
	}
	if err != nil {
		return err
	}
	p.front.Admit(w, pass)
	return to(w, r, "/")
}

// create makes a board from the form: lines, a table of items, pictures, or all
// of them. The form is not read before it is known who sends it.
func (p *pages) create(w http.ResponseWriter, r *http.Request) error {
	if !p.svc.IsAdmin(p.front.Shown(r)) {
		return server.ErrForbidden
	}
	n, err := p.readBoard(r)
	var made server.Created
	if err == nil {
		made, err = p.svc.Create(r.Context(), n)
	}
	if errors.Is(err, server.ErrInvalid) && r.MultipartForm != nil {
		page := start{Title: "Palate", HasSSO: p.svc.HasSSO(), Form: n, Lines: r.PostFormValue("lines"), Space: readSpace(r), Why: sentence(reason(err))}
		if of := (*server.FieldError)(nil); errors.As(err, &of) {
			page.Field = of.Field
		}
		return p.render(w, r, http.StatusUnprocessableEntity, "home", page)
	}
	if err != nil {
		return err
	}
	return p.created(w, r, made)
}

// created lets the owner of a new board in, and shows its links, once.
func (p *pages) created(w http.ResponseWriter, r *http.Request, made server.Created) error {
	pass, err := p.svc.EnterOwner(r.Context(), made.Board.ID, made.Secret)
	if err != nil {
		return err
	}
	p.front.AdmitOwner(w, r, pass)
	return p.render(w, r, http.StatusCreated, "created", map[string]any{
		"Title": made.Board.Title, "Board": made.Board,
		"Vote":  p.front.BoardLink(r, made.Board.ID),
		"Owner": p.front.OwnerLink(r, made.Board.ID, made.Secret),
	})
}

// SpaceExample shows the kinds of parameters, and a constraint.
func (s start) SpaceExample() string {
	return "dose=14..22\nshots=1..4:1\ngrind=fine<medium<coarse\nmilk=none|oat|cow\ndose + 2*shots <= 26"
}

// readSpace takes the space of a form, as it was written.
func readSpace(r *http.Request) store.Space {
	return store.Space{
		Text: strings.ReplaceAll(r.PostFormValue("space"), "\r", ""), URL: strings.TrimSpace(r.PostFormValue("url-template")),
		Body: strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("text-template"), "\r", "")),
	}
}

func (p *pages) readBoard(r *http.Request) (server.NewBoard, error) {
	items, err := p.readItems(r)
	if err != nil {
		err = &server.FieldError{Field: "items", Err: err}
	}
	var space *store.Space
	if s := readSpace(r); strings.TrimSpace(s.Text) != "" {
		space = &s
	}
	return server.NewBoard{
		Space: space,
		Title: strings.TrimSpace(r.PostFormValue("title")), Question: strings.TrimSpace(r.PostFormValue("question")),
		Access: store.Access(r.PostFormValue("access")), Public: r.PostFormValue("public") != "",
		Password: r.PostFormValue("password"),
		Settings: store.Settings{Goal: r.PostFormValue("goal"), Ask: store.Way(r.PostFormValue("ask")), Size: size(r), Over: r.PostFormValue("over")}, Items: items,
	}, err
}

// size is how many items voters are asked about at a time; what is no number is out of bounds.
func size(r *http.Request) int {
	n, err := strconv.Atoi(r.PostFormValue("size"))
	if err != nil && r.PostFormValue("size") != "" {
		return -1
	}
	return n
}

// readItems takes items from the lines, tables and pictures of a form.
func (p *pages) readItems(r *http.Request) ([]server.NewItem, error) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		return nil, unreadable(err)
	}
	form := r.MultipartForm
	var items []server.NewItem
	for _, text := range form.Value["lines"] {
		if strings.TrimSpace(text) == "" {
			continue
		}
		read, err := p.svc.ReadItems(r.Context(), "", strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		items = append(items, read...)
	}
	for _, h := range form.File["table"] {
		b, err := readFile(h)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			continue
		}
		read, err := p.svc.ReadItems(r.Context(), h.Filename, bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		items = append(items, read...)
	}
	for _, h := range form.File["pictures"] {
		b, err := readFile(h)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(h.Filename), filepath.Ext(h.Filename))
		items = append(items, server.NewItem{Kind: store.Image, Body: name, Image: b})
	}
	return items, nil
}

func unreadable(err error) error {
	return fmt.Errorf("ui: %w: the form cannot be read: %w", server.ErrInvalid, err)
}

func readFile(h *multipart.FileHeader) ([]byte, error) {
	f, err := h.Open()
	if err != nil {
		return nil, fmt.Errorf("ui: %s: %w", h.Filename, err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, server.MaxUpload+1))
}
