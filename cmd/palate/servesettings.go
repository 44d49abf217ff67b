package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli"
	"palate/internal/wording"
)

// The settings of the server are one table, its flags: each is also a variable of the
// environment and a line of the configuration file. A flag counts before the variable,
// and that before the file.

// variableOf is the variable of a setting: PALATE_VOTES_PER_MINUTE of votes-per-minute.
func variableOf(name string) string {
	return "PALATE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// secrets are the settings that others must not read.
func secrets() []string { return []string{"admin", "key", "sso-secret", "tokens"} }

// serveSettings are the flags of a command that are settings.
func serveSettings(cmd *cobra.Command) (all []*pflag.Flag) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "config" {
			all = append(all, f)
		}
	})
	return all
}

// settleServe fills in what the command line does not say, from the environment and from the
// configuration file.
func settleServe(cmd *cobra.Command) error {
	all := serveSettings(cmd)
	path := cmd.Flags().Lookup("config").Value.String()
	if path == "" {
		path = os.Getenv(variableOf("config"))
	}
	file := map[string]given{}
	if path != "" {
		var err error
		if file, err = readSettings(path, all); err != nil {
			return err
		}
	}
	for _, f := range all {
		if f.Changed {
			continue
		}
		from, found := file[f.Name]
		if value, set := os.LookupEnv(variableOf(f.Name)); set {
			from, found = given{value, variableOf(f.Name)}, true
		}
		if !found {
			continue
		}
		if err := cmd.Flags().Set(f.Name, from.value); err != nil {
			return cli.Usage("%s: %s", from.where, strings.TrimPrefix(cli.WrongValue(err).Error(), "--"))
		}
	}
	return nil
}

// given is the value of a setting, and where it was given.
type given struct{ value, where string }

// readSettings reads a configuration file: a line a setting, as name = value.
func readSettings(path string, all []*pflag.Flag) (map[string]given, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cli.Reason(err))
	}
	defer f.Close()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	found := map[string]given{}
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, n)
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok:
			return nil, cli.Usage("%s: a setting is name = value", where)
		case !slices.Contains(names, name):
			return nil, cli.Usage("%s: there is no setting %q%s", where, name, wording.DidYouMean(name, slices.Values(names)))
		case found[name].where != "":
			return nil, cli.Usage("%s: %s is set in %s already", where, name, found[name].where)
		}
		if slices.Contains(secrets(), name) {
			if s, err := f.Stat(); err == nil && s.Mode().Perm()&0o077 != 0 {
				return nil, fmt.Errorf("%s: others may read this file, and %s is a secret: chmod 600 makes it yours", path, name)
			}
		}
		found[name] = given{value, where}
	}
	return found, in.Err()
}
