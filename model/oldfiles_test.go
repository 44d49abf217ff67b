package model

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files of all versions, of every kind, open to what the model said when they were
// written.
func TestOldFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/files/*.palate")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, path := range files {
		m, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		raw, err := os.ReadFile(strings.TrimSuffix(path, ".palate") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var said []struct {
			User            int
			Utility, Chance []float64
		}
		if err := json.Unmarshal(raw, &said); err != nil || len(said) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		for _, s := range said {
			for i, want := range s.Utility {
				mean, _ := m.Utility(s.User, i)
				chance := m.Prefer(s.User, i, (i+1)%m.NumItems())
				if math.Abs(mean-want) > 1e-9 || math.Abs(chance-s.Chance[i]) > 1e-9 {
					t.Errorf("%s: user %d, item %d: utility %g and chance %g; they were %g and %g", path, s.User, i, mean, chance, want, s.Chance[i])
				}
			}
		}
		var h struct{ Version int }
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(entries(t, old)["model.json"], &h); err != nil {
			t.Fatal(err)
		}
		kinds[m.Name()], kinds[fmt.Sprint("version ", h.Version)] = true, true
	}
	for _, want := range []string{"single", "population", "crowd", "joint", "bt", "plackett-luce", "glicko", "diagonal", "average", "moving", "ratings"} {
		if !kinds[want] {
			t.Errorf("no file of %s", want)
		}
	}
	for v := 1; v <= newestVersion; v++ {
		if !kinds[fmt.Sprint("version ", v)] {
			t.Errorf("no file of version %d", v)
		}
	}
}
