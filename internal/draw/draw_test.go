package draw

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"palate/internal/declared"
)

// marks is every kind of mark, each with a place at which its ink shows.
func marks() []struct {
	mark Mark
	at   image.Point
	ink  Ink
} {
	return []struct {
		mark Mark
		at   image.Point
		ink  Ink
	}{
		{Rect{X: 10, Y: 10, W: 20, H: 20, Radius: 4, Fill: Accent}, image.Pt(20, 20), Accent},
		{Path{Points: []Point{{5, 30}, {60, 30}}, Stroke: Second, Width: 6}, image.Pt(30, 30), Second},
		{Path{Points: []Point{{5, 5}, {60, 5}, {60, 60}}, Fill: Quiet}, image.Pt(55, 20), Quiet},
		{Disc{X: 30, Y: 12, R: 8, Fill: Muted, Stroke: Paper, Width: 1}, image.Pt(30, 12), Muted},
		{Label{X: 5, Y: 40, Text: "█&<b>\"", Size: 40}, image.Pt(12, 30), Text},
		{Group{DX: 10, DY: 20, Title: "a < b", Marks: []Mark{Rect{W: 20, H: 20, Fill: Grid}}}, image.Pt(20, 30), Grid},
		{Cells{X: 10, Y: 10, W: 20, H: 10, Live: true, Inks: [][]Ink{{None, Level(1)}, {Level(0), Level(0)}}}, image.Pt(40, 15), Level(1)},
		{Cells{X: 10, Y: 10, W: 5, H: 5, Inks: [][]Ink{{Level(1), Level(1)}, {None, Level(0)}}}, image.Pt(15, 12), Level(1)},
	}
}

func TestTableIsComplete(t *testing.T) {
	have := map[string]bool{}
	for _, m := range marks() {
		have[reflect.TypeOf(m.mark).Name()] = true
	}
	types := declared.Methods(t, "paint")
	if len(types) < 5 {
		t.Fatalf("only %v are marks", types)
	}
	for _, name := range types {
		if !have[name] {
			t.Errorf("no mark %s in the table", name)
		}
	}
}

func scene(m Mark) *Scene {
	s := New(80)
	s.Height = 60
	s.Add(m)
	return s
}

// TestSameInk finds each mark painted in its ink, in both themes.
func TestSameInk(t *testing.T) {
	for _, m := range marks() {
		for name, theme := range map[string]*Theme{"light": Light(), "dark": Dark()} {
			var out bytes.Buffer
			if err := scene(m.mark).PNG(&out, theme, 2); err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(&out)
			if err != nil {
				t.Fatal(err)
			}
			if got := img.Bounds().Size(); got != image.Pt(160, 120) {
				t.Errorf("%T: size %v", m.mark, got)
			}
			got := color.NRGBAModel.Convert(img.At(2*m.at.X, 2*m.at.Y)).(color.NRGBA)
			if got != theme[m.ink] {
				t.Errorf("%T, %s: %v at %v, want %v", m.mark, name, got, m.at, theme[m.ink])
			}
			var file bytes.Buffer
			if err := scene(m.mark).File(&file, theme, ""); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(file.String(), theme.Colour(m.ink)) {
				t.Errorf("%T, %s: no %s in %s", m.mark, name, theme.Colour(m.ink), file.String())
			}
		}
	}
}

// TestPlainSVG holds SVG to what a strict policy lets through, whole elements,
// and classes that the style sheet knows.
func TestPlainSVG(t *testing.T) {
	style := Style()
	for _, m := range marks() {
		text := scene(m.mark).SVG(`a "b" <c>`)
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%T: %v in %s", m.mark, err, text)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if e.Name.Local == "style" || e.Name.Local == "script" || e.Name.Local == "image" {
				t.Errorf("%T: element %s", m.mark, e.Name.Local)
			}
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href"):
					t.Errorf("%T: attribute %s", m.mark, a.Name.Local)
				case a.Name.Local == "class" && e.Name.Local != "svg":
					for _, c := range strings.Fields(a.Value) {
						if !strings.Contains(style, "."+c+"{") {
							t.Errorf("%T: the style sheet has no class %s", m.mark, c)
						}
					}
				}
			}
		}
	}
}

// TestRunsCover finds every cell in one run of its colour.
func TestRunsCover(t *testing.T) {
	for _, size := range []float64{2, 20} {
		c := Cells{W: size, H: size, Inks: [][]Ink{{1, 1, 2, 1, 1}, {1, None, 2, 2, 2}, {None, None, None, None, 3}}}
		seen := map[[2]int]Ink{}
		for k, runs := range c.runs() {
			for _, r := range runs {
				for j := r.from; j < r.to; j++ {
					if seen[[2]int{r.row, j}] != None {
						t.Errorf("cell %d,%d twice", r.row, j)
					}
					seen[[2]int{r.row, j}] = k
				}
			}
		}
		for i, row := range c.Inks {
			for j, k := range row {
				if seen[[2]int{i, j}] != k {
					t.Errorf("cell %d,%d is %v, want %v", i, j, seen[[2]int{i, j}], k)
				}
			}
		}
	}
}

func TestText(t *testing.T) {
	for _, text := range []string{"", "tea", "Crème de Lune", "茶の湯", "👩‍🚀 & Søn", strings.Repeat("long ", 20)} {
		if got := Fit(text, 60, 12, false); TextWidth(got, 12, false) > 60 && got != "…" {
			t.Errorf("%q becomes %q, %v wide", text, got, TextWidth(got, 12, false))
		}
		if TextWidth(text, 24, false) < 1.9*TextWidth(text, 12, false) {
			t.Errorf("%q does not grow with its size", text)
		}
	}
	if TextWidth("茶の湯", 12, false) < 36 {
		t.Error("wide letters are narrow")
	}
	// Not between a number and its unit; between any two letters where words have no spaces.
	for text, want := range map[string]string{"one two  three": "one two|three", "one t 95\u00a0%": "one t|95\u00a0%", "点はスコア、線は": "点はス|コア、|線は"} {
		first, _, _ := strings.Cut(want, "|")
		if got := strings.Join(Wrap(text, TextWidth(first, 12, false), 12), "|"); got != want {
			t.Errorf("%s is wrapped as %s", text, got)
		}
	}
}

// TestNames: names take no more room than there is, keep what they differ in, and stay as
// different as they were wherever there is room for a few letters.
func TestNames(t *testing.T) {
	var versions, ends, mixed []string
	for k := range 60 {
		versions = append(versions, fmt.Sprintf("a-large-language-model-of-2024-v%d-instruct-preview", k))
		ends = append(ends, fmt.Sprintf("%d of a row of essays about the sea", k))
		mixed = append(mixed, strings.Repeat("Crème ", k%7)+string(rune('A'+k%26))+strings.Repeat("茶", k%5)+strconv.Itoa(k))
	}
	for _, names := range [][]string{versions, ends, mixed, {"same name, and long", "same name, and long"}, {""}} {
		for _, room := range []float64{60, 80, 130, 1000} {
			seen := map[string]string{}
			for i, short := range Names(names, room, 12, false) {
				if w := TextWidth(short, 12, false); w > room {
					t.Errorf("%q becomes %q, %v wide of %v", names[i], short, w, room)
				}
				if other, ok := seen[short]; ok && other != names[i] {
					t.Errorf("%q and %q both become %q", other, names[i], short)
				}
				seen[short] = names[i]
				if room == 1000 && short != names[i] {
					t.Errorf("%q becomes %q without need", names[i], short)
				}
			}
		}
	}
	if got := Names(versions[:2], 70, 12, false)[1]; !strings.Contains(got, "v1") {
		t.Errorf("what differs is not in %q", got)
	}
	if got := Names(ends, 70, 12, false)[7]; !strings.HasPrefix(got, "7 of") {
		t.Errorf("what differs is not in %q", got)
	}
}

// TestPDF finds every mark in a page of the size of the scene, and the table of objects
// where it says.
func TestPDF(t *testing.T) {
	for _, m := range marks() {
		var out bytes.Buffer
		if err := scene(m.mark).PDF(&out, Light(), "a (b) é"); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for k, at := range regexp.MustCompile(`(?m)^(\d{10}) 00000 n`).FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(at[1])
			if err != nil || !strings.HasPrefix(text[n:], fmt.Sprintf("%d 0 obj", k+1)) {
				t.Errorf("%T: object %d is not at %s", m.mark, k+1, at[1])
			}
		}
		if !strings.Contains(text, "/MediaBox[0 0 60 45]") {
			t.Errorf("%T: no page of 60 by 45 points", m.mark)
		}
		_, stream, _ := strings.Cut(text, "stream\n")
		z, err := zlib.NewReader(strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(z)
		c := Light()[m.ink]
		if want := fmt.Sprintf("%.3f %.3f %.3f rg", float64(c.R)/255, float64(c.G)/255, float64(c.B)/255); err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%T: no %s: %v", m.mark, want, err)
		}
	}
}

// TestMissingLetters finds a box for each letter that PNG cannot write.
func TestMissingLetters(t *testing.T) {
	f := face(false)
	for text, want := range map[string]string{"Crème": "Crème", "Cafe\u0301": "Café", "茶 tea": "□ tea", "− … ½": "− … ½", "→←↑↓": "→←↑↓"} {
		if got := f.written(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
		if lacks := Lacking(text); lacks != strings.Contains(want, "□") {
			t.Errorf("%q lacks letters: %v", text, lacks)
		}
	}
	if !f.has(nil, '□') {
		t.Error("the box itself is missing")
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"}, {-1.2, 1.4, 4, "−1 0 1"}, {880, 1130, 3, "900 1000 1100"}, {0, 0.04, 2, "0.00 0.02 0.04"}, {1, 1, 3, ""},
	} {
		var got []string
		for _, k := range Ticks(c.lo, c.hi, c.n) {
			got = append(got, k.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
	if got := Signed(-0.001, 2); got != "0.00" {
		t.Errorf("−0.001 is %s", got)
	}
	for hi := 1.0; hi < 2000; hi++ { // what begins at 0 has more to go by
		if n := len(Ticks(0, hi, 3)); n < 2 {
			t.Errorf("an axis to %g has %d ticks", hi, n)
		}
	}
}

// TestContrast holds words to 4.5:1 on what they are written on (WCAG 2.1 AA).
func TestContrast(t *testing.T) {
	for name, theme := range map[string]*Theme{"light": Light(), "dark": Dark()} {
		for _, pair := range [][2]Ink{{Text, Paper}, {Text, Band}, {Muted, Paper}, {Muted, Band}, {Accent, Paper}, {Second, Paper}} {
			if got := contrast(theme[pair[0]], theme[pair[1]]); got < 4.5 {
				t.Errorf("%s: %s on %s: %.2f", name, pair[0].class(), pair[1].class(), got)
			}
		}
		for k := firstLevel; k < firstLevel+Levels; k++ {
			if got := contrast(theme[k], theme[k.On()]); got < 4.5 {
				t.Errorf("%s: %s on %s: %.2f", name, k.On().class(), k.class(), got)
			}
		}
	}
}

// TestColourBlind tells kinds, the ends of the scale, and what a picture is about from
// what is beside it with eyes that lack one sort of cones (Machado, Oliveira and Fernandes
// 2009, table of complete loss), by the distance in the space Lab.
func TestColourBlind(t *testing.T) {
	eyes := map[string][9]float64{
		"all cones":   {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanope":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranope": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanope":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	lab := func(c color.NRGBA, m [9]float64) [3]float64 {
		in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
		var rgb [3]float64
		for i := range rgb {
			for j := range in {
				rgb[i] += m[3*i+j] * in[j]
			}
			rgb[i] = min(max(rgb[i], 0), 1)
		}
		f := func(x float64) float64 {
			if x > 0.008856 {
				return math.Cbrt(x)
			}
			return 7.787*x + 16.0/116
		}
		x := f((0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]) / 0.9505)
		y := f(0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2])
		z := f((0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	pairs := [][2]Ink{{Level(0), Level(1)}, {Accent, Second}}
	for a := range Kinds {
		for b := range a {
			pairs = append(pairs, [2]Ink{Kind(a), Kind(b)})
		}
	}
	for name, theme := range map[string]*Theme{"light": Light(), "dark": Dark()} {
		for eye, m := range eyes {
			for _, p := range pairs {
				x, y := lab(theme[p[0]], m), lab(theme[p[1]], m)
				if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < 20 {
					t.Errorf("%s, %s: %s and %s are %.1f apart", name, eye, p[0].class(), p[1].class(), d)
				}
			}
		}
		for k := range Kinds {
			if got := contrast(theme[Kind(k)], theme[Paper]); got < 3 {
				t.Errorf("%s: %s on paper: %.2f", name, Kind(k).class(), got)
			}
		}
	}
}

// TestAreas holds what is painted on an image to the area of what was asked for.
func TestAreas(t *testing.T) {
	line := func(dashed bool) Path {
		return Path{Points: []Point{{20, 20}, {80, 20}, {80, 100}}, Stroke: Text, Width: 3, Dashed: dashed}
	}
	dashes := 140.0 / (dash + gap)
	for _, c := range []struct {
		name string
		mark Mark
		want float64
		near float64
	}{
		{"rectangle", Rect{X: 10.5, Y: 10, W: 30, H: 20, Fill: Text}, 600, 1},
		{"round corners", Rect{X: 10, Y: 10, W: 30, H: 20, Radius: 5, Fill: Text}, 600 - (4-math.Pi)*25, 1},
		{"disc", Disc{X: 40, Y: 40, R: 20, Fill: Text}, math.Pi * 400, 3},
		{"ring", Disc{X: 40, Y: 40, R: 20, Stroke: Text, Width: 4}, math.Pi * (22*22 - 18*18), 6},
		{"triangle", Path{Points: []Point{{10, 10}, {50, 10}, {10, 40}}, Fill: Text}, 600, 2},
		{"line", line(false), 140*3 + math.Pi*2.25, 6},
		{"dashed line", line(true), dashes * (dash*3 + math.Pi*2.25), 20},
		{"beyond the edge", Rect{X: -10, Y: -10, W: 30, H: 30, Fill: Text}, 400, 1},
		{"half see-through", Rect{X: 10, Y: 10, W: 30, H: 20, Fill: Text, Opacity: 0.5}, 300, 3},
		{"a hole in a letter", Label{X: 10, Y: 90, Text: "0", Size: 100}, 0, 0},
	} {
		s := New(120)
		s.Height = 120
		s.Add(c.mark)
		theme := *Light()
		theme[Paper], theme[Text] = hex(0xffffff), hex(0)
		var out bytes.Buffer
		if err := s.PNG(&out, &theme, 2); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		var area float64
		for y := range 240 {
			for x := range 240 {
				area += (1 - float64(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)/255) / 4
			}
		}
		if c.want > 0 && math.Abs(area-c.want) > c.near {
			t.Errorf("%s: %.1f, want %.1f", c.name, area, c.want)
		}
		if c.want == 0 && !(area > 500 && area < 3000) {
			t.Errorf("%s: %.1f", c.name, area)
		}
	}
}
