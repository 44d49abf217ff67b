package paper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"palate/ingest"
)

func TestLoadSushi(t *testing.T) {
	a, b, err := LoadSushi(sushiFolder(t, 12))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Items) != 10 || len(b.Items) != 100 || len(a.Orders) != 12 || len(b.Orders) != 12 {
		t.Fatalf("%d and %d items, %d and %d rankings", len(a.Items), len(b.Items), len(a.Orders), len(b.Orders))
	}
	if b.ItemFeatures.Cols != 18 || a.ItemFeatures.Rows != 10 {
		t.Errorf("features: %d columns, %d rows", b.ItemFeatures.Cols, a.ItemFeatures.Rows)
	}
	// Items 5 and 9 of set A are 6 (ikura) and 29 (kappa maki) of set B.
	for k, i := range map[int]int{0: 0, 4: 4, 5: 6, 7: 8, 8: 26, 9: 29} {
		if a.Items[k] != b.Items[i] || !slices.Equal(a.ItemFeatures.Row(k), b.ItemFeatures.Row(i)) {
			t.Errorf("item %d of A is %s, not %s", k, a.Items[k], b.Items[i])
		}
	}
	if row := b.ItemFeatures.Row(14); row[0] != 0 || row[2+14%12] != 1 || sum(row[2:14]) != 1 {
		t.Errorf("item 14: %v", row)
	}
	x := a.UserFeatures
	if want := 3 + 2*(48+12+1) + 1; x.Cols != want || x.Rows != 12 {
		t.Errorf("user features: %d×%d, want %d columns", x.Rows, x.Cols, want)
	}
	if c := slices.Index(x.Names, "prefecture=8"); x.At(7, c) != 1 || x.At(6, c) != 0 {
		t.Error("user 7 does not live in prefecture 8")
	}
	if a.Users[3] != "1003" {
		t.Errorf("user 3 is %s", a.Users[3])
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// TestFaults holds every loader to naming file and line of what it cannot read.
func TestFaults(t *testing.T) {
	loaders := map[string]func(Folder) error{
		"sushi": func(f Folder) error { _, _, err := LoadSushi(f); return err },
		"100k":  func(f Folder) error { _, err := LoadMovieLens100K(f); return err },
		"1m":    func(f Folder) error { _, err := LoadMovieLens1M(f); return err },
	}
	for _, c := range []struct{ loader, file, old, new, want string }{
		{"sushi", "sushi/sushi3a.5000.10.order", "10 1\n", "100 1\n", "order:1: column number of items: 100, not 10"},
		{"sushi", "sushi/sushi3a.5000.10.order", "0 10 ", "0 9 ", "order:2: column length: 10 items, not 9"},
		{"sushi", "sushi/sushi3b.5000.10.order", "100 1\n", "100 1\n0 2 7 7\n", "order:2: column item: 7 is ranked twice"},
		{"sushi", "sushi/sushi3b.5000.10.order", "100 1\n", "100 1\n0 2 7 100\n", `"100" is not a whole number from 0 to 99`},
		{"sushi", "sushi/sushi3b.5000.10.order", "100 1\n", "100 1\n0 2 7 8\n", "13 rankings for 12 users"},
		{"sushi", "sushi/sushi3.idata", "3\tsushi3\t", "4\tsushi3\t", "sushi3.idata:4: column item: item 4 where 3 should be"},
		{"sushi", "sushi/sushi3.idata", "99\tsushi99\t", "99\t", "sushi3.idata:100: 8 fields, not 9"},
		{"sushi", "sushi/sushi3.udata", "1002\t0\t2\t", "1002\t0\tx\t", `sushi3.udata:3: column age: "x" is not`},
		{"100k", "movielens-100k/u.data", "1\t6\t5\t", "1\t6\t7\t", `u.data:2: column rating: "7" is not a whole number from 0 to 5`},
		{"100k", "movielens-100k/u.data", "1\t5\t5\t", "1\t6\t5\t", "u.data:3: column movie: user 1 has rated movie 6 twice"},
		{"100k", "movielens-100k/u.item", "12|Caf\xe9", "15|Caf\xe9", "movie 12 is rated but not in"},
		{"1m", "ml-1m/ratings.dat", "1::6::5::", "1::6;5;", "ratings.dat:2: 2 fields, not 3"},
		{"1m", "ml-1m/movies.dat", "1::Caf", "x::Caf", `movies.dat:1: column movie: "x" is not`},
	} {
		var folder Folder
		switch c.loader {
		case "sushi":
			folder = sushiFolder(t, 12)
		case "100k":
			folder = write(t, movies100K())
		case "1m":
			folder = write(t, movies1M())
		}
		if err := loaders[c.loader](folder); err != nil {
			t.Fatalf("%s, unbroken: %v", c.loader, err)
		}
		path := filepath.Join(string(folder), c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := strings.Replace(string(text), c.old, c.new, 1)
		if broken == string(text) {
			t.Fatalf("%s: nothing to break: %q", c.file, c.old)
		}
		if err := os.WriteFile(path, []byte(broken), 0o666); err != nil {
			t.Fatal(err)
		}
		err = loaders[c.loader](folder)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v, want %q", c.file, c.new, err, c.want)
		}
		var named *ingest.Error
		if strings.Contains(c.want, ":") && !errors.As(err, &named) {
			t.Errorf("%s: %T is no ingest.Error", c.file, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := loaders[c.loader](folder); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "https://") {
			t.Errorf("%s missing: %v", c.file, err)
		}
	}
	if _, _, err := LoadSushi(""); err == nil || !strings.Contains(err.Error(), "PALATE_DATA") {
		t.Errorf("no folder: %v", err)
	}
}

func TestLoadMovieLens(t *testing.T) {
	k, err := LoadMovieLens100K(write(t, movies100K()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadMovieLens1M(write(t, movies1M()))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Ratings{"100k": k, "1m": m} {
		if want := []string{"1", "2", "5"}; !slices.Equal(r.Users, want) {
			t.Errorf("%s: users %v, want %v", name, r.Users, want)
		}
		if len(r.Items) != 12 || r.Items[11] != "12" {
			t.Errorf("%s: items %v", name, r.Items)
		}
		if want := [][]int{{0, 1, 2, 3, 4, 5}, {0}, {0, 1, 2}}; !reflect.DeepEqual(r.Liked, want) {
			t.Errorf("%s: liked %v", name, r.Liked)
		}
		if want := [][]int{{6, 7, 8, 9, 10}, {1}, {11}}; !reflect.DeepEqual(r.Disliked, want) {
			t.Errorf("%s: disliked %v", name, r.Disliked)
		}
		if r.NumPairs() != 30+1+3 {
			t.Errorf("%s: %d pairs", name, r.NumPairs())
		}
		comedy, year := slices.Index(r.ItemFeatures.Names, "Comedy"), r.ItemFeatures.Cols-1
		if comedy < 0 || r.ItemFeatures.At(3, comedy) != 1 || r.ItemFeatures.At(3, year) != 1984 {
			t.Errorf("%s: item 4: %v %v", name, r.ItemFeatures.Names, r.ItemFeatures.Row(3))
		}
	}
	var want float64
	for i := range 12 {
		if i != 1 {
			want += float64(1981+i) / 11
		}
	}
	if got := k.ItemFeatures.At(1, k.ItemFeatures.Cols-1); got-want > 1e-9 || want-got > 1e-9 {
		t.Errorf("movie without a date: year %v, want the mean %v", got, want)
	}

	// The same ratings as CSV with a header, packed.
	files := movies1M()
	delete(files, "ml-1m/ratings.dat")
	files["ml-1m/ratings.csv.gz"] = "user,movie,rating\n" + strings.ReplaceAll(movieFiles(","), ",88125", "")
	c, err := LoadMovieLens1M(write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, m) {
		t.Error("ratings.csv.gz and ratings.dat differ")
	}

	files["ml-1m/ratings.csv.gz"] = "user,movie,rating\n1,1,5\n2,1,1\n"
	if _, err := LoadMovieLens1M(write(t, files)); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("nobody with both: %v", err)
	}
}

// TestRealData checks what the papers and the files' own descriptions say of them.
func TestRealData(t *testing.T) {
	folder := Folder(os.Getenv("PALATE_DATA"))
	if folder == "" {
		t.Skip("the data sets may not be passed on: set PALATE_DATA to the folder they are in to check them")
	}
	a, b, err := LoadSushi(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Orders) != 5000 || len(b.Orders) != 5000 || a.Items[8] != "tekka_maki" || a.Items[9] != "kappa_maki" || a.Items[5] != "ikura" {
		t.Errorf("sushi: %d and %d rankings, %v", len(a.Orders), len(b.Orders), a.Items)
	}
	k, err := LoadMovieLens100K(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Users) != 715 || len(k.Items) != 1526 {
		t.Errorf("MovieLens 100K: %d users, %d items", len(k.Users), len(k.Items))
	}
	s, err := k.PaperSplit(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	if s.Train.NumVotes() != 215562 {
		t.Errorf("MovieLens 100K: %d training pairs", s.Train.NumVotes())
	}
	if testing.Short() {
		return
	}
	m, err := LoadMovieLens1M(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Users) != 4645 || len(m.Items) != 3501 {
		t.Errorf("MovieLens 1M: %d users, %d items", len(m.Users), len(m.Items))
	}
}
