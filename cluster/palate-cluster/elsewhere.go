package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli"
)

// What palate fit has, and a fit in shards has not, is refused with where it is to be had.

// elsewhere is by flag of palate fit what it stands for.
var elsewhere = map[string]string{
	"items": "features of items", "vectors": "features of items", "new-items": "features of items", "kernel": "features of items",
	"combine": "features of items", "lengths": "features of items", "inducing": "features of items", "smoothness": "features of items",
	"users": "features of voters", "voter-features": "features of voters",
	"links": "links between items", "link-kernel": "links between items", "induce": "links between items", "user-links": "links between voters",
	"rankings": "answers about several items as a whole (they are taken as their pairs)", "none": "answers about several items as a whole (they are taken as their pairs)",
	"design": "surveys", "unranked": "surveys",
	"tastes": "the crowd model", "nugget": "the crowd model", "reliability": "the crowd model", "habits": "the crowd model", "batch": "the crowd model",
	"rule": "another rule of inference", "likelihood": "another noise of votes",
	"over": "time", "zone": "time", "context": "properties of votes", "where": "conditions on votes", "per": "categories of votes",
}

// refuse has a command say of flags that only palate fit has where they are to be had.
func refuse(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var strange *pflag.NotExistError
		if errors.As(err, &strange) {
			if what, ok := elsewhere[strange.GetSpecifiedName()]; ok {
				return cli.Usage("--%s: %s: not in a fit in shards; fit on one machine, with palate fit --%[1]s", strange.GetSpecifiedName(), what)
			}
		}
		return cmd.Root().FlagErrorFunc()(cmd, err)
	})
}

// checkModel refuses all models but the population, and says of the crowd what there is of it.
func checkModel(name string) error {
	switch {
	case name == "population":
		return nil
	case name == "crowd":
		return cli.Usage("--model crowd: in shards its consensus and factors are the mean and the factors of the population, which is fitted without --model; " +
			"how sure factors are, reliability, habits and batches are those of palate fit --model crowd, on one machine")
	case slices.Contains(strings.Fields("single linked moving bt plackett-luce glicko diagonal duels"), name):
		return cli.Usage("--model %s: it has one utility for all voters, and needs counts alone: palate-cluster tally makes them, and palate fit --model %[1]s takes them", name)
	}
	return cli.Usage("--model %s: in shards there is the population alone; others are fitted by palate fit, on one machine", name)
}
