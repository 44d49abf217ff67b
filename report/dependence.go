package report

import (
	"slices"
	"strings"

	"palate/explain"
	"palate/internal/draw"
)

// dependenceMost is the number of features that a chart shows, the most important ones.
const dependenceMost = 12

// Dependence shows how scores go with each feature, a panel each, the most important first; nil
// where there are none whose values can be told.
func Dependence(all []*explain.Dependence, level float64, o Options) *Chart {
	var shown []*explain.Dependence
	for _, d := range all {
		if len(shown) < dependenceMost && (d.Feature.Scalar() || d.Feature.Categories != nil) {
			shown = append(shown, d)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	w, s := in(o.Language), o.scale()
	c := &Chart{
		Name: "dependence", Title: w.Say("chart-dependence"),
		Head: []string{w.Say("chart-feature"), w.Say("chart-value"), w.Say("chart-effect"), w.Say("chart-interval")},
		Note: w.Say("chart-dependence-note", w.percent(level)),
	}
	if hidden := len(all) - len(shown); hidden > 0 {
		c.Note += " " + w.Say("chart-features-hidden", hidden)
	}
	number := func(x float64) string { return w.fixed(s.factor*x, s.decimals) }
	var said []string
	for _, d := range shown {
		for k := range d.At {
			c.Rows = append(c.Rows, []string{label(d.Feature.Name), label(w.setting(d, k)), number(d.Effect[k].Value), w.span(s.factor*d.Effect[k].Lo, s.factor*d.Effect[k].Hi, s.decimals)})
		}
		said = append(said, w.Say("chart-dependence-said", label(d.Feature.Name), number(d.Importance.Value), number(d.Importance.Lo), number(d.Importance.Hi)))
	}
	c.Alt = w.Say("chart-dependence-alt", len(shown), w.list(said, 6))
	c.draw = func(width float64) *draw.Scene { return drawDependences(w, shown, s, width) }
	return c
}

// setting says a value of a feature: a word of the table as it is, a number as the language writes it.
func (s speech) setting(d *explain.Dependence, k int) string {
	text := d.At[k].Label
	switch kind := d.Feature.Kind; {
	case kind == "number":
		return strings.Replace(strings.Replace(text, "-", "−", 1), ".", s.Say("number-point"), 1)
	case kind == "boolean" && text == "yes":
		return s.Say("setting-yes")
	case kind == "boolean":
		return s.Say("setting-no")
	case kind != "category" || slices.Contains(d.Feature.Categories, text):
		return text
	case text == "other":
		return s.Say("setting-other")
	}
	return s.Say("setting-none")
}

// drawDependences sets a panel for every feature beside and below each other, all of one scale.
func drawDependences(w speech, shown []*explain.Dependence, s scale, width float64) *draw.Scene {
	const gap, height, least, nameSize = 24, 176, 200, 12.5
	columns := max(1, min(len(shown), int((width+gap)/(least+gap))))
	each := (width - gap*float64(columns-1)) / float64(columns)
	lo, hi := 0.0, 0.0
	for _, d := range shown {
		for _, e := range d.Effect {
			lo, hi = min(lo, s.factor*e.Lo), max(hi, s.factor*e.Hi)
		}
	}
	if hi == lo {
		hi++
	}
	room := 0.05 * (hi - lo)
	lo, hi = lo-room, hi+room
	ys := w.ticks(lo, hi, 5)
	var numbers float64
	for _, t := range ys {
		numbers = max(numbers, draw.TextWidth(t.Text, 11, false))
	}
	var names []string
	for _, d := range shown {
		names = append(names, label(d.Feature.Name))
	}
	names = draw.Names(names, each, nameSize, true)
	out := draw.New(width)
	for k, d := range shown {
		panel := draw.New(each)
		panel.Add(draw.Label{X: 0, Y: 13, Text: names[k], Size: nameSize, Bold: true})
		drawDependence(w, panel, d, s, &draw.Axes{Left: numbers + 10, Right: each - 4, Top: 20, Bottom: height - 52, Y1: lo, Y2: hi}, ys)
		out.Put(panel, float64(k%columns)*(each+gap), float64(k/columns)*height)
	}
	out.Height = float64((len(shown)+columns-1)/columns) * height
	return out
}

// drawDependence draws the panel of one feature under its name: a line with its band along numbers,
// dots with their intervals of words.
func drawDependence(w speech, s *draw.Scene, d *explain.Dependence, by scale, a *draw.Axes, ys []draw.Tick) {
	for _, t := range ys {
		y := a.Y(t.Value)
		s.Add(draw.Line(a.Left, y, a.Right, y, 1, draw.Grid), draw.Label{X: a.Left - 6, Y: y + 4, Text: t.Text, Size: 11, Ink: draw.Muted, Anchor: draw.End})
	}
	s.Add(draw.Line(a.Left, a.Y(0), a.Right, a.Y(0), 1, draw.Muted))
	last := len(d.At) - 1
	title := func(k int) string {
		e := d.Effect[k]
		return label(d.Feature.Name) + " " + label(w.setting(d, k)) + ": " + w.fixed(by.factor*e.Value, by.decimals) + " (" + w.span(by.factor*e.Lo, by.factor*e.Hi, by.decimals) + ")"
	}
	if d.Feature.Scalar() && last > 1 {
		a.X1, a.X2 = d.At[0].Value, d.At[last].Value
		var line, upper, lower []draw.Point
		for k, at := range d.At {
			e := d.Effect[k]
			line, upper = append(line, a.At(at.Value, by.factor*e.Value)), append(upper, a.At(at.Value, by.factor*e.Hi))
			lower = append([]draw.Point{a.At(at.Value, by.factor*e.Lo)}, lower...)
		}
		s.Add(draw.Path{Points: append(upper, lower...), Fill: draw.Accent, Opacity: 0.18}, draw.Path{Points: line, Stroke: draw.Accent, Width: 2})
		for k, p := range line {
			s.Add(draw.Group{Title: title(k), Marks: []draw.Mark{draw.Disc{X: p.X, Y: p.Y, R: 2, Fill: draw.Accent}}})
		}
		half := (a.Right-a.Left)/2 - 4
		s.Add(draw.Label{X: a.Left, Y: a.Bottom + 14, Text: draw.Fit(label(w.setting(d, 0)), half, 11, false), Size: 11, Ink: draw.Muted},
			draw.Label{X: a.Right, Y: a.Bottom + 14, Text: draw.Fit(label(w.setting(d, last)), half, 11, false), Size: 11, Ink: draw.Muted, Anchor: draw.End})
	} else {
		a.X1, a.X2 = -0.5, float64(last)+0.5
		room := (a.Right-a.Left)/float64(last+1) - 4
		var words []string
		for k := range d.At {
			words = append(words, label(w.setting(d, k)))
		}
		words = draw.Names(words, room, 11, false)
		for k := range d.At {
			e, x := d.Effect[k], a.X(float64(k))
			s.Add(draw.Group{Title: title(k), Marks: []draw.Mark{
				draw.Disc{X: x, Y: a.Y(by.factor * e.Value), R: 4, Fill: draw.Accent}, upright(x, a.Y(by.factor*e.Hi), a.Y(by.factor*e.Lo)),
			}})
			if room >= 14 {
				s.Add(draw.Label{X: x, Y: a.Bottom + 14, Text: words[k], Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
			}
		}
	}
	says := []string{
		w.Say("chart-dependence-importance", w.fixed(by.factor*d.Importance.Value, by.decimals), w.span(by.factor*d.Importance.Lo, by.factor*d.Importance.Hi, by.decimals)),
		w.Say("chart-dependence-matters", w.Chance(d.Matters)),
	}
	if whole := strings.Join(says, w.Say("comma")); draw.TextWidth(whole, 11, false) <= s.Width {
		says = []string{whole}
	}
	for k, line := range says {
		s.Add(draw.Label{X: 0, Y: a.Bottom + 32 + 14*float64(k), Text: line, Size: 11, Ink: draw.Muted})
	}
}
