package ui

import (
	"strings"

	"palate/internal/phrases"
	"palate/server"
)

// trust says a line of the trust panel.
func (t *tongue) trust(c server.Check) string {
	n := append(c.Counts, 0, 0, 0)
	switch {
	case c.Name == "connected" && c.OK:
		return t.Say("trust-connected")
	case c.Name == "connected":
		return t.Say("trust-parts", n[0])
	case c.Name == "enough" && c.OK:
		return t.Say("trust-enough", n[1])
	case c.Name == "enough":
		return t.Say("trust-few", n[1], t.Count(n[0]), t.some(c.Items))
	case c.Name == "never-won" && c.OK:
		return t.Say("trust-all-won")
	case c.Name == "never-won":
		return t.Say("trust-never-won", n[0], t.some(c.Items))
	case c.Name == "never-lost" && c.OK:
		return t.Say("trust-all-lost")
	case c.Name == "never-lost":
		return t.Say("trust-never-lost", n[0], t.some(c.Items))
	case c.Name == "sides" && c.OK:
		return t.Say("trust-sides", n[0], t.Count(n[1]))
	case c.Name == "sides":
		return t.Say("trust-side", n[0], t.Count(n[1]))
	case c.Name == "first" && c.OK:
		return t.Say("trust-first", n[0], t.Count(n[1]), t.Count(n[2]))
	case c.Name == "first":
		return t.Say("trust-place", n[0], t.Count(n[1]), t.Count(n[2]))
	case c.Name == "skips" && c.OK:
		return t.Say("trust-skips", n[0], t.Count(n[1]))
	case c.Name == "skips":
		return t.Say("trust-many-skips", n[0], t.Count(n[1]))
	case c.Name == "voters" && c.OK:
		return t.Say("trust-voters", n[0])
	case c.Name == "voters" && n[0] == 0:
		return t.Say("trust-nobody")
	case c.Name == "voters" && n[0] == 1:
		return t.Say("trust-one")
	case c.Name == "voters":
		return t.Say("trust-most", n[0], t.Count(n[1]), t.Count(n[2]))
	}
	return c.Says
}

// someNames is how many items a line names.
const someNames = 5

// some names the first few.
func (t *tongue) some(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), someNames)] {
		list = append(list, phrases.Isolated(name))
	}
	text := strings.Join(list, t.Say("comma"))
	if len(names) > someNames {
		text += " …"
	}
	return text
}
