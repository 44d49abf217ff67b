// Package draw makes pictures out of a few marks, once, and shows them as SVG,
// PNG or PDF.
//
// A [Scene] is a list of marks in pixels, y pointing down. What a mark is
// painted with is an [Ink], a role and not a colour: [Scene.SVG] writes it as a
// class, which [Style] gives a colour for light and for dark screens, and
// [Scene.File], [Scene.PNG] and [Scene.PDF] as the colour of one [Theme].
//
//	s := draw.New(400)
//	s.Add(draw.Rect{X: 10, Y: 10, W: 80, H: 20, Fill: draw.Accent})
//	s.Add(draw.Label{X: 100, Y: 25, Text: "forty"})
//	s.Height = 40
//
// SVG has neither styles nor scripts of its own, so that a page under a strict
// content security policy can hold it. Text is measured and, in PNG and PDF, written in
// the Go fonts, which have Latin, Greek and Cyrillic letters and are hardly wider than
// Arial; in SVG the reader's own font writes it, and wide letters are given the room
// they need.
//
// A new mark is a file with a type that draws itself both ways, and a row in
// the table of draw_test.go.
package draw
