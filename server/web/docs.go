package web

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsPage string

//go:embed docs.css
var docsStyle string

// docs serves the description of the interface as a page, which needs nothing from
// elsewhere and no scripts.
func (f *Front) docs(mux *http.ServeMux, api *huma.OpenAPI) {
	var page bytes.Buffer
	if err := template.Must(template.New("docs").Parse(docsPage)).Execute(&page, map[string]any{"About": api.Info.Description, "Operations": operations(api)}); err != nil {
		panic(err) // the same at every start
	}
	text := f.Base(page.Bytes())
	mux.HandleFunc("GET /api/docs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(text)
	})
	mux.HandleFunc("GET /api/docs.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Write([]byte(docsStyle))
	})
}

// operation is one of the interface's, as the page shows it.
type operation struct {
	Method, Path, Summary string
	Takes, Gives          []field
}

// field is a parameter, or a part of a body.
type field struct {
	Name, Where, Kind, About string
	Required                 bool
}

// operations are all of them, by path.
func operations(api *huma.OpenAPI) (all []operation) {
	for path, item := range api.Paths {
		for method, o := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if o == nil {
				continue
			}
			x := operation{Method: method, Path: path, Summary: o.Summary}
			for _, p := range o.Parameters {
				x.Takes = append(x.Takes, field{p.Name, p.In, kindOf(p.Schema), about(p.Description, p.Schema), p.Required})
			}
			if o.RequestBody != nil {
				x.Takes = append(x.Takes, fields(api, o.RequestBody.Content)...)
			}
			for code, r := range o.Responses {
				if strings.HasPrefix(code, "2") {
					x.Gives = append(x.Gives, fields(api, r.Content)...)
				}
			}
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method)) })
	return all
}

// fields are the parts of a body.
func fields(api *huma.OpenAPI, content map[string]*huma.MediaType) (all []field) {
	for kind, m := range content {
		s := m.Schema
		if s == nil || !strings.Contains(kind, "json") {
			all = append(all, field{Name: kind, Where: "body"})
			continue
		}
		where := "body"
		if s.Items != nil {
			s, where = s.Items, "of each"
		}
		if s.Ref != "" {
			s = api.Components.Schemas.SchemaFromRef(s.Ref)
		}
		if s == nil {
			continue
		}
		var names []string
		for name := range s.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			p := s.Properties[name]
			all = append(all, field{name, where, kindOf(p), about("", p), slices.Contains(s.Required, name)})
		}
	}
	return all
}

func kindOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Items != nil:
		return "list of " + kindOf(s.Items)
	}
	return cmp.Or(s.Format, s.Type)
}

func about(says string, s *huma.Schema) string {
	if says == "" && s != nil {
		return s.Description
	}
	return says
}
