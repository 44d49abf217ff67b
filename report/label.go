package report

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// labelWidth is the room for an identifier in a table, in terminal columns.
const labelWidth = 40

// label shows an identifier on a terminal: control characters are written out,
// and what is too long loses its middle.
func label(id string) string { return shorten(legible(id), labelWidth) }

// legible writes out the control characters of an identifier.
func legible(id string) string {
	var s strings.Builder
	for _, r := range id {
		const joiner = '\u200d' // of emoji; not printable alone
		if strconv.IsPrint(r) || r == joiner {
			s.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		s.WriteString(q[1 : len(q)-1])
	}
	return s.String()
}

// shorten cuts a text to the given width, keeping its ends.
func shorten(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var clusters []string
	for g := uniseg.NewGraphemes(text); g.Next(); {
		clusters = append(clusters, g.Str())
	}
	room := width - 1 // for the ellipsis
	var head, tail string
	for i, j := 0, len(clusters)-1; i <= j; {
		cluster, front := clusters[i], uniseg.StringWidth(head) <= uniseg.StringWidth(tail)
		if !front {
			cluster = clusters[j]
		}
		if room -= uniseg.StringWidth(cluster); room < 0 {
			break
		}
		if front {
			head, i = head+cluster, i+1
		} else {
			tail, j = cluster+tail, j-1
		}
	}
	return head + "…" + tail
}

// pad returns the spaces that fill a text up to the given width.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
}
