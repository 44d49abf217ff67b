package ui

import (
	"strings"
	"testing"

	"palate/store"
)

// TestLongText: prose is set as prose, and a few words as a title.
func TestLongText(t *testing.T) {
	show := itemShower()
	prose := strings.Repeat("word ", 40)
	for body, want := range map[string]string{"Earl <Grey>": `<p class="plain">Earl &lt;Grey&gt;</p>`, prose: `<p class="plain long">` + prose + "</p>"} {
		if got, err := show(store.Item{Kind: store.Text, Body: body}); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}
