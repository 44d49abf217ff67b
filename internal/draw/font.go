package draw

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// letters are those of a font, in the units that it is drawn in.
type letters struct {
	font *sfnt.Font
	unit fixed.Int26_6 // of one em
	// advance is how wide the first letters of Unicode are, in ems: those that combine with
	// no other.
	advance []float64
}

// single is the first letter of Unicode that may be part of the one before it.
const single = 0x300

// The fonts are read when the first text is measured.
var (
	plain = sync.OnceValue(func() letters { return read(goregular.TTF) })
	bold  = sync.OnceValue(func() letters { return read(gobold.TTF) })
)

func read(ttf []byte) letters {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic(err) // it is part of the program
	}
	l := letters{font: f, unit: fixed.Int26_6(f.UnitsPerEm()), advance: make([]float64, single)}
	for r := range l.advance {
		l.advance[r] = l.width(string(rune(r)), 1)
	}
	return l
}

func face(heavy bool) letters {
	if heavy {
		return bold()
	}
	return plain()
}

// has reports whether there is a letter.
func (l letters) has(b *sfnt.Buffer, r rune) bool {
	k, err := l.font.GlyphIndex(b, r)
	return err == nil && k != 0
}

// Lacking reports whether PNG and PDF have but a box for a letter of a text.
func Lacking(text string) bool {
	f := face(false)
	var b sfnt.Buffer
	for _, r := range norm.NFC.String(text) {
		if !f.has(&b, r) && unicode.IsPrint(r) && !unicode.Is(unicode.Mn, r) {
			return true
		}
	}
	return false
}

// written puts a box in the place of every letter that the font does not have.
func (l letters) written(text string) string {
	text = norm.NFC.String(text) // a letter with its accent is one letter
	var b sfnt.Buffer
	return strings.Map(func(r rune) rune {
		switch {
		case l.has(&b, r):
			return r
		case unicode.Is(unicode.Mn, r) || r == '\u200d': // part of the letter before
			return -1
		}
		return '□'
	}, text)
}

// each visits the letters of a text, each with where it begins, and returns where the
// last one ends, in ems.
func (l letters) each(text string, visit func(b *sfnt.Buffer, k sfnt.GlyphIndex, x float64)) float64 {
	var b sfnt.Buffer
	var x fixed.Int26_6
	em := func(x fixed.Int26_6) float64 { return float64(x) / float64(l.unit) }
	for _, r := range text {
		k, err := l.font.GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		if visit != nil {
			visit(&b, k, em(x))
		}
		if advance, err := l.font.GlyphAdvance(&b, k, l.unit, font.HintingNone); err == nil {
			x += advance
		}
	}
	return em(x)
}

// width is the room that a text takes.
func (l letters) width(text string, size float64) float64 { return size * l.each(text, nil) }

// outline is that of a text that begins at the origin, every point of it put in its
// place.
func (l letters) outline(text string, size float64, place func(Point) Point) (o outline) {
	l.each(text, func(b *sfnt.Buffer, k sfnt.GlyphIndex, x float64) {
		segments, err := l.font.LoadGlyph(b, k, l.unit, nil)
		if err != nil {
			return
		}
		var pen Point
		at := func(p fixed.Point26_6) Point {
			return Point{size * (x + float64(p.X)/float64(l.unit)), size * float64(p.Y) / float64(l.unit)}
		}
		for _, s := range segments {
			if s.Op == sfnt.SegmentOpMoveTo {
				o = append(o, nil)
			}
			last := &o[len(o)-1]
			switch s.Op {
			case sfnt.SegmentOpMoveTo, sfnt.SegmentOpLineTo:
				pen = at(s.Args[0])
				*last = append(*last, place(pen))
			case sfnt.SegmentOpQuadTo: // the only curve of TrueType
				c, end := at(s.Args[0]), at(s.Args[1])
				const steps = 5
				for k := 1; k <= steps; k++ {
					t := float64(k) / steps
					u := 1 - t
					*last = append(*last, place(Point{u*u*pen.X + 2*u*t*c.X + t*t*end.X, u*u*pen.Y + 2*u*t*c.Y + t*t*end.Y}))
				}
				pen = end
			}
		}
	})
	return o
}
