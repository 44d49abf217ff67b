package paper

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// letor writes a folder with two made-up queries in the form of OHSUMED.
func letor(t *testing.T, spoil string) Folder {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for q := 1; q <= 2; q++ {
		for d := range 20 {
			rel := d % 3
			fmt.Fprintf(&text, "%d qid:%d", rel, q)
			for f := 1; f <= 25; f++ {
				fmt.Fprintf(&text, " %d:%.4f", f, float64(rel)*float64(f%2)+rng.NormFloat64())
			}
			fmt.Fprintf(&text, " #docid = %d\n", 100*q+d)
		}
	}
	text.WriteString(spoil)
	if err := os.Mkdir(filepath.Join(dir, "letor_ohsumed"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "letor_ohsumed", "OHSUMED.txt"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return Folder(dir)
}

func TestReadOHSUMED(t *testing.T) {
	queries, err := readOHSUMED(letor(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if len(queries) != 2 || len(queries[1].Docs) != 20 || queries[1].Docs[3] != "203" || queries[0].Relevance[5] != 2 {
		t.Errorf("%d queries, the second %+v", len(queries), queries[1])
	}
	if r, c := queries[1].Features.Dims(); r != 20 || c != 25 {
		t.Errorf("%d×%d features", r, c)
	}
	// A query with nothing relevant is left out.
	var bare strings.Builder
	bare.WriteString("0 qid:9")
	for f := 1; f <= 25; f++ {
		fmt.Fprintf(&bare, " %d:1", f)
	}
	if queries, err = readOHSUMED(letor(t, bare.String()+" #docid = 7\n")); err != nil || len(queries) != 2 {
		t.Errorf("%d queries, %v", len(queries), err)
	}
	row := strings.Repeat(" 1:0", 25)
	for spoil, want := range map[string]string{
		"3 qid:3" + row + "\n":  "OHSUMED.txt:41: column relevance",
		"1 query3" + row + "\n": "column qid",
		"1 qid:3" + row + "\n":  "column feature 2",
		"1 qid:3 1:0\n":         "fields",
	} {
		if _, err := readOHSUMED(letor(t, spoil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", spoil, err, want)
		}
	}
}

// Every set runs, the same seed gives the same figures, no pair is asked twice,
// and each line of JSON has what it must have.
func TestRunLinks(t *testing.T) {
	folder := letor(t, "")
	for _, o := range []LinkOptions{
		{Sets: []string{"ohsumed"}, Models: LinkModels()[:6], Policies: []string{"soft-bald", "random"}, Noise: []float64{0, 0.2}, Repeats: 2},
		{Sets: []string{"citations"}, Queries: 2, Models: []string{"linked", "features"}},
		{Sets: []string{"ohsumed-pooled"}, Models: []string{"features"}},
		{Sets: []string{"citations-new"}, Queries: 2},
	} {
		o.Folder, o.Pairs, o.Seed = folder, 25, 3
		run := func() (text string) {
			for table, err := range RunLinks(t.Context(), o) {
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range table.Curves {
					if c.Again > 0 {
						t.Errorf("%s, %s: %d pairs were asked twice", c.Model, c.Policy, c.Again)
					}
					c.CPU = 0
				}
				var out bytes.Buffer
				if err := table.WriteText(&out); err != nil || !strings.Contains(out.String(), "soft-bald") {
					t.Errorf("%v: %s", err, out.String())
				}
				if o.Sets[0] == "citations" {
					if err := table.Draw(t.TempDir()); err != nil {
						t.Error(err)
					}
				}
				if err := table.WriteJSON(&out); err != nil {
					t.Fatal(err)
				}
				text += out.String()
			}
			return text
		}
		first := run()
		if second := run(); second != first {
			t.Errorf("%v: other figures the second time", o.Sets)
		}
		lines := 0
		for line := range strings.Lines(first) {
			if !strings.HasPrefix(line, "{") {
				continue
			}
			lines++
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"data", "model", "policy", "noise", "pairs", "map", "map_se", "cpu_ms_per_vote"} {
				if _, ok := row[key]; !ok {
					t.Errorf("no %s in %s", key, line)
				}
			}
			if x := row["map"].(float64); !(x > 0 && x <= 1) {
				t.Errorf("MAP %v", x)
			}
		}
		if lines == 0 {
			t.Error("no lines of JSON")
		}
	}
}

func TestLinkOptions(t *testing.T) {
	for _, o := range []LinkOptions{
		{Sets: []string{"trec"}}, {Models: []string{"crowd"}}, {Policies: []string{"best"}}, {Noise: []float64{0.5}},
		{Noise: []float64{math.NaN()}}, {Queries: -1}, {Repeats: -1}, {Pairs: 5},
	} {
		if err := o.Check(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	for _, err := range RunLinks(t.Context(), LinkOptions{Sets: []string{"ohsumed"}}) {
		if err == nil || !strings.Contains(err.Error(), "PALATE_DATA") {
			t.Errorf("without data: %v", err)
		}
	}
}

// The made-up graphs are what they are said to be.
func TestMadeUpGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	c, err := drawCitations(rng)
	if err != nil {
		t.Fatal(err)
	}
	h, err := drawHyperlinks(rng)
	if err != nil {
		t.Fatal(err)
	}
	count := func(x []bool) (n int) {
		for _, b := range x {
			if b {
				n++
			}
		}
		return n
	}
	var links float64
	for _, e := range h.graph.Edges() {
		links += e.Weight
	}
	if len(c.truth) != 150 || count(c.relevant[0]) != 30 || len(h.truth) != 1000 || count(h.relevant[0]) != 30 || links != 2387 {
		t.Errorf("citations: %d items, %d relevant; hyperlinks: %d pages, %d relevant, %v links", len(c.truth), count(c.relevant[0]), len(h.truth), count(h.relevant[0]), links)
	}
	for i, rel := range h.relevant[0] {
		if rel != (h.truth[i] > 0.5) {
			t.Errorf("page %d: relevant %v, utility %v", i, rel, h.truth[i])
		}
	}
}

func TestLinkTests(t *testing.T) {
	// By hand: W = 6, mean 10.5, variance 5.25.
	if got := rankSum([]float64{1, 2, 3}, []float64{4, 5, 6}); math.Abs(got-0.04953) > 1e-4 {
		t.Errorf("rank-sum p = %v, want .0495", got)
	}
	if got := rankSum([]float64{1, 2, 3}, []float64{1, 2, 3}); math.Abs(got-1) > 1e-12 {
		t.Errorf("rank-sum p of equal samples = %v", got)
	}
	rankSum([]float64{math.NaN(), 1}, []float64{math.NaN()}) // comes to an end
	// t = 2.262 at 9 degrees of freedom has p = .05.
	if got := pairedT(2.262, 1, 10); math.Abs(got-0.05) > 1e-4 {
		t.Errorf("t-test p = %v, want .05", got)
	}
	table := &LinkTable{Marks: []int{10, 20, 40}}
	if ok, votes := table.reach([]float64{0.2, 0.4, 0.6}, 0.5); !ok || votes != 30 {
		t.Errorf("reached after %v", votes)
	}
	if ok, _ := table.reach([]float64{0.2, 0.4, 0.6}, 0.7); ok {
		t.Error("reached what it never reaches")
	}
}
