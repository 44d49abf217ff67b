package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"palate/server"
	"palate/store"
)

// soon is how long an import is waited for, so that of a small file the answer says
// what came of it.
const soon = 2 * time.Second

// fileAPI takes files in and gives them out, and streams events.
func (f *Front) fileAPI(api huma.API) {
	type items struct {
		OfBoard
		Body struct {
			Items []ItemJSON `json:"items" minItems:"1"`
		}
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/items", "add-items", "Add items", func(ctx context.Context, who caller, in *items) (done, error) {
		var list []server.NewItem
		for _, i := range in.Body.Items {
			list = append(list, newItem(i))
		}
		_, err := f.svc.AddItems(ctx, in.Board, who.Actor, list)
		return done{err == nil}, err
	}, needs(scope(server.CanImport)))

	type image struct {
		OfBoard
		Name    string `query:"name" maxLength:"300" doc:"What to call it."`
		RawBody []byte `contentType:"application/octet-stream"`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/images", "add-image", "Add a picture as an item: a PNG, JPEG, GIF or WebP file", func(ctx context.Context, who caller, in *image) (ItemJSON, error) {
		added, err := f.svc.AddItems(ctx, in.Board, who.Actor, []server.NewItem{{ID: in.Name, Body: in.Name, Image: append([]byte{}, in.RawBody...)}})
		if err != nil {
			return ItemJSON{}, err
		}
		b, err := f.svc.Board(ctx, in.Board)
		return f.itemJSON(b, added[0]), err
	}, needs(scope(server.CanImport)))

	type file struct {
		OfBoard
		Name       string `query:"name" maxLength:"300" doc:"The file's name, for forms that are known by it."`
		SkipBad    bool   `query:"skip_bad" doc:"Pass rows over that cannot be read, in place of taking nothing."`
		Columns    string `query:"columns" maxLength:"2000" doc:"What columns are whose names do not tell: winner=chosen,loser=other, or winner=1,loser=2 of a file without a header."`
		TimeFormat string `query:"time_format" maxLength:"200" doc:"How times are written, in the codes of strftime."`
		RawBody    []byte `contentType:"application/octet-stream"`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/import", "import", "Import a file of votes, in any form that `palate rank` reads", func(ctx context.Context, who caller, in *file) (ImportJSON, error) {
		in.Name = cmp.Or(in.Name, "votes")
		i, err := f.svc.Import(ctx, in.Board, who.Actor, in.Name, bytes.NewReader(in.RawBody), store.ImportSettings{SkipBad: in.SkipBad, Columns: in.Columns, TimeFormat: in.TimeFormat})
		if err == nil {
			i, err = f.svc.AwaitImport(ctx, in.Board, i.ID, soon)
		}
		if err == nil && i.State == store.Failed {
			err = fmt.Errorf("server: %w: %s", server.ErrInvalid, i.Says)
		}
		return importJSON(i), err
	}, needs(scope(server.CanImport)))

	op(f, api, http.MethodGet, "/api/boards/{board}/imports", "imports", "Files of votes, and how far they are", func(ctx context.Context, _ caller, in *OfBoard) ([]ImportJSON, error) {
		list, err := f.svc.Imports(ctx, in.Board)
		return each(list, importJSON), err
	}, needs(scope(server.CanImport)))
	op(f, api, http.MethodGet, "/api/boards/{board}/imports/{id}", "import-progress", "How far a file of votes is", func(ctx context.Context, _ caller, in *OfPart) (ImportJSON, error) {
		i, err := f.svc.ImportOf(ctx, in.Board, in.ID)
		return importJSON(i), err
	}, needs(scope(server.CanImport)))
	op(f, api, http.MethodDelete, "/api/boards/{board}/imports/{id}", "cancel-import", "End an import; votes that it has added stay", func(ctx context.Context, who caller, in *OfPart) (ImportJSON, error) {
		if err := f.svc.CancelImport(ctx, in.Board, who.Actor, in.ID); err != nil {
			return ImportJSON{}, err
		}
		i, err := f.svc.ImportOf(ctx, in.Board, in.ID)
		return importJSON(i), err
	}, needs(scope(server.CanImport)))

	type export struct {
		OfBoard
		Format string `query:"format" enum:"csv,tsv,json,jsonl,parquet,duels" default:"csv" doc:"duels, of a board of a space: the file of answers of palate tune."`
		Log    bool   `query:"log" doc:"Every record as it is stored, undone ones too."`
	}
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/api/boards/{board}/export", OperationID: "export", Summary: "Export votes and skips", Metadata: needed(scope(server.CanExport))},
		func(ctx context.Context, in *export) (*huma.StreamResponse, error) {
			b, err := f.svc.Board(ctx, in.Board)
			if err == nil && in.Format == server.Duels && b.Space == nil {
				err = fmt.Errorf("server: %w: the board ranks a list of items, and has no duels of a space", server.ErrInvalid)
			}
			if err != nil {
				return nil, f.refusal(err)
			}
			return &huma.StreamResponse{Body: func(c huma.Context) {
				c.SetHeader("Content-Type", contentType(in.Format))
				name, ending := in.Board, in.Format
				if in.Log {
					name += "-log"
				}
				if in.Format == server.Duels {
					ending = "duels.jsonl"
				}
				c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+"."+ending))
				if err := f.svc.Export(ctx, in.Board, c.BodyWriter(), server.ExportOptions{Format: in.Format, Log: in.Log}); err != nil {
					f.log.Error("export", "board", in.Board, "error", err)
					panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
				}
			}}, nil
		})

	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/api/boards/{board}/events", OperationID: "events", Summary: "A stream of what changes, as server-sent events"},
		func(ctx context.Context, in *OfBoard) (*huma.StreamResponse, error) {
			if err := f.svc.Sees(ctx, from(ctx).Identity); err != nil {
				return nil, f.refusal(err)
			}
			return &huma.StreamResponse{Body: func(c huma.Context) { f.stream(c, in.Board) }}, nil
		})
}

func contentType(format string) string {
	switch format {
	case "json":
		return "application/json"
	case "jsonl", server.Duels:
		return "application/jsonl"
	case "parquet":
		return "application/vnd.apache.parquet"
	case "tsv":
		return "text/tab-separated-values; charset=utf-8"
	}
	return "text/csv; charset=utf-8"
}

// stream sends events until the reader, or the server, goes.
func (f *Front) stream(c huma.Context, board string) {
	r, w := humago.Unwrap(c)
	changes, cancel := f.svc.Subscribe(board)
	defer cancel()
	send := Stream(w)
	alive := time.NewTicker(Breath)
	defer alive.Stop()
	for message := "retry: 2000\n\n"; ; {
		if send(message) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case e, open := <-changes:
			if !open {
				return
			}
			message = fmt.Sprintf("event: %s\ndata: {\"seq\":%d}\n\n", e.Kind, e.Seq)
		case <-alive.C:
			message = ": still here\n\n"
		}
	}
}
