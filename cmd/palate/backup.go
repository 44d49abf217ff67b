package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/store/sqlite"
)

// backup is the commands that copy the server's database, and put a copy in its place.
type backup struct {
	database string
	force    bool
}

func newBackup() *cobra.Command {
	b := &backup{}
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the server's database while it runs",
		Long: `Write a copy of the database of palate serve to FILE, as it is at one time, while votes
come in: no vote waits for it. The copy is read back and checked before it takes the place
of an earlier one, and only you can read it. palate restore puts it back.

The key that signs cookies is not in it, unless --key-in-database keeps it there: keep a
copy of the file of --key-file, too, or people have to come in by their links again.
PostgreSQL has tools of its own for this: pg_dump and pg_basebackup.`,
		Example: `  palate backup palate-monday.db
  palate backup --db /var/lib/palate/palate.db /backup/palate.db`,
		Args: cli.Needs(1, 1, "the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.work(cmd.Context(), "pg_dump", func(ctx context.Context) error { return sqlite.Backup(ctx, b.database, args[0]) }, func() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is a copy of %s\n", args[0], b.database)
			})
		},
	}
	b.flag(cmd)
	return cmd
}

func newRestore() *cobra.Command {
	b := &backup{}
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the server's database",
		Long: `Put a copy that palate backup made in the place of the database of palate serve, which
must not be running. The copy is checked first. A database that has boards is replaced
only with --force.

PostgreSQL has tools of its own for this: pg_restore and psql.`,
		Example: `  palate restore palate-monday.db
  palate restore --force --db /var/lib/palate/palate.db /backup/palate.db`,
		Args: cli.Needs(1, 1, "the backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.work(cmd.Context(), "pg_restore", func(ctx context.Context) error { return sqlite.Restore(ctx, args[0], b.database, b.force) }, func() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is as in %s\n", b.database, args[0])
			})
		},
	}
	b.flag(cmd)
	cmd.Flags().BoolVar(&b.force, "force", false, "replace a database that has boards")
	return cmd
}

func (b *backup) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.database, "db", cmp.Or(os.Getenv("PALATE_DB"), "palate.db"), "`FILE` of the server's database")
}

// work copies a database, if it is a file, and says so.
func (b *backup) work(ctx context.Context, tool string, copies func(context.Context) error, says func()) error {
	if isPostgres(b.database) {
		return cli.Usage("%s is a database of PostgreSQL, which has tools of its own: see %s", withoutPassword(b.database), tool)
	}
	if err := copies(ctx); err != nil {
		return err
	}
	says()
	return nil
}
