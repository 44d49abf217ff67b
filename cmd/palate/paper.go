package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/report"
)

// paper are the flags of what stands around a report in HTML.
type paper struct {
	html                  string
	title, subtitle, logo string
	lang                  string
}

func (p *paper) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.html, "html", "", "write a report with charts to this `FILE`, besides what is printed")
	f.StringVar(&p.title, "title", "", "`TITLE` of the report, in the place of the files' names")
	f.StringVar(&p.subtitle, "subtitle", "", "a line below it: any `TITLE`")
	f.StringVar(&p.logo, "logo", "", "`FILE` of a picture for the report: PNG, JPEG or SVG of up to 500 kB")
	addLang(cmd, &p.lang)
}

// addLang adds the flag of the language of charts and reports.
func addLang(cmd *cobra.Command, lang *string) {
	cmd.Flags().StringVar(lang, "lang", "en", "`LANGUAGE` of charts and reports")
	completes(cmd, "lang", report.Languages()...)
}

// check refuses flags of a report that is not asked for.
func (p *paper) check(cmd *cobra.Command, more ...string) error {
	if p.html == "-" {
		return cli.Usage("--html needs the name of a file")
	}
	for _, name := range append([]string{"title", "subtitle", "logo", "lang"}, more...) {
		if p.html == "" && cmd.Flags().Changed(name) {
			return cli.Usage("--%s has no effect without --html", name)
		}
	}
	return nil
}

// paper is what the flags say, of some files.
func (p *paper) paper(cmd *cobra.Command, args []string) (report.Paper, error) {
	out := report.Paper{Title: p.title, Subtitle: p.subtitle, Made: commandLine(cmd, args)}
	if out.Title == "" {
		out.Title = titleOf(args)
	}
	if p.logo == "" {
		return out, nil
	}
	in, err := open(cmd.Context(), p.logo)
	if err != nil {
		return out, err
	}
	defer in.file.Close()
	data, err := io.ReadAll(io.LimitReader(in, report.LogoBytes+1))
	if err != nil {
		return out, fmt.Errorf("%s: cannot read: %w", p.logo, cli.Reason(err))
	}
	if out.Logo, err = report.NewLogo(data); err != nil {
		return out, fmt.Errorf("--logo %s: %w", p.logo, err)
	}
	return out, nil
}

// dated returns the times of the first and of the last vote; zero where they are not known.
func (s *source) dated() (first, last time.Time) {
	if s.votes == nil || s.votes.spool != nil || !s.votes.data.HasTimes() {
		return first, last
	}
	for _, v := range s.votes.data.Votes() {
		if v.Time.IsZero() {
			continue
		}
		if first.IsZero() || v.Time.Before(first) {
			first = v.Time
		}
		if v.Time.After(last) {
			last = v.Time
		}
	}
	return first, last
}
