package report

import (
	"cmp"
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
	// fill, if set, draws the chart so that it takes no more than a height, if it can.
	fill func(width, height float64) *draw.Scene
	// pieces, if set, draws a long chart in pieces that pages may break between, and says
	// after how many of them a reader has seen enough at first.
	pieces func(width float64) (all []*draw.Scene, enough int)
	// Simulator, if set, lets readers of a page try shelves of their own.
	Simulator *simulator
}

// Widths between which charts are legible.
const (
	MinWidth = 280
	MaxWidth = 4000
)

// MinHeight is that of the lowest frame.
const MinHeight = 160

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
func Formats() []string { return []string{"svg", "png", "pdf"} }

// Themes are the colours that Chart.Write can use; auto, for SVG only, leaves
// the choice to the screen.
func Themes() []string { return []string{"light", "dark", "auto"} }

// File says how a chart is to be written to a file.
type File struct {
	Format string  // of Formats
	Theme  string  // of Themes; empty: light
	Width  float64 // in pixels; 0 stands for 900
	Height float64 // in pixels, as for a slide; 0: what the chart needs
	Title  string  // in the place of the chart's own
	Bare   bool    // without title and note
}

// pngDots is the number of dots a pixel of PNG, for sharp screens and print.
const pngDots = 2

// Write writes the chart as a file of its own, its title above it.
func (c *Chart) Write(w io.Writer, f File) error {
	f.Width = cmp.Or(f.Width, 900)
	f.Theme = cmp.Or(f.Theme, "light")
	f.Title = cmp.Or(f.Title, c.Title)
	switch {
	case !slices.Contains(Formats(), f.Format):
		return fmt.Errorf("report: format %q is not one of %v", f.Format, Formats())
	case !slices.Contains(Themes(), f.Theme):
		return fmt.Errorf("report: theme %q is not one of %v", f.Theme, Themes())
	case f.Theme == "auto" && f.Format != "svg":
		return fmt.Errorf("report: only svg adapts to the screen, %s does not", f.Format)
	case !(f.Width >= MinWidth && f.Width <= MaxWidth):
		return fmt.Errorf("report: a width of %v pixels is not between %d and %d", f.Width, MinWidth, MaxWidth)
	case f.Height != 0 && !(f.Height >= MinHeight && f.Height <= MaxWidth):
		return fmt.Errorf("report: a height of %v pixels is not between %d and %d", f.Height, MinHeight, MaxWidth)
	}
	s := c.page(f)
	theme := map[string]*draw.Theme{"light": draw.Light(), "dark": draw.Dark()}[f.Theme]
	switch f.Format {
	case "png":
		return s.PNG(w, theme, pngDots)
	case "pdf":
		return s.PDF(w, theme, f.Title)
	}
	return s.File(w, theme, c.Alt)
}

// Lacking returns the first name or word of the chart's numbers for which PNG and PDF have no letters; empty when they
// have them all.
func (c *Chart) Lacking() string {
	for _, row := range c.Rows {
		for _, cell := range row {
			if draw.Lacking(cell) {
				return cell
			}
		}
	}
	return ""
}

// page is the chart with its title above, its note below, and a margin, in a frame if
// there is to be one.
func (c *Chart) page(f File) *draw.Scene {
	if f.Height == 0 {
		return c.sheet(f, f.Width, 0)
	}
	// The sheet is laid out for several widths and enlarged or made smaller to the frame;
	// the one whose letters become largest is taken, and of such with nearly as large ones the
	// widest.
	var best *draw.Scene
	var largest, by float64
	for _, share := range []float64{0.625, 0.7, 0.8, 0.9, 1, 1.15, 1.3, 1.5, 1.75, 2, 2.5, 3} {
		width := max(share*f.Width, MinWidth)
		s := c.sheet(f, width, width*f.Height/f.Width)
		if scale := min(f.Width/s.Width, f.Height/s.Height); scale >= 0.97*largest {
			best, by, largest = s, scale, max(scale, largest)
		}
	}
	s := draw.New(f.Width)
	s.Height = f.Height
	best = best.Scaled(by)
	s.Put(best, (f.Width-best.Width)/2, 0)
	return s
}

// sheet draws title, chart and note, so that they take no more than a height, if the chart
// can; 0: any.
func (c *Chart) sheet(f File, width, height float64) *draw.Scene {
	const margin = 20
	s := draw.New(width)
	y := float64(margin)
	var notes []string
	if !f.Bare {
		for _, line := range draw.Wrap(f.Title, width-2*margin, 18) { // bold letters are wider
			y += 19
			s.Add(draw.Label{X: margin, Y: y - 2, Text: draw.Fit(line, width-2*margin, 17, true), Size: 17, Bold: true})
		}
		y += 16
		notes = draw.Wrap(c.Note, width-2*margin, 11.5)
	}
	below := 0.0
	if len(notes) > 0 {
		below = 10 + 15*float64(len(notes))
	}
	var inner *draw.Scene
	if height > 0 && c.fill != nil {
		inner = c.fill(width-2*margin, height-y-below-margin)
	} else {
		inner = c.draw(width - 2*margin)
	}
	s.Put(inner, margin, y)
	y += inner.Height + 10
	for _, line := range notes {
		y += 15
		s.Add(draw.Label{X: margin, Y: y, Text: line, Size: 11.5, Ink: draw.Muted})
	}
	s.Height = y + margin
	if len(notes) == 0 {
		s.Height -= 10
	}
	return s
}
