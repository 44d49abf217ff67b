package wording

import (
	"slices"
	"testing"
)

// TestNear finds what was meant, by letters rather than bytes, and however accents are written.
func TestNear(t *testing.T) {
	for _, c := range []struct{ word, name string }{
		{"Koln", "Köln"},
		{"Köln", "Koln"},
		{"cofee", "coffee"},
		{"Café", "Cafe\u0301"},
		{"Зелёный чай", "Зеленый чай"},
		{"Δροσερό", "Δροσερο"},
		{"new model", "New-Model"},
	} {
		if got := Near(c.word, slices.Values([]string{"other", c.name})); got != c.name {
			t.Errorf("%q is near %q, want %q", c.word, got, c.name)
		}
	}
	for _, c := range []struct{ word, name string }{{"日本", "中国"}, {"é", "ü"}, {"v1", "v2"}, {"tea", "rum"}} {
		if got := Near(c.word, slices.Values([]string{c.name})); got != "" {
			t.Errorf("%q is near %q", c.word, got)
		}
	}
	if Bare("Café") != Bare("CAFE\u0301") || Bare("Café") == Bare("Cafe") {
		t.Error("accents are not read alike however they are written")
	}
}
