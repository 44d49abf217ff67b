package draw

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Ink is the role that something has in a picture, from which its colour
// follows.
type Ink int

const (
	None   Ink = iota // not painted
	Paper             // what all is drawn on
	Text              // words that are to be read
	Muted             // words beside the point, axes
	Grid              // lines that help the eye
	Band              // a faint area
	Accent            // what the picture is about
	Second            // something else, beside it
	Quiet             // data in the background
	firstKind
	firstLevel = firstKind + Kinds
)

// Kinds is the number of colours for things of different kinds, such as groups of voters.
const Kinds = 10

// Kind returns the ink of a kind, from 0. Those of any two are told apart by the colour-blind,
// too; there are no more than Kinds, after which they come again.
func Kind(k int) Ink { return firstKind + Ink(k%Kinds) }

// Levels is the number of steps of the scale of colours from one extreme to the
// other.
const Levels = 21

// Level returns the ink of a number between 0 and 1, ½ in the middle of the
// scale, which is hardly darker than the paper.
func Level(x float64) Ink { return firstLevel + Ink(math.Round(min(max(x, 0), 1)*(Levels-1))) }

// inks is the number of all: behind the levels there is one for words on each.
const inks = int(firstLevel) + 2*Levels

// class is the ink's name in a style sheet.
func (k Ink) class() string {
	switch {
	case k >= firstLevel+Levels:
		return fmt.Sprintf("pl-on%d", k-firstLevel-Levels)
	case k >= firstLevel:
		return fmt.Sprintf("pl-l%d", k-firstLevel)
	case k >= firstKind:
		return fmt.Sprintf("pl-k%d", k-firstKind)
	}
	return "pl-" + [...]string{"none", "paper", "text", "muted", "grid", "band", "accent", "second", "quiet"}[k]
}

// On returns the ink of words that are written on a level.
func (k Ink) On() Ink { return k + Levels }

// Theme is a colour for every ink.
type Theme [inks]color.NRGBA

// Light is for paper and light screens.
func Light() *Theme {
	return theme([]uint32{0, 0xffffff, 0x1b1f27, 0x5f6775, 0xe3e6eb, 0xf5f6f9, 0x0b6e8f, 0xc2410c, 0xaab2bf,
		0x0b6e8f, 0xd55e00, 0x833eed, 0x530817, 0xc28075, 0x080a4c, 0x860654, 0x4a3c9a, 0xb90b19, 0xee4bc6},
		0xc04a12, 0xf1f0ee, 0x0b6e8f)
}

// Dark is for dark screens.
func Dark() *Theme {
	return theme([]uint32{0, 0x14171d, 0xe8eaee, 0x9aa3b2, 0x2c323c, 0x1b1f27, 0x54c1e0, 0xf59355, 0x5a6473,
		0x54c1e0, 0xf07b2f, 0x9530e5, 0xd2f712, 0xf6b59c, 0x0b736b, 0x7a9a5e, 0x8c6ed5, 0xc52907, 0xb9e7ec},
		0xf08c4f, 0x262b34, 0x54c1e0)
}

func theme(named []uint32, low, middle, high uint32) *Theme {
	var t Theme
	for k, c := range named {
		t[k] = hex(c)
	}
	for k := range Levels {
		x := float64(k)/(Levels-1)*2 - 1
		end := hex(high)
		if x < 0 {
			end = hex(low)
		}
		level := firstLevel + Ink(k)
		t[level] = mix(hex(middle), end, math.Pow(math.Abs(x), 0.9))
		// One of black and white is always told well from a colour, 4.5:1.
		t[level.On()] = hex(0)
		if contrast(t[level], hex(0xffffff)) > contrast(t[level], hex(0)) {
			t[level.On()] = hex(0xffffff)
		}
	}
	return &t
}

func hex(c uint32) color.NRGBA {
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
}

// mix goes the share x of the way from one colour to another.
func mix(a, b color.NRGBA, x float64) color.NRGBA {
	m := func(p, q uint8) uint8 { return uint8(math.Round(float64(p) + (float64(q)-float64(p))*x)) }
	return color.NRGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}

// contrast returns how well two colours are told apart, from 1 to 21; words need
// 4.5 (WCAG 2.1, 1.4.3).
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	l := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*l(c.R) + 0.7152*l(c.G) + 0.0722*l(c.B)
}

// Colour returns an ink's colour as #rrggbb.
func (t *Theme) Colour(k Ink) string {
	c := t[k]
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// Font is what text is written in, as style sheets say it.
const Font = `-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",system-ui,sans-serif`

// Style returns the style sheet of pictures that adapt to the screen. Each ink
// is a variable, --pl-accent for one, that pages may use too; data-theme="light"
// or "dark" on the root overrules what the screen prefers. Paper is always light.
func Style() string {
	var s strings.Builder
	variables := func(t *Theme) {
		for k := Paper; int(k) < inks; k++ {
			fmt.Fprintf(&s, "--%s:%s;", k.class(), t.Colour(k))
		}
	}
	s.WriteString(":root{color-scheme:light;")
	variables(Light())
	s.WriteString("}\n@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;")
	variables(Dark())
	s.WriteString("}}\n@media screen{:root[data-theme=dark]{color-scheme:dark;")
	variables(Dark())
	s.WriteString("}}\n")
	for k := Paper; int(k) < inks; k++ {
		fmt.Fprintf(&s, ".%[1]s{fill:var(--%[1]s)}.%[1]s-s{stroke:var(--%[1]s)}", k.class())
	}
	fmt.Fprintf(&s, "\n.pl text{font-family:%s;font-variant-numeric:tabular-nums}\n", Font)
	return s.String()
}
