package model

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"palate"
	"palate/infer"
	"palate/internal/declared"
	"palate/kernel"
)

// Every row of the catalogue says all that there is to say of a kind, and what may be
// missing is missing for a reason.
func TestCatalogueIsComplete(t *testing.T) {
	optional := map[string]string{
		"Aliases": "few have other names", "Needs": "most go without", "Takes": "ratings have no settings", "Silent": "most read features of voters always, or never",
		"Yardstick": "most are not", "AutoPrior": "those that auto takes have one, which evaluate.TestChooseBeforehand sees to", "Weighs": "most have kernels", "Joint": "TestCatalogueReads sees to it", "trial": "most are tried as they are",
	}
	notDrawn := map[string]string{
		"linked": "links are not drawn", "joint": "as population, over fewer cells", "duels": "as single, with features", "bt": "as single, with other noise", "plackett-luce": "as bt",
		"moving": "as single, with Drift", "glicko": "as bt", "diagonal": "as single, with independent items", "average": "as its parts", "ratings": "votes are drawn, not ratings",
	}
	settings := reflect.TypeFor[Settings]()
	taken, names := map[string]bool{}, map[string]bool{}
	for _, e := range Catalogue() {
		v := reflect.ValueOf(e)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			_, excused := optional[name]
			if name == "departs" {
				_, excused = notDrawn[e.Name]
				if excused != v.Field(i).IsZero() {
					t.Errorf("%s: departs is missing: %v; there is a reason: %v", e.Name, v.Field(i).IsZero(), excused)
				}
			}
			if v.Field(i).IsZero() && !excused {
				t.Errorf("%s: %s is missing", e.Name, name)
			}
		}
		for _, line := range []string{e.About, e.For, e.From} {
			if strings.ContainsAny(line, "\n|") || len(line) > 120 {
				t.Errorf("%s: %q is not a line of a table", e.Name, line)
			}
		}
		if !e.Reads.Has(e.Needs) {
			t.Errorf("%s: needs %v, and reads %v", e.Name, e.Needs, e.Reads)
		}
		if e.Silent != "" && !e.Reads.Has(UserFeatures) {
			t.Errorf("%s: says why it leaves out features of voters, and does not read them", e.Name)
		}
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			if names[n] || n == "auto" {
				t.Errorf("%s: the name %q is taken", e.Name, n)
			}
			names[n] = true
		}
		for _, f := range e.Takes {
			if _, ok := settings.FieldByName(f); !ok {
				t.Errorf("%s: takes %s, which is no setting", e.Name, f)
			}
			taken[f] = true
		}
	}
	for i := range settings.NumField() {
		if f := settings.Field(i).Name; !taken[f] && !slices.ContainsFunc(Catalogue(), func(e Entry) bool { return e.Accepts(f) }) {
			t.Errorf("the setting %s is not for any kind", f)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the tables of docs/models.md")

// brief is a dataset with what a kind needs.
func brief(t *testing.T, e Entry, change func(k int, v *palate.Vote)) (*palate.Dataset, *Settings) {
	t.Helper()
	const items, users = 4, 3
	b := palate.NewBuilder()
	for i := range items {
		b.Item(fmt.Sprint("item ", i))
	}
	for u := range users {
		b.User(fmt.Sprint("user ", u))
	}
	for k := range 24 {
		v := palate.Vote{User: k % users, Left: k % items, Right: (k + 1 + k/items%(items-1)) % items, Weight: 1}
		if k%5 == 0 || v.User == 1 && v.Left > v.Right {
			v.Outcome = palate.Right
		}
		if e.Needs.Has(Times) {
			v.Time = time.Date(2024, 1, 1+k/4, 12, 0, 0, 0, time.UTC)
		}
		if change != nil {
			change(k, &v)
		}
		if e.Needs.Has(Ratings) && k%2 == 0 {
			v.Right, v.Outcome, v.Rating = v.Left, palate.Rated, float64(1+(v.Left+k/5)%4)
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	if e.Needs.Has(ItemFeatures) {
		b.SetItemFeatures(&palate.Features{Names: []string{"x"}, Rows: items, Cols: 1, Data: []float64{0, 1, 3, 4}})
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{}
	if e.Needs.Has(ItemLinks) {
		if s.Links, err = kernel.NewGraph(items, []kernel.Edge{{From: 0, To: 1, Weight: 1}, {From: 2, To: 3, Weight: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	return d, s
}

// chancesOf are the chances that a model gives to neighbours.
func chancesOf(m Model) (all []float64) {
	for u := -1; u < m.NumUsers(); u++ {
		for i := range m.NumItems() {
			all = append(all, m.Prefer(u, i, (i+1)%m.NumItems()))
		}
	}
	return all
}

// A kind reads of votes what its row says: with other votes it says something else, or
// the same to the last bit; ties and weights that it does not read it refuses. It comes
// back from its file as it was.
func TestCatalogueReads(t *testing.T) {
	saved := map[string]bool{}
	for _, e := range Catalogue() {
		fit := func(change func(k int, v *palate.Vote)) (Model, error) {
			d, s := brief(t, e, change)
			return e.Fit(t.Context(), d, s)
		}
		m, err := fit(nil)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if !e.Reads.Has(m.Reads()) {
			t.Errorf("%s: read %v, of %v", e.Name, m.Reads(), e.Reads)
		}
		if _, ok := m.(Joint); ok != e.Joint {
			t.Errorf("%s: is joint: %v; its row says %v", e.Name, ok, e.Joint)
		}
		if (m.NumUsers() > 0) != e.Personal() {
			t.Errorf("%s: is personal: %v; tells apart %d", e.Name, e.Personal(), m.NumUsers())
		}
		var file bytes.Buffer
		if err := m.Save(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if back.Name() != m.Name() || !slices.Equal(chancesOf(m), chancesOf(back)) {
			t.Errorf("%s: comes back as %s, with %v for %v", e.Name, back.Name(), chancesOf(back), chancesOf(m))
		}
		saved[reflect.TypeOf(m).Elem().Name()] = true
		noon := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)
		for _, c := range []struct {
			read    Reads
			refused bool // by kinds that do not read it
			change  func(k int, v *palate.Vote)
		}{
			{Voters, false, func(k int, v *palate.Vote) { v.User = (v.User + k/2) % 3 }},
			{Ties, true, func(k int, v *palate.Vote) {
				if k%4 == 1 {
					v.Outcome = palate.Tie
				}
			}},
			{Ratings, true, func(k int, v *palate.Vote) {
				if k%4 == 1 {
					v.Right, v.Outcome, v.Rating = v.Left, palate.Rated, float64(1+k%3)
				}
			}},
			{Weights, true, func(k int, v *palate.Vote) { v.Weight = 1 + float64(k%2)/2 }},
			{Times, false, func(k int, v *palate.Vote) { v.Time = noon.Add(-time.Duration(k) * time.Minute) }},
		} {
			other, err := fit(c.change)
			reads := e.Reads.Has(c.read)
			switch {
			case !reads && c.refused:
				if err == nil {
					t.Errorf("%s: does not read %v, and takes votes with them", e.Name, c.read)
				}
			case err != nil:
				t.Errorf("%s: %v: %v", e.Name, c.read, err)
			case slices.Equal(chancesOf(m), chancesOf(other)) == reads:
				t.Errorf("%s: reads %v: %v; with others it says the same: %v", e.Name, c.read, reads, !reads)
			}
		}
	}
	for _, e := range Catalogue() {
		d, s := brief(t, e, nil)
		length := palate.Property{Name: "length"}
		for k := range d.NumVotes() {
			length.Left, length.Right = append(length.Left, float64(k%7)), append(length.Right, float64(k%3))
		}
		plain, err := e.Fit(t.Context(), d, s)
		if err != nil {
			t.Fatal(err)
		}
		with, err := e.Fit(t.Context(), d.WithProperties([]palate.Property{length}), s)
		if err != nil {
			t.Fatal(err)
		}
		if reads := e.Reads.Has(VoteProperties); slices.Equal(chancesOf(plain), chancesOf(with)) == reads || with.Reads().Has(VoteProperties) != reads || plain.Reads().Has(VoteProperties) {
			t.Errorf("%s: reads %v: %v; it has read %v", e.Name, VoteProperties, reads, with.Reads())
		}
	}
	for _, kind := range declared.Methods(t, "Save") {
		if !saved[kind] {
			t.Errorf("%s can be saved, and no entry of the catalogue fits it", kind)
		}
	}
}

// A kind refuses settings that it does not take, and inputs that it does not read or
// has to have.
func TestCatalogueRefuses(t *testing.T) {
	graph, err := kernel.NewGraph(4, []kernel.Edge{{From: 0, To: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	all := Settings{
		Seed: 1, Progress: func(Progress) {}, Features: &FeatureKernel{}, Lengths: LearntLengths, Smoothness: Smooth, Inducing: 2, Pooled: true, Rule: infer.EP{}, Likelihood: Logit,
		ScalePrior: infer.Gamma{Shape: 1, Rate: 1}, Steps: Steps{Batch: 2}, Links: graph, LinkKernel: kernel.Laplacian, UserLinks: graph, VoterFeatures: WithFeatures, Factors: 1, Tastes: OwnTastes,
		Nugget: true, Reliability: true, Habits: true, Formulation: TruncatedDuels, Whole: true, HoldOut: 0.1, Checkpoint: "x", CheckpointEvery: 1, MaxMemory: 1,
		Scale: Scale{Classes: 3}, Periods: Periods{Number: 3}, Parts: []Part{{Model: "single", Weight: 1}}, Quick: true, Plan: func(Need) {}, Votes: &DiskVotes{}, ItemEncoder: []byte("{}"), UserEncoder: []byte("{}"),
	}
	full := reflect.ValueOf(all)
	for _, e := range Catalogue() {
		d, s := brief(t, e, nil)
		for i := range full.NumField() {
			field := full.Type().Field(i).Name
			if full.Field(i).IsZero() {
				t.Fatalf("the setting %s is not tried", field)
			}
			with := *s
			reflect.ValueOf(&with).Elem().Field(i).Set(full.Field(i))
			err := e.check(d, &with)
			if refused := err != nil && strings.HasSuffix(err.Error(), field); refused == e.Accepts(field) {
				t.Errorf("%s: takes %s: %v; refused: %v", e.Name, field, e.Accepts(field), err)
			}
		}
		b := palate.NewBuilder()
		if err := b.Say("", "a", "b", palate.Left); err != nil {
			t.Fatal(err)
		}
		bare, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Fit(t.Context(), bare, nil); (err != nil) != (e.Needs != 0) {
			t.Errorf("%s: needs %v, and of votes alone it says %v", e.Name, e.Needs, err)
		}
	}
	if _, err := Find("crwd"); err == nil || !strings.Contains(err.Error(), "ratings, crowd") {
		t.Errorf("a model that is not there: %v", err)
	}
}

// The tables of docs/models.md are those of the catalogue.
func TestCatalogueIsDocumented(t *testing.T) {
	const path = "../docs/models.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var is, reads strings.Builder
	is.WriteString("| `--model` | what it is | good for | from |\n|---|---|---|---|\n| `auto` | chosen among those below | a start | |\n")
	reads.WriteString("| `--model` | reads | does not go without | taken by `auto` |\n|---|---|---|---|\n")
	for _, e := range Catalogue() {
		fmt.Fprintf(&is, "| `%s` | %s | %s | %s |\n", strings.Join(append([]string{e.Name}, e.Aliases...), "`, `"), e.About, e.For, e.From)
		auto := "never"
		switch {
		case e.AutoVotes == always:
			auto = "yes"
		case e.AutoVotes == undecided:
			auto = "of kinds that votes do not tell apart"
		case e.AutoVotes > 0:
			auto = fmt.Sprintf("up to %d,%03d votes", e.AutoVotes/1000, e.AutoVotes%1000)
		}
		fmt.Fprintf(&reads, "| `%s` | %v | %v | %s |\n", e.Name, e.Reads, e.Needs, auto)
	}
	for k, want := range []string{is.String(), reads.String()} {
		head, _, _ := strings.Cut(want, "\n")
		table := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(head) + `\n(\|.*\n)+`)
		found := table.Find(text)
		if *update {
			text = table.ReplaceAll(text, []byte(want))
		} else if string(found) != want {
			t.Errorf("table %d of %s is not that of the catalogue (go test ./model -run Documented -update writes it):\n%s", k+1, path, want)
		}
	}
	if *update {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
