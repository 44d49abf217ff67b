package ui

import (
	"strings"

	"palate/server"
)

// trust says a line of the trust panel.
func (t *tongue) trust(c server.Check) string {
	n := append(c.Counts, 0, 0, 0)
	switch {
	case c.Name == "connected" && c.OK:
		return t.say("trust-connected")
	case c.Name == "connected":
		return t.say("trust-parts", n[0])
	case c.Name == "enough" && c.OK:
		return t.say("trust-enough", n[1])
	case c.Name == "enough":
		return t.say("trust-few", n[1], t.count(n[0]), t.some(c.Items))
	case c.Name == "never-won" && c.OK:
		return t.say("trust-all-won")
	case c.Name == "never-won":
		return t.say("trust-never-won", n[0], t.some(c.Items))
	case c.Name == "never-lost" && c.OK:
		return t.say("trust-all-lost")
	case c.Name == "never-lost":
		return t.say("trust-never-lost", n[0], t.some(c.Items))
	case c.Name == "sides" && c.OK:
		return t.say("trust-sides", n[0], t.count(n[1]))
	case c.Name == "sides":
		return t.say("trust-side", n[0], t.count(n[1]))
	case c.Name == "skips" && c.OK:
		return t.say("trust-skips", n[0], t.count(n[1]))
	case c.Name == "skips":
		return t.say("trust-many-skips", n[0], t.count(n[1]))
	case c.Name == "voters" && c.OK:
		return t.say("trust-voters", n[0])
	case c.Name == "voters" && n[0] == 0:
		return t.say("trust-nobody")
	case c.Name == "voters" && n[0] == 1:
		return t.say("trust-one")
	case c.Name == "voters":
		return t.say("trust-most", n[0], t.count(n[1]), t.count(n[2]))
	}
	return c.Says
}

// someNames is how many items a line names.
const someNames = 5

// some names the first few.
func (t *tongue) some(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), someNames)] {
		list = append(list, isolated(name))
	}
	text := strings.Join(list, t.say("comma"))
	if len(names) > someNames {
		text += " …"
	}
	return text
}
