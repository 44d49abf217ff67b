package web

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"palate/server"
)

// newAPI returns an interface that is made from the code, its description at /api/openapi.json.
func (f *Front) newAPI(mux *http.ServeMux, title, about string) huma.API {
	c := huma.DefaultConfig(title, "1")
	c.Info.Description = about
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/api/openapi", "", ""
	if f.base != "" {
		c.Servers = []*huma.Server{{URL: f.base}}
	}
	c.CreateHooks = nil // no links to schemas in answers
	c.Formats = map[string]huma.Format{"application/json": f.boundedJSON(), "json": f.boundedJSON(), form: formRefused()}
	c.Transformers = []huma.Transformer{brief}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	return humago.New(mux, c)
}

// api serves the JSON interface, and its description.
func (f *Front) api(mux *http.ServeMux) {
	api := f.newAPI(mux, "Palate", "Boards that people vote on in pairs. A program sends a token of the board, or its owner's secret, as Authorization: Bearer TOKEN.")
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) { f.identified(api, ctx, next) })
	f.boardAPI(api)
	f.voteAPI(api)
	f.spaceAPI(api)
	f.ownerAPI(api)
	f.fileAPI(api)
	f.webhookAPI(api)
	f.docs(mux, api.OpenAPI())
	f.controlAPI(api)
}

type identityKey struct{}

// caller is who makes the request, and the request.
type caller struct {
	server.Identity
	r *http.Request
}

// identified finds out who is asking and whether they may, before the body is read.
func (f *Front) identified(api huma.API, ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	who := caller{r: r}
	if board := ctx.Param("board"); board != "" {
		var err error
		if who.Identity, err = f.Identify(r, board); err != nil {
			code, says := f.failure(err)
			huma.WriteErr(api, ctx, code, says)
			return
		}
	}
	if err := allowed(ctx.Operation(), who); err != nil {
		code, says := f.failure(err)
		huma.WriteErr(api, ctx, code, says)
		return
	}
	next(huma.WithValue(ctx, identityKey{}, who))
}

func from(ctx context.Context) caller { return ctx.Value(identityKey{}).(caller) }

// failure is status, logged when it is the server's fault.
func (f *Front) failure(err error) (int, string) {
	code, says := status(err)
	if code == http.StatusInternalServerError {
		f.log.Error("request failed", "error", err)
	}
	return code, says
}

// refusal is failure, for an operation to return.
func (f *Front) refusal(err error) error {
	code, says := f.failure(err)
	return huma.NewError(code, says)
}

// need says why somebody may not do something.
type need func(caller) error

func owner(who caller) error { return who.MustOwn() }

func scope(s server.Scope) need { return func(who caller) error { return who.Must(s) } }

// maker makes boards.
func (f *Front) maker(who caller) error { return f.svc.MayCreate(bearer(who.r)) }

// needs makes an operation one for some only; needed is the same in an operation's own
// words.
func needs(n need) func(*huma.Operation) {
	return func(o *huma.Operation) { o.Metadata = needed(n) }
}

func needed(n need) map[string]any { return map[string]any{"need": n} }

func allowed(o *huma.Operation, who caller) error {
	if n, ok := o.Metadata["need"].(need); ok {
		return n(who)
	}
	return nil
}

// reply is an answer with a body. It is one type for all operations, since what is
// generated for each further one takes as much room as a small package.
type reply struct{ Body any }

// op registers an operation: work is told who asks, and its errors become codes.
func op[In, Out any](f *Front, api huma.API, method, path, id, summary string, work func(context.Context, caller, *In) (Out, error), more ...func(*huma.Operation)) {
	o := huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary}
	for _, m := range more {
		m(&o)
	}
	limit := f.limits.named(method + " " + path)
	o.MaxBodyBytes, o.BodyReadTimeout = limit.Bytes, limit.Time
	described := huma.MediaType{Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Out](), true, id+"Response")}
	o.Responses = map[string]*huma.Response{strconv.Itoa(cmp.Or(o.DefaultStatus, http.StatusOK)): {Content: map[string]*huma.MediaType{"application/json": &described}}}
	huma.Register(api, o, func(ctx context.Context, in *In) (*reply, error) {
		out, err := work(ctx, from(ctx), in)
		if err != nil {
			return nil, f.refusal(err)
		}
		return &reply{out}, nil
	})
}

// each makes what is answered of every one of a list. Of an empty list it is empty, too, and not null.
func each[A, B any](list []A, of func(A) B) []B {
	all := make([]B, len(list))
	for k, x := range list {
		all[k] = of(x)
	}
	return all
}

// OfBoard is the input of operations on a board. It is exported so that it can be
// embedded, and read by reflection.
type OfBoard struct {
	Board string `path:"board" maxLength:"40"`
}

// OfPart is the input of operations on something of a board.
type OfPart struct {
	OfBoard
	ID string `path:"id" maxLength:"40"`
}

// OfVoters says whose ranking is wanted.
type OfVoters struct {
	Voter string `query:"voter" maxLength:"200" doc:"\"me\" for one's own ranking; a program names a voter."`
	Group string `query:"group" maxLength:"100" doc:"The ranking of a group of voters."`
}

// Address returns the server's own, without a slash at its end: that of the
// options, or else the one by which a request came.
func (f *Front) Address(r *http.Request) string {
	switch {
	case f.options.URL != "":
		return strings.TrimSuffix(f.options.URL, "/")
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
