package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"palate/internal/draw"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// Paper is what stands around every report in HTML.
type Paper struct {
	Title    string // what was ranked
	Subtitle string // a line below it; empty: none
	Logo     *Logo  // a picture beside the title; nil: none
	Made     string // how to make it again
}

// The widths that charts are drawn for: a desk and a phone.
const (
	deskWidth  = 900
	phoneWidth = 338
)

// page is what every report in HTML is made of.
type page struct {
	Paper
	words            speech
	headline, groups string
	facts, details   []fact
	form             string // of the model, as the program calls it; empty: there is only one
	charts           []*Chart
	absent           []string // charts that are not there, and why
}

// plate is a chart on a page: pieces of a picture, all but the first few of which wait until
// somebody asks for them.
type plate struct {
	*Chart
	Desk, Phone []piece
	Later       bool // some pieces wait
}

type piece struct {
	SVG   template.HTML
	Later bool
}

// collapsed is the number of rows from which on a long chart or table waits.
const collapsed = 60

func newPlate(c *Chart) plate {
	f := plate{Chart: c}
	pieces := func(width float64) (all []piece) {
		scenes := []*draw.Scene{c.scene(width)}
		after := 1
		if c.pieces != nil {
			scenes, after = c.pieces(width)
		}
		for k, s := range scenes {
			about := ""
			if k == 0 {
				about = c.Alt
			}
			all = append(all, piece{template.HTML(s.SVG(about)), k >= after})
			f.Later = f.Later || k >= after
		}
		return all
	}
	f.Desk, f.Phone = pieces(deskWidth), pieces(phoneWidth)
	return f
}

// writePage writes a page as one file.
func writePage(ctx context.Context, w io.Writer, p page) error {
	t, err := template.New("page").Funcs(template.FuncMap{"say": p.words.Say, "count": p.words.Count}).Parse(pageHTML)
	if err != nil {
		return err
	}
	style := Style() + pageCSS
	var figures []plate
	for _, c := range p.charts {
		if err := ctx.Err(); err != nil {
			return err
		}
		figures = append(figures, newPlate(c))
	}
	var logo template.URL
	if p.Logo != nil {
		logo = template.URL("data:" + p.Logo.kind + ";base64," + base64.StdEncoding.EncodeToString(p.Logo.data))
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Title": p.Title, "Subtitle": p.Subtitle, "Logo": logo, "Headline": p.headline, "Groups": p.groups, "Facts": p.facts, "Details": p.details, "Form": p.form,
		"Figures": figures, "Absent": p.absent, "Made": p.Made, "Collapsed": collapsed,
		"Language": p.words.Tag.String(), "Dir": p.words.Dir(),
		"Style": template.CSS(style), "Script": template.JS(pageJS),
		"Policy": fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", sourceHash(style), sourceHash(pageJS)),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// sourceHash names a style sheet or a script in a content security policy.
func sourceHash(text string) string {
	h := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}
