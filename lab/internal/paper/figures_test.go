package paper

import (
	"context"
	"encoding/csv"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palate"
)

// filmClub makes up ratings by people who each like one genre.
func filmClub() *Ratings {
	genres := []string{"Action", "Comedy", "Drama", "Thriller", "Horror"}
	r := &Ratings{ItemFeatures: &palate.Features{Names: genres, Rows: 20, Cols: 5, Data: make([]float64, 100)}}
	for i := range 20 {
		r.Items = append(r.Items, "movie"+string(rune('a'+i)))
		r.ItemFeatures.Row(i)[i%5] = 1
	}
	rng := stream(1, "club", 0)
	for u := range 30 {
		r.Users = append(r.Users, "u"+string(rune('A'+u)))
		var liked, disliked []int
		for _, i := range rng.Perm(20)[:12] {
			if i%5 == u%5 || len(liked) == 0 {
				liked = append(liked, i)
			} else if rng.IntN(4) > 0 || len(disliked) == 0 {
				disliked = append(disliked, i)
			}
		}
		r.Liked, r.Disliked = append(r.Liked, liked), append(r.Disliked, disliked)
	}
	return r
}

// TestFigures draws every figure of every experiment on made-up data and reads picture and numbers back.
func TestFigures(t *testing.T) {
	a, _, err := LoadSushi(sushiFolder(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := a.Split(12, 10, 1, stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	rated, err := filmClub().PaperSplit(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := LoadArguments(write(t, argumentFiles(3, 15, 60, 700)))
	if err != nil {
		t.Fatal(err)
	}
	argued, err := arguments.Split(0, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Experiments() {
		for _, f := range e.Figures {
			if !slices.ContainsFunc(e.Sets, func(s Set) bool { return s.Name() == f.Set }) || f.About == "" {
				t.Errorf("%s: no set %s, or not described", f.Name, f.Set)
			}
			s := rated
			if strings.HasPrefix(f.Set, "sushi") {
				s = ranked
			}
			if strings.HasPrefix(f.Set, "convarg") {
				s = argued
			}
			pictures, err := f.draw(context.Background(), Task{Data: f.Set, Train: s.Train, Seed: 1}, s)
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			dir := t.TempDir()
			for _, p := range pictures {
				if err := p.save(dir); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, f.Name+"*"))
			if err != nil || len(files) != 2*len(pictures) {
				t.Errorf("%s: files %v", f.Name, files)
			}
			for _, path := range files {
				r, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				if strings.HasSuffix(path, ".png") {
					_, err = png.Decode(r)
				} else {
					_, err = csv.NewReader(r).ReadAll()
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if _, err := f.draw(cancelled(), Task{Data: f.Set, Train: s.Train, Seed: 1}, s); err == nil {
				t.Errorf("%s is drawn after the end", f.Name)
			}
		}
	}
}

// TestHowSure holds the last figure to what it shows: votes make the model sure of what they tell about, and not of
// the rest.
func TestHowSure(t *testing.T) {
	s, err := filmClub().PaperSplit(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := figure4(context.Background(), Task{Data: "movielens-100k", Train: s.Train, Seed: 1}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		c := p.(*chart)
		told, untold := c.curves[0].points, c.curves[1].points
		if first, last := told[0].Y, told[len(told)-1].Y; !(last > first && last > 0.85) {
			t.Errorf("%s, %s: from %.3f to %.3f", c.title, c.curves[0].name, first, last)
		}
		if last := untold[len(untold)-1].Y; !(last > 0.15 && last < 0.85) {
			t.Errorf("%s, %s: %.3f", c.title, c.curves[1].name, last)
		}
	}
}
