package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestPictureOfDocs draws the picture in the documents again; -update keeps it.
// Processors may disagree on last digits, so numbers are not compared.
func TestPictureOfDocs(t *testing.T) {
	const picture = "../../docs/teas.svg"
	dir := t.TempDir()
	votes, drawn := filepath.Join(dir, "teas.csv"), filepath.Join(dir, "teas.svg")
	if code := run([]string{"demo", "--save", votes}); code != 0 {
		t.Fatalf("demo: exit %d", code)
	}
	if code := run([]string{"plot", "leaderboard", votes, "--model", "single", "--theme", "auto", "--width", "760", "-q", "-o", drawn}); code != 0 {
		t.Fatalf("plot: exit %d", code)
	}
	got, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(picture, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	digits := regexp.MustCompile(`[0-9.]+`)
	if digits.ReplaceAllString(string(got), "#") != digits.ReplaceAllString(string(want), "#") {
		t.Errorf("%s is not what palate draws now: go test ./cmd/palate -run PictureOfDocs -update", picture)
	}
}
