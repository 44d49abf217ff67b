package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/pictures"
)

func newPictures() *cobra.Command {
	var items []int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "pictures FOLDER",
		Short: "Draw every chart and page at the sizes that people see them at",
		Long: `Draw every chart, and the page of a report, of made-up votes about 12, 60 and 300 items:
on a phone (390 pixels), a desk (1280) and a slide (16:9), light and dark. Open the sheet
` + pictures.Sheet + ` in the folder, and look at them: is every row named, does nothing cover
anything else, and would somebody who sees it for the first time understand it?`,
		Example: `  go run ./lab pictures /tmp/pictures
  go run ./lab pictures /tmp/pictures --items 60`,
		Args: cli.Needs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, n := range items {
				if n < 3 || n > 1000 {
					return cli.Usage("--items %d is not between 3 and 1000", n)
				}
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return pictures.Draw(cmd.Context(), items, seed, func(name string, data []byte) error {
				out, err := cli.Create(filepath.Join(args[0], name))
				if err != nil {
					return err
				}
				defer out.Discard()
				if _, err := out.Write(data); err != nil {
					return err
				}
				return out.Commit(cmd.Context())
			})
		},
	}
	cmd.Flags().IntSliceVar(&items, "items", []int{12, 60, 300}, "`NUMBERS` of items on the boards")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`NUMBER` that votes are drawn by")
	return cmd
}
