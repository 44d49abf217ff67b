package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var when = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// Archives of files that are elsewhere, and were changed at other times, are the same to the
// last bit, and hold the files in a folder of their own.
func TestArchivesAreReproducible(t *testing.T) {
	made := func(zipped bool, age time.Duration) []byte {
		t.Helper()
		dir := t.TempDir()
		var files []member
		for _, name := range []string{"palate", "man/man1/palate.1"} {
			path := filepath.Join(dir, filepath.Base(name))
			if err := os.WriteFile(path, []byte(strings.Repeat(name, 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, when.Add(age), when.Add(age)); err != nil {
				t.Fatal(err)
			}
			files = append(files, member{name, path, 0o755})
		}
		archive := filepath.Join(dir, "palate-1.0.0-linux-amd64")
		if err := pack(archive, zipped, files, when); err != nil {
			t.Fatal(err)
		}
		suffix := ".tar.gz"
		if zipped {
			suffix = ".zip"
		}
		data, err := os.ReadFile(archive + suffix)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, zipped := range []bool{false, true} {
		first := made(zipped, time.Hour)
		if !bytes.Equal(first, made(zipped, 48*time.Hour)) {
			t.Errorf("zip %v: two archives of the same files differ", zipped)
		}
		var names []string
		if zipped {
			z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range z.File {
				names = append(names, f.Name)
			}
		} else {
			unpacked, err := gzip.NewReader(bytes.NewReader(first))
			if err != nil {
				t.Fatal(err)
			}
			for r := tar.NewReader(unpacked); ; {
				h, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if h.Mode != 0o755 || h.Uid != 0 || !h.ModTime.Equal(when) {
					t.Errorf("%+v", h)
				}
				names = append(names, h.Name)
			}
		}
		if got := strings.Join(names, " "); got != "palate-1.0.0-linux-amd64/palate palate-1.0.0-linux-amd64/man/man1/palate.1" {
			t.Errorf("zip %v: %s", zipped, got)
		}
	}
}

// A bill names every module that was linked, replaced ones by what replaced them.
func TestBill(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:abc="},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"}},
	}, Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "-s"}}}
	text, err := json.Marshal(billOf(info, "1.0.0", "00ff", when))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"bomFormat":"CycloneDX","specVersion":"1.5"`, `"timestamp":"2024-05-01T12:00:00Z"`, `{"alg":"SHA-256","content":"00ff"}`,
		`"purl":"pkg:golang/std@1.26.8"`, `"purl":"pkg:golang/example.org/a@v1.2.3","properties":[{"name":"go:sum","value":"h1:abc="}]`,
		`"purl":"pkg:golang/example.org/c@v2.0.0"`, `{"name":"go:build:GOOS","value":"linux"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	for _, not := range []string{"example.org/b", "ldflags"} {
		if strings.Contains(string(text), not) {
			t.Errorf("%s is in %s", not, text)
		}
	}
}

// Sums are of all files, in the form of sha256sum.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("abc"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSums(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	sum := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if err != nil || string(got) != sum+"  a\n"+sum+"  b\n" {
		t.Errorf("%s, %v", got, err)
	}
}
