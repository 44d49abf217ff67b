package draw

import (
	"math"
	"testing"
)

// A text that is measured only as far as there is room fits where the whole does, and is as wide then.
func TestWidthTo(t *testing.T) {
	for _, text := range []string{"", "plain", "a longer text, with signs", "日本茶", "Crème de Lune 日本", "Cafe\u0301 Noir", "مرحبا", "👩‍👩‍👧 family", "plain, then 🍵"} {
		for _, bold := range []bool{false, true} {
			whole := TextWidth(text, 12, bold)
			for _, room := range []float64{0, 5, 20, 40, whole, math.Nextafter(whole, 0), 1000} {
				got := widthTo(room, text, 12, bold)
				if (got <= room) != (whole <= room) || got <= room && got != whole {
					t.Errorf("%q in %g is %g wide, and %g as a whole", text, room, got, whole)
				}
			}
		}
	}
}
