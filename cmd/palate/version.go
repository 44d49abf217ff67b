package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"palate/internal/cli"
)

// release is the version of palate, of its packages and of the Python package.
const release = "0.1.0"

// commit is what was built, where the linker was told (-X main.commit); what Go has noted
// of the checkout stands in for it.
var commit string

// build is what a binary knows of itself.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version of palate, the commit that it was built from where that is known, and
the version of Go that it was built with.`,
		Example: `  palate version
  palate version --json`,
		Args: cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(thisBuild())
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "palate %s\n", version())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for programs")
	return cmd
}

func thisBuild() build {
	b := build{release, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		changed := ""
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				if s.Value == "true" {
					changed = "+changes"
				}
			}
		}
		if b.Commit != "" {
			b.Commit += changed
		}
	}
	return b
}

// version tells what the build knows of itself.
func version() string {
	b := thisBuild()
	text := b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit
	}
	return fmt.Sprintf("%s, %s %s/%s", text, b.Go, b.OS, b.Arch)
}
