package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"palate/server"
	"palate/store"
)

// office is the owner's page.
type office struct {
	visit
	Now      *server.Leaderboard
	Vote     string // the link for voters
	Trust    []server.Check
	People   []server.VoterRow
	All      []store.Item
	Tokens   []store.Token
	Scopes   []server.Scope
	Audit    []store.Action
	Formats  []string
	Shown    []secret // what was made just now, shown once
	Imported string
	Imports  []store.Import
	Team     []store.Owner
	Waiting  []store.Proposal // that wait for an answer
	Comments []server.Comment
	// MayDuplicate says that the owner may make boards on this server.
	MayDuplicate bool
	// Refused is the verb that was refused, and why, for the form it came from.
	Refused, Why string
}

// Problem is what to say in the form of a verb; what has no place of its own is said
// at the top.
func (o office) Problem(verb string) string {
	placed := slices.Contains([]string{"edit", "asking", "rules", "invite", "password", "import", "items", "token", "add-owner"}, o.Refused)
	if o.Refused == verb || verb == "" && o.Refused != "" && !placed {
		return o.Why
	}
	return ""
}

// soon is how long an import is waited for.
const soon = 2 * time.Second

// importSays tells how far an import is.
func (t *tongue) importSays(i store.Import) string {
	bad := ""
	if i.Bad > 0 {
		bad = " " + t.Say("import-bad", i.Bad)
		if i.Says != "" {
			bad += " (" + i.Says + ")"
		}
	}
	switch i.State {
	case store.Finished:
		return t.Say("import-done", i.Added, i.Name) + bad
	case store.Failed:
		why := i.Says
		if !strings.HasPrefix(why, i.Name) {
			why = i.Name + ": " + why
		}
		if i.Added == 0 {
			return why + ". " + t.Say("import-nothing")
		}
		return why + ". " + t.Say("import-stays", i.Added)
	case store.Cancelled:
		return t.Say("import-cancelled", i.Added, i.Name)
	}
	if i.Rows == 0 {
		return t.Say("import-reading", i.Name)
	}
	return t.Say("import-under-way", i.Rows, t.Count(i.Done), t.Count(i.Added), i.Name)
}

// importing is the list of imports, as it is now.
type importing struct {
	Board   store.Board
	Imports []store.Import
}

// Under reports whether one is under way.
func (i importing) Under() bool {
	return slices.ContainsFunc(i.Imports, func(x store.Import) bool { return !x.State.Over() })
}

// Importing is the part of the owner's page that shows imports.
func (o office) Importing() importing { return importing{o.Board, o.Imports} }

// imports is that part, for a page that waits.
func (p *pages) imports(w http.ResponseWriter, r *http.Request) error {
	v, err := p.ownerVisit(r)
	if err != nil {
		return err
	}
	list, err := p.recentImports(r.Context(), v.Board.ID)
	if err != nil {
		return err
	}
	return p.part(w, r, http.StatusOK, "owner", "imports", importing{v.Board, list})
}

// recentImports are the last few.
func (p *pages) recentImports(ctx context.Context, board string) ([]store.Import, error) {
	list, err := p.svc.Imports(ctx, board)
	return list[:min(len(list), 5)], err
}

// secret is something that is shown once.
type secret struct{ Name, Value string }

// owner shows the owner's page.
func (p *pages) owner(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	if !v.Who.Owner {
		return to(w, r, path(v.Board.ID, "/login"))
	}
	return p.office(w, r, office{visit: v})
}

func (p *pages) office(w http.ResponseWriter, r *http.Request, o office) error {
	ctx, id := r.Context(), o.Board.ID
	o.Vote, o.Scopes, o.Formats = p.front.BoardLink(r, id), server.Scopes(), []string{"csv", "jsonl", "parquet"}
	if o.Board.Space != nil {
		o.Formats = append(o.Formats, server.Duels)
	}
	o.MayDuplicate = p.svc.IsAdmin(p.front.Shown(r))
	code := http.StatusOK
	if o.Refused != "" {
		code = http.StatusUnprocessableEntity
	}
	var err error
	read := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	read(func() (e error) { o.Now, e = p.svc.Goal(ctx, id); return })
	read(func() (e error) { o.Trust, e = p.svc.Trust(ctx, id); return })
	read(func() (e error) { o.People, e = p.svc.Voters(ctx, id); return })
	read(func() (e error) { o.All, e = p.svc.Items(ctx, id); return })
	read(func() (e error) { o.Tokens, e = p.svc.Tokens(ctx, id); return })
	read(func() (e error) { o.Audit, e = p.svc.Audit(ctx, id); return })
	o.Audit = o.Audit[max(0, len(o.Audit)-auditShown):]
	read(func() (e error) { o.Imports, e = p.recentImports(ctx, id); return })
	read(func() (e error) { o.Team, e = p.svc.Owners(ctx, id); return })
	read(func() (e error) { o.Comments, e = p.svc.Comments(ctx, id, commentsShown); return })
	read(func() (e error) { o.Waiting, e = p.waiting(ctx, id); return })
	if err != nil {
		return err
	}
	return p.render(w, r, code, "owner", o)
}

// act does what the owner asks for. What makes a secret shows it in the answer;
// the rest leads back to the page.
func (p *pages) act(w http.ResponseWriter, r *http.Request) error {
	v, err := p.ownerVisit(r)
	if err != nil {
		return err
	}
	ctx, id, actor := r.Context(), v.Board.ID, v.Who.Actor
	var shown []secret
	var imported string
	verb := r.PathValue("verb")
	if slices.Contains(headVerbs(), verb) {
		if err := v.Who.MustHead(); err != nil {
			return err
		}
	}
	switch verb {
	case "duplicate":
		return p.duplicate(w, r, v)
	case "close", "open":
		err = p.svc.SetClosed(ctx, id, actor, verb == "close")
	case "public", "hide":
		err = p.svc.SetPublic(ctx, id, actor, verb == "public")
	case "voter":
		err = p.svc.ExcludeVoter(ctx, id, actor, r.PostFormValue("voter"), r.PostFormValue("reason"))
	case "item":
		err = p.svc.ExcludeItem(ctx, id, actor, r.PostFormValue("item"), r.PostFormValue("reason"))
	case "items":
		err = p.addItems(r, v)
	case "invite":
		shown, err = p.invite(r, v)
	case "token":
		var value string
		value, err = p.svc.NewToken(ctx, id, actor, r.PostFormValue("name"), scopes(r))
		shown = []secret{{p.tongueOf(r).Say("token-of", r.PostFormValue("name")), value}}
	case "revoke":
		err = p.svc.RevokeToken(ctx, id, actor, r.PostFormValue("name"))
	case "renew":
		var value string
		value, err = p.svc.RenewOwner(ctx, id, actor)
		shown = []secret{{p.tongueOf(r).Say("your-new-owner-link"), p.front.OwnerLink(r, id, value)}}
	case "password":
		err = p.svc.SetPassword(ctx, id, actor, r.PostFormValue("password"))
	case "import":
		imported, err = p.importVotes(r, v)
	case "cancel-import":
		err = p.svc.CancelImport(ctx, id, actor, r.PostFormValue("import"))
	default:
		shown, err = p.control(r, v, verb)
	}
	if errors.Is(err, server.ErrInvalid) {
		return p.office(w, r, office{visit: v, Refused: r.PathValue("verb"), Why: sentence(reason(err))})
	}
	if err != nil {
		return err
	}
	if shown == nil && imported == "" {
		return to(w, r, path(id, "/owner"))
	}
	return p.office(w, r, office{visit: v, Shown: shown, Imported: imported})
}

func (p *pages) addItems(r *http.Request, v visit) error {
	items, err := p.readItems(r)
	if err != nil {
		return err
	}
	_, err = p.svc.AddItems(r.Context(), v.Board.ID, v.Who.Actor, items)
	return err
}

// invite makes a private link a line of the form.
func (p *pages) invite(r *http.Request, v visit) ([]secret, error) {
	var names []string
	for line := range strings.Lines(r.PostFormValue("names")) {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	made, err := p.svc.Invite(r.Context(), v.Board.ID, v.Who.Actor, strings.TrimSpace(r.PostFormValue("group")), names)
	var shown []secret
	for _, i := range made {
		shown = append(shown, secret{i.Voter.Name, p.front.PrivateLink(r, v.Board.ID, i.Secret)})
	}
	return shown, err
}

func scopes(r *http.Request) (all []server.Scope) {
	for _, s := range r.PostForm["scope"] {
		all = append(all, server.Scope(s))
	}
	return all
}

func (p *pages) importVotes(r *http.Request, v visit) (string, error) {
	f, h, err := r.FormFile("votes")
	if errors.Is(err, http.ErrMissingFile) {
		return "", fmt.Errorf("ui: %w: no file was sent", server.ErrInvalid)
	}
	if err != nil {
		return "", unreadable(err)
	}
	defer f.Close()
	i, err := p.svc.Import(r.Context(), v.Board.ID, v.Who.Actor, h.Filename, f, store.ImportSettings{
		SkipBad: r.PostFormValue("skip-bad") != "", Columns: strings.TrimSpace(r.PostFormValue("columns")), TimeFormat: strings.TrimSpace(r.PostFormValue("time-format"))})
	if err == nil {
		i, err = p.svc.AwaitImport(r.Context(), v.Board.ID, i.ID, soon) // a small file is done at once
	}
	if err != nil {
		return "", err
	}
	if i.State == store.Failed {
		return "", fmt.Errorf("ui: %w: %s", server.ErrInvalid, i.Says)
	}
	return p.tongueOf(r).importSays(i), nil
}
