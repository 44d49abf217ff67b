package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
	"palate/survey"
)

// design is the command that makes the tasks of a survey.
type design struct {
	plan     survey.Plan
	among    string
	adaptive string
	out      string
	quiet    bool
}

func newDesign() *cobra.Command {
	d := &design{}
	cmd := &cobra.Command{
		Use:   "design [ITEMS]",
		Short: "Make the tasks of a survey: balanced sets of a few items each",
		Long: `Make the tasks of a survey in which people choose from a few items, or name the best and
the worst: ITEMS is a list, a line each, or a table with a column id.

Every respondent is shown one version. Within a version no item is there more than once
oftener than another, and over all versions pairs are together in a task, and items in
every place, as evenly as can be had; a note says how evenly.

With --adaptive the tasks are those that are expected to tell most of new respondents who
are like the voters of a model, as of a pilot: what people differ in is asked more, and
nearly equal items rather than the best with the worst. An item is still in a version at
most once oftener, or less often, than in a balanced one.

Columns: version,task,item1,item2,…; with who answered and the columns best and worst, or
chosen, added, palate reads the file.`,
		Example: `  palate design items.txt --tasks 12 --versions 30 -o tasks.csv
  palate design --among 'nuts|figs|dates|crisps|grapes' -k 3 --tasks 5
  palate design --adaptive snacks.palate -k 3 --tasks 4 --versions 10`,
		Args: cli.Needs(0, 1, "a file of items"),
		RunE: d.run,
	}
	f := cmd.Flags()
	f.StringVar(&d.among, "among", "", "`ITEMS`, with | between, in place of a file")
	f.StringVar(&d.adaptive, "adaptive", "", "`FILE` of a model of voters whom new respondents are like; its items are asked about")
	f.IntVarP(&d.plan.Size, "size", "k", 4, "`NUMBER` of items of a task")
	f.IntVar(&d.plan.Tasks, "tasks", 12, "`NUMBER` of tasks of a version")
	f.IntVar(&d.plan.Versions, "versions", 1, "`NUMBER` of versions")
	f.Uint64Var(&d.plan.Seed, "seed", 1, "`SEED` of what is drawn")
	f.StringVarP(&d.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "no notes")
	return cmd
}

func (d *design) run(cmd *cobra.Command, args []string) error {
	ctx, c := cmd.Context(), &cli.Console{Quiet: d.quiet}
	ids, m, err := d.items(ctx, args)
	if err != nil {
		return err
	}
	d.plan.Items = len(ids)
	switch p := d.plan; {
	case p.Items < 3:
		return fmt.Errorf("%d items: a design takes three", p.Items)
	case p.Size < 2 || p.Size >= p.Items:
		return cli.Usage("-k %d: a task has from 2 to %d of %d items", p.Size, p.Items-1, p.Items)
	case p.Tasks < 1 || p.Versions < 1:
		return cli.Usage("--tasks %d --versions %d: at least one", p.Tasks, p.Versions)
	}
	var made survey.Design
	if m != nil {
		made, err = survey.Adapt(ctx, m, d.plan)
	} else {
		made, err = survey.NewDesign(ctx, d.plan)
	}
	if err != nil {
		return err
	}
	b := made.Balance(d.plan.Items)
	c.Note("an item is shown %s times in a version and %s in all, two are together in %s tasks, an item is %s times in a place",
		between(b.InVersion), between(b.Shown), between(b.Together), between(b.Placed))
	if b.Together[0] == 0 && m == nil {
		c.Note("some items are never together: more tasks or versions would compare all")
	}
	out, err := cli.Create(d.out, append(args, d.adaptive)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	head := []string{"version", "task"}
	for k := range d.plan.Size {
		head = append(head, "item"+strconv.Itoa(k+1))
	}
	rows := [][]string{head}
	for v, tasks := range made {
		for t, task := range tasks {
			row := []string{strconv.Itoa(v + 1), strconv.Itoa(t + 1)}
			for _, i := range task {
				row = append(row, ids[i])
			}
			rows = append(rows, row)
		}
	}
	if err := csv.NewWriter(out).WriteAll(rows); err != nil {
		return err
	}
	return out.Commit(ctx)
}

// items are the names of what is asked about, and the model that says how.
func (d *design) items(ctx context.Context, args []string) (ids []string, m model.Model, err error) {
	switch {
	case len(args) == 0 && d.among == "" && d.adaptive == "", len(args) > 0 && d.among+d.adaptive != "", d.among != "" && d.adaptive != "":
		return nil, nil, cli.Usage("items are in a file, or given by --among, or those of --adaptive: one of these")
	case d.among != "":
		if ids, err = ingest.ReadSet(d.among); err != nil {
			return nil, nil, cli.Usage("--among: %w", err)
		}
		return ids, nil, nil
	case d.adaptive != "":
		if m, err = readModel(ctx, d.adaptive); err != nil {
			return nil, nil, err
		}
		return namesOf(m).itemIDs, m, nil
	}
	items, err := readItems(ctx, args[0])
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items {
		id := i.ID
		if id == "" {
			id, _, _ = strings.Cut(i.Body, "\n")
		}
		ids = append(ids, id)
	}
	return ids, nil, nil
}

// between writes the fewest and the most.
func between(x [2]int) string {
	if x[0] == x[1] {
		return strconv.Itoa(x[0])
	}
	return fmt.Sprintf("%d–%d", x[0], x[1])
}
