package model

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/internal/declared"
	"palate/internal/npy"
)

// saved returns a model's file.
func saved(t testing.TB, m Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries returns the parts of a model file by name.
func entries(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Every model in every form comes back from its file: it says the same to the last
// bit, and saved again it is the same file. Between them the forms write every array
// that there is, and have and lack every entry of model.json that may be left out.
func TestRoundTrips(t *testing.T) {
	headers := map[string]any{
		"single": header{}, "population": populationHeader{}, "crowd": crowdHeader{}, "joint": tensorHeader{}, "duels": duelsHeader{},
		"bt": logitHeader{}, "plackett-luce": logitHeader{}, "glicko": glickoHeader{}, "diagonal": glickoHeader{}, "average": averageHeader{}, "moving": movingHeader{}, "ratings": ratedHeader{},
	}
	arrays := map[string]bool{}
	given := map[string]map[bool]bool{} // entries of model.json: with and without
	for _, f := range forms(t) {
		t.Run(f.name, func(t *testing.T) {
			m := f.fitted(t)
			file := saved(t, m)
			parts := entries(t, file)
			back, err := Read(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			for name, part := range entries(t, saved(t, back)) {
				if !bytes.Equal(part, parts[name]) {
					t.Errorf("saved again, %s differs", name)
				}
			}
			sameModel(t, back, m)
			sameAtOnce(t, back)
			var top map[string]json.RawMessage
			if err := json.Unmarshal(parts["model.json"], &top); err != nil {
				t.Fatal(err)
			}
			for name := range parts {
				array := strings.TrimSuffix(name, ".npy")
				arrays[array] = true
				if array == name || testing.Short() {
					continue
				}
				if less, err := Read(spoilt(t, file, array)); err == nil { // it can be used
					less.Prefer(0, 0, 1)
					NewBoard(t.Context(), less, 0, &BoardOptions{Draws: 20})
				}
			}
			var kind string
			if err := json.Unmarshal(top["model"], &kind); err != nil || headers[kind] == nil {
				t.Fatalf("model %q is not among the headers: %v", kind, err)
			}
			for _, field := range reflect.VisibleFields(reflect.TypeOf(headers[kind])) {
				if name, optional := strings.CutSuffix(field.Tag.Get("json"), ",omitempty"); optional {
					of := reflect.TypeOf(headers[kind]).Name()
					if len(field.Index) > 1 { // what all kinds have
						of = "heading"
					}
					name = of + "." + name
					if given[name] == nil {
						given[name] = map[bool]bool{}
					}
					_, is := top[name[strings.Index(name, ".")+1:]]
					given[name][is] = true
				}
			}
		})
	}
	if t.Failed() {
		return
	}
	ofOthers := []string{"point", "gradient", "curvature", "steps", "bends", "relevance", "group", "draws"} // checkpoints, and Export
	for _, name := range declared.Arguments(t, "writeArray", "floats", "matrix", "column") {
		found := arrays[name] || slices.Contains(ofOthers, name)
		if end, some := strings.CutPrefix(name, "*"); some {
			for have := range arrays {
				found = found || strings.HasSuffix(have, end)
			}
		}
		if !found {
			t.Errorf("%s.npy is in the file of no form", name)
		}
	}
	for name, is := range given {
		if name == "populationHeader.family" { // of older files, see TestOldFiles
			continue
		}
		if !is[true] || !is[false] {
			t.Errorf("model.json: %s is in the file of a form: %v; is not in that of another: %v", name, is[true], is[false])
		}
	}
}

// sameModel insists that two models say the same, to the last bit.
func sameModel(t *testing.T, got, want Model) {
	t.Helper()
	same := func(what string, a, b any) {
		t.Helper()
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v, want %v", what, a, b)
		}
	}
	items, users := got.Encoders()
	wantItems, wantUsers := want.Encoders()
	same("recipes", []string{compact(t, items), compact(t, users)}, []string{compact(t, wantItems), compact(t, wantUsers)})
	same("name", got.Name(), want.Name())
	same("fit", got.Fit(), want.Fit())
	same("reads", got.Reads(), want.Reads())
	same("groups", got.Groups(), want.Groups())
	same("votes", got.Votes(), want.Votes())
	same("sizes", [2]int{got.NumItems(), got.NumUsers()}, [2]int{want.NumItems(), want.NumUsers()})
	if c, ok := want.(*Crowd); ok {
		same("form", got.(*Crowd).Form(), c.Form())
	}
	if t.Failed() {
		return
	}
	n := want.NumItems()
	for _, u := range slices.Compact([]int{-1, min(0, want.NumUsers()-1), want.NumUsers() - 1}) {
		if u >= 0 {
			same("user", got.UserID(u), want.UserID(u))
		}
		for i := range n {
			same("item", got.ItemID(i), want.ItemID(i))
			m, v := got.Utility(u, i)
			wm, wv := want.Utility(u, i)
			same("utility", [2]float64{m, v}, [2]float64{wm, wv})
			j := (i + 1) % n
			same("chance", got.Prefer(u, i, j), want.Prefer(u, i, j))
		}
		same("draws", drawsOf(t, got, u, 50, rand.New(rand.NewPCG(1, 2))), drawsOf(t, want, u, 50, rand.New(rand.NewPCG(1, 2))))
	}
	if w, ok := want.(Welcomer); ok {
		votes := []palate.Vote{{Left: 0, Right: 1, Weight: 1}, {Left: n - 1, Right: 0, Weight: 1}}
		a, err := got.(Welcomer).FoldIn(votes, nil)
		b, wantErr := w.FoldIn(votes, nil)
		if err != nil || wantErr != nil {
			t.Fatalf("a newcomer: %v, %v", err, wantErr)
		}
		for i := range n {
			m, v := a.Utility(i)
			wm, wv := b.Utility(i)
			same("newcomer's utility", [2]float64{m, v}, [2]float64{wm, wv})
		}
	}
}

// compact returns JSON without its spaces.
func compact(t *testing.T, raw []byte) string {
	var b bytes.Buffer
	if len(raw) > 0 {
		if err := json.Compact(&b, raw); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// What a file says of every item is what the board says, in every form.
func TestFileHoldsTheBoard(t *testing.T) {
	for _, f := range forms(t) {
		m := f.fitted(t)
		parts := entries(t, saved(t, m))
		read := func(name string) []float64 {
			x, _, err := npy.Read[float64](bytes.NewReader(parts[name+".npy"]), 1000)
			if err != nil {
				t.Fatalf("%s: %s: %v", f.name, name, err)
			}
			return x
		}
		score, sd := read("score"), read("sd")
		for _, g := range boardOf(t, m, -1, nil).Groups {
			for _, r := range g.Rows {
				if math.Abs(score[r.Item]-r.Score) > 1e-9 || math.Abs(sd[r.Item]-r.SD) > 1e-9 {
					t.Errorf("%s: item %d has %g ± %g in the file, %g ± %g on the board", f.name, r.Item, score[r.Item], sd[r.Item], r.Score, r.SD)
				}
			}
		}
	}
}
