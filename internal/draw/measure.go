package draw

import (
	"strings"
	"sync"
	"unicode"

	"github.com/rivo/uniseg"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// fonts are read when the first text is measured.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, font.Points(size))
}

// written puts a box in the place of every letter that a font does not have.
func written(f font.Face, text string) string {
	var buffer sfnt.Buffer
	return strings.Map(func(r rune) rune {
		switch k, err := f.Face.GlyphIndex(&buffer, r); {
		case err == nil && k != 0:
			return r
		case unicode.Is(unicode.Mn, r) || r == '\u200d': // part of the letter before
			return -1
		}
		return '□'
	}, text)
}

// slack is the room, besides that of Liberation Sans, for readers whose fonts
// are wider.
const slack = 1.08

// TextWidth returns the room that a text takes.
func TextWidth(text string, size float64, bold bool) float64 {
	f := face(size, bold)
	var width float64
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if g.Width() > 1 || g.Runes()[0] > unicode.MaxLatin1 && g.Width() == 1 && !unicode.In(g.Runes()[0], unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.P, unicode.S) {
			width += float64(g.Width()) * 0.55 * size
			continue
		}
		width += f.Width(g.Str()).Points()
	}
	return slack * width
}

// Fit cuts the middle out of a text so that it takes no more than some room.
func Fit(text string, room, size float64, bold bool) string {
	if TextWidth(text, size, bold) <= room {
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

// Wrap breaks a text at spaces into lines that take no more than some room.
func Wrap(text string, room, size float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && TextWidth(longer, size, false) > room {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
