package draw

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
)

// pdfPoints are those of a pixel: 96 pixels are an inch, as are 72 points.
const pdfPoints = 0.75

// PDF writes the scene as a page of its own size. Letters are outlines, so that it needs no
// fonts; title is the name of the document.
func (s *Scene) PDF(to io.Writer, t *Theme, title string) error {
	var c bytes.Buffer
	// The page's y points up, the scene's down.
	fmt.Fprintf(&c, "%s 0 0 %s 0 %s cm\n", number(pdfPoints), number(-pdfPoints), number(pdfPoints*s.Height))
	colour := func(k Ink) {
		x := t[k]
		fmt.Fprintf(&c, "%.3f %.3f %.3f rg\n", float64(x.R)/255, float64(x.G)/255, float64(x.B)/255)
	}
	colour(Paper)
	fmt.Fprintf(&c, "0 0 %s %s re f\n", number(s.Width), number(s.Height))
	veils := map[int]bool{}
	s.painted(4, func(o outline, k Ink, opacity float64) {
		hundredths := 100
		if opacity > 0 && opacity < 1 {
			hundredths = max(1, int(math.Round(100*opacity)))
		}
		veils[hundredths] = true
		fmt.Fprintf(&c, "/V%d gs\n", hundredths)
		colour(k)
		for _, ring := range o {
			for i, p := range ring {
				operator := "l"
				if i == 0 {
					operator = "m"
				}
				c.WriteString(number(p.X) + " " + number(p.Y) + " " + operator + "\n")
			}
			c.WriteString("h\n")
		}
		c.WriteString("f\n")
	})
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(c.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	var states strings.Builder
	for v := 1; v <= 100; v++ {
		if veils[v] {
			fmt.Fprintf(&states, "/V%d<</ca %.2f>>", v, float64(v)/100)
		}
	}
	return writePDF(to, []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s %s]/Contents 4 0 R/Resources<</ExtGState<<%s>>>>>>", number(pdfPoints*s.Width), number(pdfPoints*s.Height), states.String()),
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		"<</Title " + pdfText(title) + ">>",
	})
}

// pdfText is a text as PDF writes it, in UTF-16.
func pdfText(text string) string {
	var s strings.Builder
	s.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&s, "%04X", u)
	}
	return s.String() + ">"
}

// writePDF writes objects, the first the catalogue and the last what is said of the
// document, with the table of where they are.
func writePDF(to io.Writer, objects []string) error {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	at := make([]int, len(objects))
	for k, o := range objects {
		at[k] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", k+1, o)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, x := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", x)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, len(objects), table)
	_, err := to.Write(out.Bytes())
	return err
}
