package simd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated runs the generator and compares every byte it writes with what is checked in.
func TestGenerated(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to run the generator with")
	}
	fetch := exec.Command(goTool, "mod", "download")
	fetch.Dir = "gen"
	fetch.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Skipf("avo cannot be fetched: %v\n%s", err, out)
	}
	dir := t.TempDir()
	run := exec.Command(goTool, "run", ".", "-dir", dir)
	run.Dir = "gen"
	run.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOARCH=", "GOOS=")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) == 0 {
		t.Fatalf("generator wrote nothing: %v", err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Base(path))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes (%v): run go generate", filepath.Base(path), err)
		}
	}
}
