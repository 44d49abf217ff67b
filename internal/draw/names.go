package draw

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/rivo/uniseg"
)

// Names shortens names so that each takes no more than some room, and they are still told
// apart: a name loses its end where its beginning is its own, and otherwise what it has in
// common with others, so that what it differs in is seen.
func Names(names []string, room, size float64, bold bool) []string {
	all := make([][]string, len(names))
	order := make([]int, len(names))
	for i, n := range names {
		for g := uniseg.NewGraphemes(n); g.Next(); {
			all[i] = append(all[i], g.Str())
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(all[a], all[b]) })
	// shared is how many letters a name begins with like another one; of all names the
	// neighbours in their order share most.
	shared := make([]int, len(names))
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		n := common(all[a], all[b])
		if n == len(all[a]) && n == len(all[b]) {
			continue // the same name cannot be told apart
		}
		shared[a], shared[b] = max(shared[a], n), max(shared[b], n)
	}
	fits := func(text string) bool { return widthTo(room, text, size, bold) <= room }
	out, taken := make([]string, len(names)), map[string]int{}
	for i, name := range names {
		if fits(name) {
			out[i] = name
			taken[name] = i
		}
	}
	for i, name := range names {
		if out[i] != "" || name == "" {
			continue
		}
		for short := range cuts(all[i], shared[i], fits) {
			if out[i] == "" {
				out[i] = short // the best, where all are taken
			}
			if other, found := taken[short]; !found || names[other] == name {
				out[i] = short
				taken[short] = i
				break
			}
		}
	}
	return out
}

// common is the number of letters that two texts begin with.
func common(a, b []string) int {
	for k := range min(len(a), len(b)) {
		if a[k] != b[k] {
			return k
		}
	}
	return min(len(a), len(b))
}

// cuts are shorter forms of a text whose first letters are shared with others, the best
// first: its beginning, if that is its own; a little of its beginning, and the letters from
// just before its own on; and its beginning and its end.
func cuts(letters []string, shared int, fits func(string) bool) iter.Seq[string] {
	n := len(letters)
	part := func(from, to int) string { return strings.Join(letters[from:to], "") }
	// longest is the longest form with up to most letters that fits.
	longest := func(most int, form func(k int) string) (string, int) {
		k := sort.Search(most+1, func(k int) bool { return !fits(form(k)) }) - 1
		if k < 0 {
			return "…", 0
		}
		return form(k), k
	}
	return func(yield func(string) bool) {
		text, head := longest(n-1, func(k int) string { return strings.TrimRight(part(0, k), " ") + "…" })
		if head > shared && !yield(text) {
			return
		}
		for _, lead := range []int{6, 3, 1, 0} {
			for before := 3; before >= 0; before-- {
				from := max(min(shared, n-1)-before, 0)
				if lead >= from {
					continue
				}
				begin := part(0, lead) + "…"
				text, k := begin+part(from, n), n
				if fits(text) { // with as much of the beginning as there is room for
					text, _ = longest(from-1, func(k int) string { return strings.TrimRight(part(0, k), " ") + "…" + part(from, n) })
				} else {
					text, k = longest(n-from-1, func(k int) string { return begin + part(from, from+k) + "…" })
				}
				if k > before && !yield(text) {
					return
				}
			}
		}
		for tail := 1; tail < n; tail++ {
			text, head := longest(n-tail-1, func(k int) string { return part(0, k) + "…" + part(n-tail, n) })
			if (head > 0 || fits(text) && text != "…") && !yield(text) {
				return
			}
		}
		yield(text)
	}
}
