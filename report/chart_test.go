package report

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"palate/model"
)

// fake prefers items with small numbers.
type fake struct{ n int }

func (f fake) NumItems() int                              { return f.n }
func (f fake) ItemID(i int) string                        { return strings.Repeat("x", 1+i%7) }
func (f fake) Prefer(_, a, b int) float64                 { return 0.5 + 0.4*float64(b-a)/float64(f.n) }
func (f fake) Utility(_, i int) (mean, variance float64)  { return -float64(i), 1 }
func (f fake) Draws(int, int, *rand.Rand) (d model.Draws) { return d }
func (f fake) Groups() [][]int                            { return nil }
func (f fake) Votes() []float64                           { return make([]float64, f.n) }

// charts makes every chart of every example.
func charts() map[string]*Chart {
	all := map[string]*Chart{}
	for name, e := range examples() {
		all["leaderboard/"+name] = Leaderboard(e.board, e.options)
		all["matrix/"+name] = Matrix(fake{10}, -1, e.board)
	}
	return all
}

// TestCharts draws all charts in all forms and widths, and holds them to words
// for those who cannot see them.
func TestCharts(t *testing.T) {
	for name, c := range charts() {
		if c.Title == "" || c.Alt == "" || c.Note == "" || !strings.HasPrefix(name, c.Name) {
			t.Errorf("%s: title %q, alt %q, note %q", name, c.Title, c.Alt, c.Note)
		}
		for _, row := range c.Rows {
			if len(row) != len(c.Head) {
				t.Errorf("%s: %d cells below %d headings", name, len(row), len(c.Head))
			}
		}
		for _, width := range []float64{0, 350, 920} {
			if s := c.SVG(width); !strings.HasPrefix(s, "<svg") || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("%s at %v: %.200s", name, width, s)
			}
		}
		for _, f := range Formats() {
			for _, theme := range Themes() {
				var out bytes.Buffer
				err := c.Write(&out, File{Format: f, Theme: theme, Width: 390})
				if adapts := theme != "auto" || f == "svg"; (err == nil) != adapts {
					t.Errorf("%s as %s, %s: %v", name, f, theme, err)
				}
				if err == nil && f == "png" {
					if img, err := png.Decode(&out); err != nil || img.Bounds().Dx() != 780 {
						t.Errorf("%s: %v, %v", name, img.Bounds(), err)
					}
				}
			}
		}
	}
}

func TestBadFile(t *testing.T) {
	c := charts()["matrix/plain"]
	for _, f := range []File{{Format: "gif"}, {Format: "svg", Theme: "pink"}, {Format: "png", Width: 10}, {Format: "png", Width: 1e5}} {
		if err := c.Write(&bytes.Buffer{}, f); err == nil {
			t.Errorf("%+v was written", f)
		}
	}
}

// TestMatrixRows finds a pair and its reverse adding up to a hundred.
func TestMatrixRows(t *testing.T) {
	c := charts()["matrix/groups"]
	for i, row := range c.Rows {
		for j := range c.Rows {
			a, b := row[j+1], c.Rows[j][i+1]
			if (a == "") != (b == "") || i == j && a != "" {
				t.Errorf("%d against %d: %q and %q", i, j, a, b)
			}
			if i < 5 && j >= 5 && a != "" {
				t.Errorf("%d and %d are in different groups, but compared: %s", i, j, a)
			}
		}
	}
}
