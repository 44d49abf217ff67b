package pictures

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"strings"

	"palate/report"
)

// shape is what a chart is drawn for.
type shape struct {
	name          string
	width, height float64 // height 0: what the chart needs
}

func shapes() []shape { return []shape{{"phone", 390, 0}, {"desk", 1280, 0}, {"slide", 1280, 720}} }

// Draw draws the charts and pages of made-up boards with so many items each, and a sheet a
// chart with all pictures of it; put takes the files by their names.
func Draw(ctx context.Context, items []int, seed uint64, put func(name string, data []byte) error) error {
	sheets := map[string][]picture{}
	var order []string
	for _, n := range items {
		s, err := newScenery(ctx, n, seed)
		if err != nil {
			return err
		}
		charts, err := s.charts(ctx)
		if err != nil {
			return err
		}
		for _, c := range charts {
			if sheets[c.Name] == nil {
				order = append(order, c.Name)
			}
			for _, shape := range shapes() {
				for _, theme := range []string{"light", "dark"} {
					var out bytes.Buffer
					if err := c.Write(&out, report.File{Format: "svg", Theme: theme, Width: shape.width, Height: shape.height}); err != nil {
						return err
					}
					p := picture{fmt.Sprintf("%s-%d-%s-%s.svg", c.Name, n, shape.name, theme), shape.width}
					if err := put(p.File, out.Bytes()); err != nil {
						return err
					}
					sheets[c.Name] = append(sheets[c.Name], p)
				}
			}
		}
		var page bytes.Buffer
		if err := report.HTML(ctx, &page, s.page()); err != nil {
			return err
		}
		if err := put(fmt.Sprintf("page-%d-light.html", n), page.Bytes()); err != nil {
			return err
		}
		dark := strings.Replace(page.String(), "<html ", `<html data-theme="dark" `, 1)
		if err := put(fmt.Sprintf("page-%d-dark.html", n), []byte(dark)); err != nil {
			return err
		}
	}
	return bind(order, sheets, items, put)
}

// picture is a file on a sheet.
type picture struct {
	File  string
	Width float64
}

// Sheet is the name of the sheet of all sheets.
const Sheet = "index.html"

var sheet = template.Must(template.New("").Parse(`<!DOCTYPE html>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>body{margin:12px;background:#888;font:14px sans-serif}figure{display:inline-block;margin:6px;vertical-align:top}figcaption{color:#fff}</style>
<h1>{{.Title}}</h1>
{{range .Links}}<p><a href="{{.}}">{{.}}</a>
{{end}}{{range .Pages}}<figure><figcaption>{{.File}}</figcaption><iframe src="{{.File}}" width="{{.Width}}" height="2400"></iframe></figure>
{{end}}{{range .Pictures}}<figure><figcaption>{{.File}}</figcaption><img src="{{.File}}" width="{{.Width}}" alt=""></figure>
{{end}}`))

// bind writes a sheet a chart, and one that leads to all of them.
func bind(order []string, sheets map[string][]picture, items []int, put func(name string, data []byte) error) error {
	write := func(name, title string, links []string, pages, pictures []picture) error {
		var out bytes.Buffer
		if err := sheet.Execute(&out, map[string]any{"Title": title, "Links": links, "Pages": pages, "Pictures": pictures}); err != nil {
			return err
		}
		return put(name, out.Bytes())
	}
	var links []string
	for _, name := range order {
		links = append(links, "sheet-"+name+".html")
		if err := write("sheet-"+name+".html", name, nil, nil, sheets[name]); err != nil {
			return err
		}
	}
	var pages []picture
	for _, n := range items {
		for _, theme := range []string{"light", "dark"} {
			for _, s := range shapes()[:2] {
				pages = append(pages, picture{fmt.Sprintf("page-%d-%s.html", n, theme), s.width})
			}
		}
	}
	if err := write("sheet-page.html", "Pages", nil, pages, nil); err != nil {
		return err
	}
	return write(Sheet, "Pictures", append(links, "sheet-page.html"), nil, nil)
}
