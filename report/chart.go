package report

import (
	"fmt"
	"io"
	"slices"

	"palate/internal/draw"
)

// Chart is a picture that can be drawn at any width, with the words and the
// numbers behind it.
type Chart struct {
	Name  string     // one word
	Title string     // a line
	Alt   string     // what is to be seen, for those who do not see it
	Note  string     // how to read it
	Head  []string   // of the table of the numbers,
	Rows  [][]string // a row a line
	draw  func(width float64) *draw.Scene
}

// Widths between which charts are legible.
const (
	MinWidth = 280
	MaxWidth = 4000
)

// SVG returns the chart as an element for a page that has [Style], drawn for a
// width in pixels: about 350 for a phone, 900 for a desk. It holds neither
// styles nor scripts, and goes with any content security policy.
func (c *Chart) SVG(width float64) string { return c.scene(width).SVG(c.Alt) }

func (c *Chart) scene(width float64) *draw.Scene {
	return c.draw(min(max(width, MinWidth), MaxWidth))
}

// Style returns the style sheet of what SVG returns: a colour for each role in
// a picture, as classes and as variables (--pl-text, --pl-accent and others),
// for light and for dark screens.
func Style() string { return draw.Style() }

// Formats are what Chart.Write can write.
func Formats() []string { return []string{"svg", "png"} }

// Themes are the colours that Chart.Write can use; auto, for SVG only, leaves
// the choice to the screen.
func Themes() []string { return []string{"light", "dark", "auto"} }

// File says how a chart is to be written to a file.
type File struct {
	Format string  // of Formats
	Theme  string  // of Themes; empty: light
	Width  float64 // in pixels; 0 stands for 900
	Bare   bool    // without title and note
}

// pngDots is the number of dots a pixel of PNG, for sharp screens and print.
const pngDots = 2

// Write writes the chart as a file of its own, its title above it.
func (c *Chart) Write(w io.Writer, f File) error {
	if f.Width == 0 {
		f.Width = 900
	}
	if f.Theme == "" {
		f.Theme = "light"
	}
	switch {
	case !slices.Contains(Formats(), f.Format):
		return fmt.Errorf("report: format %q is not one of %v", f.Format, Formats())
	case !slices.Contains(Themes(), f.Theme):
		return fmt.Errorf("report: theme %q is not one of %v", f.Theme, Themes())
	case f.Theme == "auto" && f.Format != "svg":
		return fmt.Errorf("report: only svg adapts to the screen, %s does not", f.Format)
	case !(f.Width >= MinWidth && f.Width <= MaxWidth):
		return fmt.Errorf("report: a width of %v pixels is not between %d and %d", f.Width, MinWidth, MaxWidth)
	}
	s := c.page(f)
	theme := map[string]*draw.Theme{"light": draw.Light(), "dark": draw.Dark()}[f.Theme]
	if f.Format == "png" {
		return s.PNG(w, theme, pngDots)
	}
	return s.File(w, theme, c.Alt)
}

// page is the chart with its title above, its note below, and a margin.
func (c *Chart) page(f File) *draw.Scene {
	const margin = 20
	s := draw.New(f.Width)
	y := float64(margin)
	if !f.Bare {
		y += 17
		s.Add(draw.Label{X: margin, Y: y, Text: draw.Fit(c.Title, f.Width-2*margin, 17, true), Size: 17, Bold: true})
		y += 18
	}
	inner := c.draw(f.Width - 2*margin)
	s.Put(inner, margin, y)
	y += inner.Height
	if !f.Bare {
		y += 10
		for _, line := range draw.Wrap(c.Note, f.Width-2*margin, 11.5) {
			y += 15
			s.Add(draw.Label{X: margin, Y: y, Text: line, Size: 11.5, Ink: draw.Muted})
		}
	}
	s.Height = y + margin
	return s
}
