package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"palate"
	"palate/feature"
	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// guests are voters whom a model was not fitted to, known by features, by a
// few votes, or by both.
type guests struct {
	users, votes string
}

func (n *guests) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&n.users, "users", "", "`FILE` of new voters: id and the feature columns of the fit's --users")
	f.StringVar(&n.votes, "votes", "", "`FILE` of votes by new voters, who are taken in without a new fit")
}

// welcome takes the voters in. It numbers them from those of the model on, and
// adds them to the names.
func (n *guests) welcome(ctx context.Context, m model.Model, names *names, c *cli.Console) ([]model.Newcomer, error) {
	if n.users == "" && n.votes == "" {
		return nil, nil
	}
	door, ok := m.(model.Welcomer)
	if !ok && n.votes == "" {
		c.Note("--users has no effect: a %s model answers everybody alike", m.Name())
		return nil, nil
	}
	if !ok {
		return nil, fmt.Errorf("new voters need a model that tells voters apart; this is a %s model: fit one with --model crowd or population", m.Name())
	}
	features, err := n.features(ctx, m, c)
	if err != nil {
		return nil, err
	}
	votes, order, err := n.ballots(ctx, m, names)
	if err != nil {
		return nil, err
	}
	for _, id := range features.ids {
		if _, ok := votes[id]; !ok {
			order = append(order, id)
		}
	}
	var out []model.Newcomer
	known := 0
	for _, id := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, ok := names.User(id); ok {
			known++
			continue
		}
		p, err := door.FoldIn(votes[id], features.of[id])
		if err != nil {
			return nil, fmt.Errorf("voter %s: %w", id, err)
		}
		names.addUser(id)
		out = append(out, p)
	}
	if known > 0 {
		c.Note("%d of %d voters were in the fit already and stay as they are", known, len(order))
	}
	return out, nil
}

// voterRows are the encoded features of voters, in the order of their file.
type voterRows struct {
	ids []string
	of  map[string][]float64
}

func (n *guests) features(ctx context.Context, m model.Model, c *cli.Console) (voterRows, error) {
	v := voterRows{of: map[string][]float64{}}
	if n.users == "" {
		return v, nil
	}
	t, err := readTable(ctx, n.users)
	if err != nil {
		return v, err
	}
	_, recipe := m.Encoders()
	if recipe == nil {
		c.Note("%s: the model knows no features of voters, as it was fitted without --users or left them out: the voters of this file count as any other", wording.File(t.File))
		v.ids = t.IDs
		return v, nil
	}
	var e feature.Encoder
	if err := json.Unmarshal(recipe, &e); err != nil {
		return v, fmt.Errorf("the model's recipe for features of voters is damaged: %w", err)
	}
	f, err := e.Encode(ctx, t)
	if err != nil {
		return v, err
	}
	noteUnseen(c, &e, t)
	v.ids = t.IDs
	for u, id := range t.IDs {
		v.of[id] = f.Row(u)
	}
	return v, nil
}

// ballots reads votes of new voters on the model's items, and lists the voters
// in the order of the file.
func (n *guests) ballots(ctx context.Context, m model.Model, names *names) (map[string][]palate.Vote, []string, error) {
	votes := map[string][]palate.Vote{}
	if n.votes == "" {
		return votes, nil, nil
	}
	in, err := open(ctx, n.votes)
	if err != nil {
		return nil, nil, err
	}
	defer in.close()
	b := palate.NewBuilder()
	if _, err := ingest.Votes(ctx, in.path, in, b, ingest.Options{Rated: m.Reads().Has(model.Ratings)}); err != nil {
		return nil, nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, nil, err
	}
	if !d.HasUsers() {
		return nil, nil, fmt.Errorf("%s: the votes name no voters: add a column user", in.name())
	}
	at := make([]int, d.NumItems())
	for i := range at {
		var ok bool
		if at[i], ok = names.Item(d.ItemID(i)); !ok {
			return nil, nil, fmt.Errorf("%s: item %s is not in the model%s", in.name(), d.ItemID(i), wording.DidYouMean(d.ItemID(i), slices.Values(names.itemIDs)))
		}
	}
	var order []string
	for u := range d.NumUsers() {
		order = append(order, d.UserID(u))
	}
	if !m.Reads().Has(model.Answers) { // as fit does
		d = d.Tempered()
	}
	for _, v := range d.Votes() {
		if v.User < 0 {
			continue
		}
		id := d.UserID(v.User)
		v.Left, v.Right = at[v.Left], at[v.Right]
		votes[id] = append(votes[id], v)
	}
	return votes, order, nil
}
