package phrases

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
)

// places are the placeholders of a text, each once.
func places(text string) []string {
	found := regexp.MustCompile(`\{[0-9]+\}`).FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestCatalogueIsComplete: every language has every text, with as many forms as its
// numbers take and the same placeholders in each, and no text besides.
func TestCatalogueIsComplete(t *testing.T) {
	english := All()[0]
	for _, tongue := range All() {
		for key, want := range english.texts {
			got := tongue.texts[key]
			forms := len(want)
			if tongue.one == nil {
				forms = 1
			}
			if len(got) != forms {
				t.Errorf("%s: %s has %d forms, not %d", tongue.Tag, key, len(got), forms)
			}
			for _, text := range got {
				if text == "" || !slices.Equal(places(text), places(want[0])) {
					t.Errorf("%s: %s is %q, in English %q", tongue.Tag, key, text, want[0])
				}
			}
		}
		for key := range tongue.texts {
			if english.texts[key] == nil {
				t.Errorf("%s: %s is not in English", tongue.Tag, key)
			}
		}
		if months := strings.Split(tongue.Say("months"), " "); len(months) != 12 {
			t.Errorf("%s: %d months", tongue.Tag, len(months))
		}
	}
	files, err := fs.Glob(catalogue, "languages/*.json")
	if err != nil || len(files) != len(All()) {
		t.Errorf("%d files of %d languages: %v", len(files), len(All()), err)
	}
}

// TestNumbersAndDates are written as each language does.
func TestNumbersAndDates(t *testing.T) {
	at := time.Date(2026, 5, 1, 9, 7, 0, 0, time.UTC)
	for _, c := range []struct{ tag, count, few, number, share, day, none, one, two string }{
		{"en", "1,234,567", "1,234", "−1.50", "50%", "1 May 2026, 09:07 UTC", "0 votes", "1 vote", "2 votes"},
		{"de", "1.234.567", "1.234", "−1,50", "50\u00a0%", "1. Mai 2026, 09:07 UTC", "0 Stimmen", "1 Stimme", "2 Stimmen"},
		{"fr", "1\u202f234\u202f567", "1\u202f234", "−1,50", "50\u202f%", "1er mai 2026 à 09:07 UTC", "0 vote", "1 vote", "2 votes"},
		{"es", "1.234.567", "1234", "−1,50", "50\u00a0%", "1 de mayo de 2026, 09:07 UTC", "0 votos", "1 voto", "2 votos"},
		{"ja", "1,234,567", "1,234", "−1.50", "50%", "2026年5月1日 09:07 UTC", "投票0件", "投票1件", "投票2件"},
	} {
		x := Of(c.tag)
		got := []string{x.Count(1234567), x.Count(1234), x.Number(-1.5, 2), x.Percent(0.5), x.Day(at), x.Say("votes", 0), x.Say("votes", 1), x.Say("votes", 2)}
		want := []string{c.count, c.few, c.number, c.share, c.day, c.none, c.one, c.two}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.tag, got, want)
		}
		if x.Dir() != "ltr" || (&Tongue{Tag: language.Arabic}).Dir() != "rtl" || (&Tongue{Tag: language.Hebrew}).Dir() != "rtl" {
			t.Errorf("%s: direction", c.tag)
		}
		if says := x.Say("is-ready", "شاي"); !strings.Contains(says, "\u2068شاي\u2069") {
			t.Errorf("%s: %q turns its neighbours around", c.tag, says)
		}
	}
	if Of("xx") != nil || Of("") != All()[0] {
		t.Error("a language that there is not, or none for strangers")
	}
}
