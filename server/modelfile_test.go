package server

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"palate"
	"palate/model"
)

// fruit fits a population of two voters, who agree or not, and keeps it in a file.
func fruit(t *testing.T, path string, opposed bool) model.Model {
	t.Helper()
	b := palate.NewBuilder()
	say := func(who, left, right string) {
		if err := b.Say(who, left, right, palate.Left); err != nil {
			t.Fatal(err)
		}
	}
	for range 6 {
		for _, p := range [][2]string{{"pear", "fig"}, {"fig", "plum"}, {"pear", "plum"}} {
			say("ann", p[0], p[1])
			if opposed {
				say("bob", p[1], p[0])
			} else {
				say("bob", p[0], p[1])
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitPopulation(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Save(t.Context(), path, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// What a file of a model answers is what the model says, of voters, of anybody, and of
// somebody new.
func TestModelFileAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.palate")
	m := fruit(t, path, true)
	f, err := OpenModel(t.Context(), path, ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a := f.About(); a.Model != "population" || a.Items != 3 || a.Voters != 2 {
		t.Errorf("%+v", a)
	}
	ctx := t.Context()
	at := func(id string) int { i, _ := m.Item(id); return i }
	left, right := []string{"pear", "plum", "pear", "pear"}, []string{"plum", "fig", "kiwi", "pear"}
	for _, who := range []string{"", "ann", "bob"} {
		user := -1
		if who != "" {
			user, _ = m.User(who)
		}
		chance, known, err := f.Predict(ctx, left, right, Asking{Voter: who})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			if want := m.Prefer(user, at(left[k]), at(right[k])); !known[k] || math.Abs(chance[k]-want) > 1e-12 {
				t.Errorf("%q: %s against %s: %g, want %g", who, left[k], right[k], chance[k], want)
			}
		}
		if known[2] || known[3] {
			t.Errorf("%q: a chance of what is not known, or against itself", who)
		}
	}
	top, err := f.Top(ctx, 2, []string{"pear", "kiwi"}, Asking{Voter: "ann"})
	if err != nil || len(top) != 2 || top[0].Item != "fig" || !(top[0].Score > top[1].Score) {
		t.Errorf("%+v, %v", top, err)
	}
	like := []Ballot{{"plum", "pear", palate.Left}, {"plum", "fig", palate.Left}, {"plum", "pear", palate.Left}}
	if top, err := f.Top(ctx, 1, nil, Asking{Votes: like}); err != nil || top[0].Item != "plum" {
		t.Errorf("who likes plums: %+v, %v", top, err)
	}
	for name, a := range map[string]Asking{
		"unknown voter": {Voter: "zoe"}, "both": {Voter: "ann", Votes: like}, "unknown item": {Votes: []Ballot{{"kiwi", "fig", palate.Left}}},
		"itself": {Votes: []Ballot{{"fig", "fig", palate.Left}}},
	} {
		if _, _, err := f.Predict(ctx, left, right, a); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := f.Predict(ctx, left, right[:1], Asking{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("pairs that are none: %v", err)
	}
	if _, err := f.Top(ctx, 0, nil, Asking{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no items: %v", err)
	}
}

// Another file in the place of the first answers from then on; a damaged one, or none,
// changes nothing.
func TestModelFileIsExchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.palate")
	fruit(t, path, true)
	f, err := OpenModel(t.Context(), path, ModelOptions{Every: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	bob := func() float64 {
		chance, _, err := f.Predict(t.Context(), []string{"pear"}, []string{"plum"}, Asking{Voter: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		return chance[0]
	}
	before := bob()
	if before > 0.5 {
		t.Fatalf("bob likes pears: %g", before)
	}
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fresh, err := f.look(t.Context()); err == nil || fresh || bob() != before {
		t.Errorf("a damaged file: %v, %v", fresh, err)
	}
	if fresh, err := f.look(t.Context()); err != nil || fresh {
		t.Errorf("the same damaged file: %v, %v", fresh, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if fresh, err := f.look(t.Context()); err == nil || fresh || bob() != before {
		t.Errorf("no file: %v, %v", fresh, err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if fresh, err := f.look(t.Context()); err == nil || fresh || bob() != before {
		t.Errorf("a folder: %v, %v", fresh, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	// What cannot be opened now may be opened yet.
	fruit(t, path, true)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.look(t.Context()); err != nil { // not so for who may read everything
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if fresh, err := f.look(t.Context()); err != nil || !fresh {
			t.Errorf("a file that can be read again: %v, %v", fresh, err)
		}
	}
	done := make(chan bool)
	go func() { f.Watch(t.Context()); close(done) }()
	fruit(t, path, false)
	for bob() < 0.5 { // until the test's own time is up
		time.Sleep(time.Millisecond)
	}
	if _, err := OpenModel(t.Context(), path+"x", ModelOptions{}); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// A file of the same size and time is another one: it has taken the place of the first.
func TestModelFileOfTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.palate")
	fruit(t, path, true)
	f, err := OpenModel(t.Context(), path, ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := f.look(t.Context()); fresh || err != nil {
		t.Errorf("the same file: %v, %v", fresh, err)
	}
	fruit(t, path+".new", true)
	if err := os.Chtimes(path+".new", old.ModTime(), old.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(path); err != nil || s.Size() != old.Size() || !s.ModTime().Equal(old.ModTime()) {
		t.Fatalf("the files differ: %v", err)
	}
	if fresh, err := f.look(t.Context()); !fresh || err != nil {
		t.Errorf("another file: %v, %v", fresh, err)
	}
}

// A token is asked for where there are any.
func TestModelFileAdmits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.palate")
	fruit(t, path, false)
	open, err := OpenModel(t.Context(), path, ModelOptions{RequestsPerMinute: 2})
	if err != nil {
		t.Fatal(err)
	}
	shut, err := OpenModel(t.Context(), path, ModelOptions{Tokens: []string{"sesame", "simsim"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Admits(""); err != nil {
		t.Error(err)
	}
	for token, admitted := range map[string]bool{"": false, "sesam": false, "sesame": true, "simsim": true} {
		if err := shut.Admits(token); (err == nil) != admitted || err != nil && !errors.Is(err, ErrForbidden) {
			t.Errorf("%q: %v", token, err)
		}
	}
	for k := range 3 {
		if err := open.Allow("a"); (err == nil) != (k < 2) {
			t.Errorf("request %d: %v", k+1, err)
		}
	}
}
