package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"palate"
	"palate/ingest"
	"palate/model"
)

// What a database makes of votes by GROUP BY ranks as the votes do.
func TestGroupBy(t *testing.T) {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Votes: 500, Items: 8, Ties: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	databases := map[string]string{"sqlite": filepath.Join(folder, "votes.db")}
	if address := os.Getenv("PALATE_POSTGRES"); address != "" {
		databases["pgx"] = address
	}
	for driver, address := range databases {
		t.Run(driver, func(t *testing.T) {
			db, err := sql.Open(driver, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1) // the table is of the connection
			if _, err := db.Exec("CREATE TEMP TABLE ballots (model_a text, model_b text, winner text)"); err != nil {
				t.Fatal(err)
			}
			for _, v := range d.Votes() {
				a, b := d.ItemID(v.Left), d.ItemID(v.Right)
				if _, err := db.Exec("INSERT INTO ballots VALUES ($1, $2, $3)", a, b, ingest.Winner(v.Outcome, a, b)); err != nil {
					t.Fatal(err)
				}
			}
			rows, err := db.Query("SELECT model_a, model_b, winner, count(*) AS weight FROM ballots GROUP BY model_a, model_b, winner")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var counts bytes.Buffer
			out := csv.NewWriter(&counts)
			out.Write([]string{"model_a", "model_b", "winner", "weight"})
			for rows.Next() {
				var x [4]string
				if err := rows.Scan(&x[0], &x[1], &x[2], &x[3]); err != nil {
					t.Fatal(err)
				}
				out.Write(x[:])
			}
			if out.Flush(); rows.Err() != nil {
				t.Fatal(rows.Err())
			}
			b := palate.NewBuilder()
			if _, err := ingest.Votes(t.Context(), "counts.csv", &counts, b, ingest.Options{}); err != nil {
				t.Fatal(err)
			}
			b.SortNames()
			counted, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			if counted.NumVotes() >= d.NumVotes() {
				t.Errorf("%d rows of %d votes", counted.NumVotes(), d.NumVotes())
			}
			one, err := model.FitSingle(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			two, err := model.FitSingle(t.Context(), counted, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.NumItems() {
				j, err := two.Item(d.ItemID(i))
				if err != nil {
					t.Fatal(err)
				}
				m, v := one.Utility(-1, i)
				if n, w := two.Utility(-1, j); n != m || v != w {
					t.Errorf("%s: %v ± %v by votes, %v ± %v by counts", d.ItemID(i), m, v, n, w)
				}
			}
		})
	}
}
