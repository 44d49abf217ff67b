package relational

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Migrate brings the tables to a version, 0 for the newest, by the files in the
// folder migrations.
func Migrate(ctx context.Context, db *sql.DB, files fs.FS, version int64, d goose.Dialect, o ...goose.ProviderOption) error {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(d, db, folder, o...)
	if err != nil {
		return err
	}
	if version == 0 {
		_, err = p.Up(ctx)
	} else {
		_, err = p.UpTo(ctx, version)
	}
	return err
}
