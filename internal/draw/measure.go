package draw

import (
	"math"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// slack is the room, besides that of the Go fonts, for readers whose fonts
// are wider.
const slack = 1.08

// TextWidth returns the room that a text takes.
func TextWidth(text string, size float64, bold bool) float64 {
	return widthTo(math.Inf(1), text, size, bold)
}

// widthTo is the width of a text, or of its beginning where that takes more than some room.
func widthTo(room float64, text string, size float64, bold bool) float64 {
	f := face(bold)
	var width float64
	plain := len(text)
	for i, r := range text {
		if r >= single {
			plain = i
			break
		}
		if width += f.advance[r]; slack*size*width > room {
			return slack * size * width
		}
	}
	if plain == len(text) {
		return slack * size * width
	}
	width = 0
	for g := uniseg.NewGraphemes(text); slack*width <= room && g.Next(); {
		if g.Width() > 1 || g.Runes()[0] > unicode.MaxLatin1 && g.Width() == 1 && !unicode.In(g.Runes()[0], unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.P, unicode.S) {
			width += float64(g.Width()) * 0.55 * size
			continue
		}
		width += f.width(norm.NFC.String(g.Str()), size)
	}
	return slack * width
}

// Fit cuts the middle out of a text so that it takes no more than some room.
func Fit(text string, room, size float64, bold bool) string {
	if widthTo(room, text, size, bold) <= room {
		return text
	}
	var clusters []string
	for g := uniseg.NewGraphemes(text); g.Next(); {
		clusters = append(clusters, g.Str())
	}
	for keep := len(clusters) - 1; keep > 0; keep-- {
		head := (2*keep + 2) / 3 // names differ at their ends, too
		var s string
		for _, c := range clusters[:head] {
			s += c
		}
		s += "…"
		for _, c := range clusters[len(clusters)-(keep-head):] {
			s += c
		}
		if TextWidth(s, size, bold) <= room {
			return s
		}
	}
	return "…"
}

// Wrap breaks a text into lines that take no more than some room, where its script breaks lines.
func Wrap(text string, room, size float64) (lines []string) {
	line, state := "", -1
	for rest := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " "); rest != ""; {
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if line != "" && TextWidth(strings.TrimRight(line+part, " "), size, false) > room {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += part
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
