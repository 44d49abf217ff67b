package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Quote shows a value in a message, shortened when it is long.
func Quote[T ~string | ~[]byte](value T) string {
	const most = 60
	s := string(value)
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		return strconv.Quote(s[:cut]) + "…"
	}
	return strconv.Quote(s)
}

// Some lists names, the first of them when there are many.
func Some(names []string) string {
	const most = 12
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// Plural counts things: 1 vote, 2 votes.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// File is what a file is called in a message; "-" is standard input.
func File(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}
