package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/internal/cli"
)

// shared are the flags of all commands.
type shared struct {
	cluster.Runner
	quiet   bool
	reading cluster.Reading
}

func (s *shared) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Name, "runner", "prism", "`NAME` of the runner: "+strings.Join(cluster.Runners(), ", "))
	f.StringVar(&s.Endpoint, "endpoint", "", "`ADDRESS` of the runner's job server, as localhost:8099")
	f.StringVar(&s.Environment, "environment", "LOOPBACK", "`HOW` workers run: LOOPBACK (in this process), EXTERNAL, PROCESS or DOCKER")
	f.StringVar(&s.Config, "environment-config", "", "`CONFIGURATION` of the environment, as localhost:50000 of EXTERNAL")
	f.StringArrayVar(&s.Options, "option", nil, "a further `OPTION` of Beam, as project=NAME; may be repeated")
	f.IntVar(&s.Workers, "threads", 0, "`NUMBER` of goroutines for a shard; 0: as many as processors")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no notes")
}

// reads adds the flags of commands that read votes.
func (s *shared) reads(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.reading.Columns, "columns", "", "`ROLES` of columns with names of their own, as user=worker,left=a")
	f.IntVar(&s.reading.MaxPairs, "max-pairs", 1000, "`NUMBER` of votes at most that one ranking becomes")
}

// start checks the runner and makes Beam ready.
func (s *shared) start() (*cli.Console, error) {
	if err := s.Check(); err != nil {
		return nil, cli.Usage("%w", err)
	}
	cluster.Start()
	return &cli.Console{Quiet: s.quiet}, nil
}

// interrupted words the end of a context.
func interrupted(ctx context.Context, err error) error {
	if err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		return cli.ErrInterrupted
	}
	return err
}

// noteBad says what was left out.
func noteBad(c *cli.Console, folder string, all []cluster.Source) {
	rows, bad := 0, 0
	for _, s := range all {
		rows, bad = rows+s.Rows, bad+s.Bad
	}
	if bad > 0 {
		c.Note("%d of %d rows are bad and were left out: %s/bad has file, line and reason of each", bad, rows, strings.TrimRight(folder, "/"))
	}
}
