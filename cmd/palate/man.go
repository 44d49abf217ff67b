package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/atomicfile"
	"palate/internal/cli"
)

// man is the command that writes manual pages.
type man struct{ quiet bool }

func newMan() *cobra.Command {
	m := &man{}
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages",
		Long: `Write a manual page for each command (palate-rank.1) and for each topic of
"palate help" (palate-votes.7) into a folder, which is made if need be.`,
		Example: `  palate man /usr/local/share/man
  palate man pages && man -l pages/man1/palate-rank.1`,
		Args: cli.Needs(1, 1, "a folder"),
		RunE: m.run,
	}
	cmd.Flags().BoolVarP(&m.quiet, "quiet", "q", false, "no notes")
	return cmd
}

func (m *man) run(cmd *cobra.Command, args []string) error {
	pages := documented(cmd.Root())
	for _, c := range pages {
		dir := filepath.Join(args[0], fmt.Sprintf("man%d", section(c)))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return cli.Unwritable(dir, err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%s.%d", pageName(c), section(c)))
		if err := atomicfile.Write(path, manPage(c)); err != nil {
			return cli.Unwritable(path, err)
		}
	}
	(&cli.Console{Quiet: m.quiet}).Note("%s: %d manual pages", args[0], len(pages))
	return nil
}

// documented returns a command and those below it that have a manual page.
func documented(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
			all = append(all, documented(sub)...)
		}
	}
	return all
}

// section is that of the manual: topics of help are in 7.
func section(c *cobra.Command) int {
	if c.IsAdditionalHelpTopicCommand() {
		return 7
	}
	return 1
}

// pageName is that of a command's manual page.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage writes a page in the language of man(7). Texts keep their lines: they
// are set for eighty columns already.
func manPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s %d \"\" \"palate\" \"\"\n", strings.ToUpper(pageName(c)), section(c))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", pageName(c), roff(strings.ToLower(c.Short[:1])+c.Short[1:]))
	if section(c) == 1 {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	}
	if c.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(c.Long))
	}
	if c.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		option := func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			value, about := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			if value != "" {
				value = ` \fI` + roff(value) + `\fR`
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR%s\n%s", roff(name), value, roff(strings.ReplaceAll(about, "\n", " ")))
			if d := f.DefValue; d != "" && d != "0" && d != "false" {
				fmt.Fprintf(&b, " (default %s)", roff(d))
			}
			b.WriteString("\n")
		}
		c.NonInheritedFlags().VisitAll(option)
		c.InheritedFlags().VisitAll(option)
	}
	if c.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	b.WriteString(".SH SEE ALSO\n")
	var others []string
	for _, o := range documented(c.Root()) {
		if o != c && (o.Parent() == nil || !o.Parent().HasParent() || o.Parent() == c || o.Parent() == c.Parent()) {
			others = append(others, fmt.Sprintf("\\fB%s\\fR(%d)", roff(pageName(o)), section(o)))
		}
	}
	fmt.Fprintf(&b, "%s\n", strings.Join(others, ",\n"))
	return b.Bytes()
}

// roff keeps man(7) from reading a text as its own language.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
