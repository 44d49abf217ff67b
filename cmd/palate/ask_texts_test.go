package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// Texts are side by side on a wide terminal and one above the other on a narrow one. No line
// is wider than the terminal, no word is lost, and no text gives commands to it.
func TestTextsBeside(t *testing.T) {
	left := "One day a fox met a crow.\r\n\nIt said: " + strings.Repeat("good morning ", 9) + strings.Repeat("o", 100)
	right := "茶は\x1b[2J緑色です " + strings.Repeat("日本語", 30)
	for _, columns := range []int{20, 40, 66, 67, 80, 120, 400} {
		lines := sideBySide(left, right, "fox", "crow", columns)
		wide := columns >= 2*leastColumn+3
		if got := strings.Contains(lines[0], "1 fox") && strings.Contains(lines[0], "2 crow"); got != wide {
			t.Errorf("%d columns: both names in the first line: %v; %q", columns, got, lines[0])
		}
		letters := map[rune]int{}
		for _, line := range lines {
			if w := uniseg.StringWidth(line); w > columns {
				t.Errorf("%d columns: a line of %d: %q", columns, w, line)
			}
			if strings.ContainsAny(line, "\x1b\r\n") {
				t.Errorf("a command to the terminal: %q", line)
			}
			for _, r := range line {
				letters[r]++
			}
		}
		for _, r := range "odgm茶色本" {
			if want := strings.Count("fox crow"+left+right, string(r)); letters[r] != want {
				t.Errorf("%d columns: %q is there %d times, not %d", columns, r, letters[r], want)
			}
		}
	}
	if got := wrap("a bc\n\ndef", 4); !slices.Equal(got, []string{"a bc", "", "def"}) {
		t.Errorf("%q", got)
	}
}
