package ui

import (
	"strings"
	"testing"

	"palate/server"
	"palate/store"
)

// TestItems shows every kind of item as it stands in a page, whatever is in its
// words: text stays text, a picture is told in words, a link leads only to the web.
func TestItems(t *testing.T) {
	const words = `Earl <Grey> & "Oolong" '1'`
	const escaped = `Earl &lt;Grey&gt; &amp; &#34;Oolong&#34; &#39;1&#39;`
	prose := strings.Repeat("word ", 40)
	show := itemShower()
	for _, c := range []struct {
		item store.Item
		want string
	}{
		{store.Item{Kind: store.Text, Body: words}, `<p class="plain">` + escaped + `</p>`},
		{store.Item{Kind: store.Text, Body: prose}, `<p class="plain long">` + prose + `</p>`},
		{store.Item{Kind: store.Text}, `<p class="plain"></p>`},
		{store.Item{Kind: store.Image, Board: `b"x`, Media: `m/"y`, Body: words}, `<img src="/b/b%22x/media/m%2F%22y" alt="` + escaped + `">`},
		{store.Item{Kind: store.Image, Board: "b", Media: "m"}, `<img src="/b/b/media/m" alt="">`},
		{store.Item{Kind: store.Link, URL: `https://example.org/?a=1&b="2"`, Body: words}, `<p><a href="https://example.org/?a=1&amp;b=&#34;2&#34;" target="_blank" rel="noopener noreferrer nofollow">` + escaped + `</a></p>`},
		{store.Item{Kind: store.Link, URL: "javascript:alert(1)", Body: words}, `<p>` + escaped + `</p>`},
		{store.Item{Kind: store.Link, URL: "data:text/html,x", Body: words}, `<p>` + escaped + `</p>`},
		{store.Item{Kind: store.Markdown, Body: "*Earl* & `<Grey>`"}, "<p><em>Earl</em> &amp; <code>&lt;Grey&gt;</code></p>\n"},
		{store.Item{Kind: store.Markdown, Body: "a <script>alert(1)</script> b"}, "<p>a <!-- raw HTML omitted -->alert(1)<!-- raw HTML omitted --> b</p>\n"},
		{store.Item{Kind: store.Markdown, Body: `![a "cup" & tea](cup.png)`}, "<p><img src=\"cup.png\" alt=\"a &quot;cup&quot; &amp; tea\"></p>\n"},
		{store.Item{Kind: store.Markdown, Body: "[tea](javascript:alert(1))"}, "<p><a href=\"\">tea</a></p>\n"},
	} {
		if got, err := show(c.item); err != nil || string(got) != c.want {
			t.Errorf("%s %q:\n%s, %v, want\n%s", c.item.Kind, c.item.Body, got, err, c.want)
		}
	}
}

// TestTablesHaveAnEnd: what is shown of a text does not grow with the square of it.
func TestTablesHaveAnEnd(t *testing.T) {
	show := itemShower()
	const table = "|a|b|\n|-|-|\n|1|2|\n"
	if got, err := show(store.Item{Kind: store.Markdown, Body: table}); err != nil || !strings.Contains(string(got), "<td>2</td>") {
		t.Errorf("%s, %v", got, err)
	}
	for _, columns := range []int{10, 100, 2500} {
		text := strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n"
		text += strings.Repeat("b\n", (server.MaxText-len(text))/2)
		got, err := show(store.Item{Kind: store.Markdown, Body: text})
		if err != nil || len(got) > 20*server.MaxText || !strings.Contains(string(got), "b") {
			t.Errorf("%d columns: %d bytes of %d, %v", columns, len(got), len(text), err)
		}
	}
}
