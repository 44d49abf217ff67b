package cluster

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"palate"
	"palate/ingest"
	"palate/model"
)

// fittedTo deals votes and fits them.
func fittedTo(t *testing.T, d *palate.Dataset, o Dealing) *Fit {
	t.Helper()
	f, err := Fitting{Factors: 2}.Run(context.Background(), prism, dealAll(t, d, o))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rowsIn counts the rows below the headers of files, and the files.
func rowsIn(t *testing.T, pattern string) (rows, files int) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rows += bytes.Count(data, []byte{'\n'}) - 1
	}
	return rows, len(found)
}

// What shards say of voters is what the gathered model says of them.
func TestTopAndPredictions(t *testing.T) {
	ctx := context.Background()
	d := made(t, 30, 9, 12, false)
	f := fittedTo(t, d, Dealing{Shards: 3})
	m, closing, err := f.Gather(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer closing()
	out := t.TempDir()
	for _, format := range []string{"csv", "parquet", "jsonl"} {
		if err := (Top{Number: 4, Format: format}).Write(ctx, prism, f, out); err != nil {
			t.Fatal(format, err)
		}
	}
	if rows, files := rowsIn(t, out+"/*.csv"); rows != 4*30 || files != 3 {
		t.Errorf("%d rows in %d files", rows, files)
	}
	text, err := os.ReadFile(filepath.Join(out, "top-00000-of-00003.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	user := string(text[len(`{"user":"`) : len(`{"user":"`)+len("voter 000")])
	u, err := m.User(user)
	if err != nil {
		t.Fatal(err)
	}
	best, err := model.Top(ctx, m, u, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"rank":1,"item":"` + m.ItemID(best[0].Item) + `"`; !bytes.Contains(text[:bytes.IndexByte(text, '\n')], []byte(want)) {
		t.Errorf("the best of %s is %s, not %s", user, text[:bytes.IndexByte(text, '\n')], want)
	}
	pairs := filepath.Join(out, "pairs.csv")
	if err := os.WriteFile(pairs, []byte("user,left,right\n"+user+",item 01,item 02\nnobody,item 03,item 01\n"+user+",item 01,item 99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := f.Predict(ctx, prism, []string{pairs}, "", "csv", filepath.Join(out, "said"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Bad != 1 || found[0].Votes != 2 {
		t.Errorf("found %+v", found)
	}
	if rows, _ := rowsIn(t, out+"/said/predictions-*.csv"); rows != 2 {
		t.Errorf("%d predictions", rows)
	}
	if said, err := os.ReadFile(badFile(filepath.Join(out, "said"), 0)); err != nil || !bytes.Contains(said, []byte("pairs.csv,4,")) {
		t.Errorf("bad rows: %s, %v", said, err)
	}
}

// Votes that were held out are scored as the model scores them; those of files too.
func TestEvaluate(t *testing.T) {
	ctx := context.Background()
	d := made(t, 40, 9, 20, false)
	f := fittedTo(t, d, Dealing{Shards: 3, HoldOut: 0.2, Reading: Reading{Seed: 2}})
	heldOut, err := f.Evaluate(ctx, prism, nil, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if heldOut.Votes < 50 || heldOut.CrossEntropy >= math.Ln2 || heldOut.Accuracy < 0.6 || math.Abs(heldOut.CrossEntropy-f.learnt.HeldOut) > 1e-4 {
		t.Errorf("held out %+v, the fit said %v", heldOut, f.learnt.HeldOut)
	}
	all, err := f.Evaluate(ctx, prism, []string{written(t, d, t.TempDir(), "votes.csv")}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Votes != float64(d.NumVotes()) || all.NewVoters != 0 || all.CrossEntropy >= heldOut.CrossEntropy {
		t.Errorf("all %+v, held out %+v", all, heldOut)
	}
}

// New voters who voted as others did are inferred as they were; ties where there were none are refused.
func TestFold(t *testing.T) {
	ctx := context.Background()
	d := made(t, 30, 9, 12, false)
	f := fittedTo(t, d, Dealing{Shards: 3})
	again := dealAll(t, d, Dealing{Like: f.deal.folder})
	if !slices.Equal(again.sums(), f.deal.sums()) {
		t.Error("dealt like the first, the same votes make other shards")
	}
	g, err := f.Fold(ctx, prism, again)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(g.learnt.Evidence-f.learnt.Evidence) > 1e-6*math.Abs(f.learnt.Evidence) {
		t.Errorf("evidence %v, in the fit %v", g.learnt.Evidence, f.learnt.Evidence)
	}
	if _, err := f.Fold(ctx, prism, dealAll(t, made(t, 10, 9, 12, true), Dealing{Like: f.deal.folder})); err == nil {
		t.Error("ties are folded in")
	}
	if _, err := f.Fold(ctx, prism, dealAll(t, made(t, 10, 5, 12, false), Dealing{Shards: 2})); err == nil {
		t.Error("votes on other items are folded in")
	}
}

// Counts of votes are votes: their tallies are those of the votes themselves, from files of any form.
func TestTally(t *testing.T) {
	ctx := context.Background()
	d := made(t, 50, 9, 20, true)
	folder := t.TempDir()
	half := d.NumVotes() / 2
	var parts [2][]int
	for k := range d.NumVotes() {
		parts[k/half%2] = append(parts[k/half%2], k)
	}
	written(t, d.Select(parts[0]), folder, "a.parquet")
	written(t, d.Select(parts[1]), folder, "b.csv.gz")
	for _, format := range []string{"csv", "parquet"} {
		var out bytes.Buffer
		if _, err := Tally(ctx, prism, []string{folder + "/*"}, Reading{}, 3, t.TempDir(), format, &out); err != nil {
			t.Fatal(err)
		}
		b := palate.NewBuilder()
		if _, err := ingest.Votes(ctx, "counts."+format, bytes.NewReader(out.Bytes()), b, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
		b.SortNames()
		counts, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := counts.Tallies(false), d.Tallies(false); !slices.Equal(got, want) {
			t.Errorf("%s: %d tallies, want %d", format, len(got), len(want))
		}
		if counts.NumVotes() >= d.NumVotes() {
			t.Errorf("%s: %d rows of %d votes", format, counts.NumVotes(), d.NumVotes())
		}
	}
}
