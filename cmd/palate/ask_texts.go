package main

import (
	"os"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Two texts are side by side where each has a column of leastColumn, and no column is wider
// than is read with ease.
const (
	leastColumn = 32
	mostColumn  = 80
	divider     = " │ "
)

// screenSize is that of the terminal; 80 columns and no end of lines where there is none.
func screenSize() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || columns < 20 {
		return 80, 1 << 20
	}
	return columns, lines
}

// sideBySide sets two texts side by side where the room suffices, else one above the other, each
// below its number and name. It returns the lines.
func sideBySide(left, right, leftName, rightName string, columns int) []string {
	width := min((columns-uniseg.StringWidth(divider))/2, mostColumn)
	if width < leastColumn {
		width = min(columns, mostColumn)
		return append(append(wrap("1 "+leftName+"\n"+left, width), ""), wrap("2 "+rightName+"\n"+right, width)...)
	}
	a, b := wrap("1 "+leftName+"\n"+left, width), wrap("2 "+rightName+"\n"+right, width)
	lines := make([]string, max(len(a), len(b)))
	for k := range lines {
		var l, r string
		if k < len(a) {
			l = a[k]
		}
		if k < len(b) {
			r = b[k]
		}
		lines[k] = strings.TrimRight(l+strings.Repeat(" ", width-uniseg.StringWidth(l))+divider+r, " ")
	}
	return lines
}

// wrap breaks a text into lines of a width, between words where they fit. Lines that the text
// has stay apart; what a terminal would take for a command is left out.
func wrap(text string, width int) (lines []string) {
	for paragraph := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		var line string
		for word := range strings.FieldsSeq(printable(paragraph)) {
			if line != "" && uniseg.StringWidth(line)+1+uniseg.StringWidth(word) > width {
				lines, line = append(lines, line), ""
			}
			if line != "" {
				line += " "
			}
			for g := uniseg.NewGraphemes(word); g.Next(); {
				if line != "" && uniseg.StringWidth(line)+g.Width() > width {
					lines, line = append(lines, line), ""
				}
				line += g.Str()
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// printable leaves out control characters but those that are spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
