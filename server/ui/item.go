package ui

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"palate/store"
)

// itemShower returns what shows an item. Markdown leaves raw HTML and addresses
// that run scripts out, as goldmark does unless it is told otherwise.
func itemShower() func(store.Item) (template.HTML, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	untabled := goldmark.New(goldmark.WithExtensions(extension.Strikethrough))
	return func(i store.Item) (template.HTML, error) {
		if i.Kind == store.Markdown && cellsOf(i.Body) > cellsMost {
			return showItem(untabled, i)
		}
		return showItem(markdown, i)
	}
}

// cellsMost is up to how many cells of tables a text is shown with. Every row of a table has as
// many as its head, be there nothing in it: a text may come to the square of its length.
const cellsMost = 20_000

// cellsOf bounds the cells of the tables in a text.
func cellsOf(text string) int {
	lines, widest := 0, 0
	for line := range strings.Lines(text) {
		lines, widest = lines+1, max(widest, strings.Count(line, "|"))
	}
	return lines * widest
}

func showItem(markdown goldmark.Markdown, i store.Item) (template.HTML, error) {
	body := template.HTMLEscapeString(i.Body)
	switch i.Kind {
	case store.Image:
		return template.HTML(fmt.Sprintf(`<img src="/b/%s/media/%s" alt="%s">`, template.URLQueryEscaper(i.Board), template.URLQueryEscaper(i.Media), body)), nil
	case store.Link:
		if !strings.HasPrefix(i.URL, "https://") && !strings.HasPrefix(i.URL, "http://") {
			return template.HTML("<p>" + body + "</p>"), nil
		}
		return template.HTML(fmt.Sprintf(`<p><a href="%s" target="_blank" rel="noopener noreferrer nofollow">%s</a></p>`, template.HTMLEscapeString(i.URL), body)), nil
	case store.Markdown:
		var out bytes.Buffer
		if err := markdown.Convert([]byte(i.Body), &out); err != nil {
			return "", fmt.Errorf("ui: item %s: %w", i.ID, err)
		}
		return template.HTML(out.String()), nil
	}
	class := "plain"
	if utf8.RuneCountInString(i.Body) > longText {
		class += " long"
	}
	return template.HTML(fmt.Sprintf(`<p class="%s">%s</p>`, class, body)), nil
}

// longText is from how many letters on a text is set as prose, not as a title.
const longText = 160
