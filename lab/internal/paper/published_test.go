package paper

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPublications holds every file of published figures to be used, cited, and about sets that there are.
func TestPublications(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	sets := map[string]bool{"movielens-10m/paper": true} // published, but too large to be run here
	for _, e := range Experiments() {
		papers, err := e.Papers()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Sets {
			sets[s.Name()] = true
			if n := len(printed(papers, s.Data, s.Split)); n == 0 && s.Split != "honest" && !s.Large {
				t.Errorf("%s: nothing published on %s", e.Name, s.Name())
			}
		}
		for _, short := range e.papers {
			used[short+".json"] = true
		}
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		if !used[f.Name()] {
			t.Errorf("no experiment uses %s", f.Name())
		}
		p, err := publication(strings.TrimSuffix(f.Name(), ".json"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Short == "" || p.Citation == "" || len(p.Figures) == 0 {
			t.Errorf("%s: %q, cited %q, %d figures", f.Name(), p.Short, p.Citation, len(p.Figures))
		}
		for _, x := range p.Figures {
			if !sets[x.Data+"/"+x.Split] {
				t.Errorf("%s: no set %s/%s", f.Name(), x.Data, x.Split)
			}
			if x.Table == "" || x.Method == "" || math.IsNaN(x.figures()[CE]) {
				t.Errorf("%s: %+v", f.Name(), x)
			}
		}
	}
}

func TestPublishedOfRow(t *testing.T) {
	s, c := sushi(), collaborative()
	crowd, err := s.Papers()
	if err != nil {
		t.Fatal(err)
	}
	khan, err := c.Papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		papers      []*Publication
		data, split string
		method      Method
		want        string
		acc, ce     float64
		bits        float64
	}{
		{crowd, "sushi", "A-small", Method{Name: "new"}, "best", .71, .56, .56 / math.Ln2},
		{crowd, "sushi", "A", Method{Name: "new"}, "best", .85, .31, .31 / math.Ln2},
		{crowd, "sushi", "B", Method{Name: "new"}, "best", .78, .47, .47 / math.Ln2},                     // .47: DRAFT
		{crowd, "sushi", "B", Method{Name: "published-u"}, `crowdGPPL\u`, .78, .50, .50 / math.Ln2},      // CROWD before DRAFT
		{crowd, "sushi", "A-1000", Method{Name: "published-opt"}, "crowdGPPL", .80, .48, .48 / math.Ln2}, // by setting
		{crowd, "sushi", "A-1000", Method{Name: "published"}, "crowdGPPL", .79, .51, .51 / math.Ln2},
		{crowd, "sushi", "A", Method{Name: "single", Aliases: []string{"pooled-GPPL"}}, "pooled GPPL", .65, .62, .62 / math.Ln2}, // by alias
		{khan, "movielens-100k", "paper", Method{Name: "gpvu-ep"}, "GPVU-EP", math.NaN(), .483 * math.Ln2, .483},
		{khan, "sushi", "B", Method{Name: "VU-Jaakkola"}, "VU-Jaakkola", math.NaN(), .715 * math.Ln2, .715},
		{khan, "movielens-100k", "honest", Method{Name: "GPVU-EP"}, "", math.NaN(), math.NaN(), math.NaN()},
		{crowd, "sushi", "A", Method{Name: "coin", Yardstick: true}, "", math.NaN(), math.NaN(), math.NaN()},
	} {
		got := published(x.papers, x.data, x.split, x.method)
		same := func(a, b float64) bool { return near(a, b) || math.IsNaN(a) && math.IsNaN(b) }
		if got.Method != x.want || !same(got.Figures[Acc], x.acc) || !same(got.Figures[CE], x.ce) || !same(got.Figures[Bits], x.bits) {
			t.Errorf("%s/%s, %s: %+v", x.data, x.split, x.method.Name, got)
		}
	}
	if !slices.IsSortedFunc(s.papers, strings.Compare) {
		t.Error("the final paper comes before its draft")
	}
}
