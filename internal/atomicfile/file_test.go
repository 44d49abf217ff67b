package atomicfile

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func want(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("%s: %q, %v; want %q", path, got, err, text)
	}
}

// TestCommitOrDiscard finds a file as it was until it is whole.
func TestCommitOrDiscard(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Skip(err)
	}
	for _, commit := range []bool{false, true} {
		f, err := Create(link)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		want(t, path, "old")
		if commit {
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			want(t, path, "new")
		}
		f.Discard()
		if got := list(t, dir); len(got) != 2 {
			t.Errorf("left behind: %v", got)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("another mode than before")
	}
	if _, err := Create(dir); err == nil {
		t.Error("a folder can be written")
	}
	if f, err := Unnamed(dir); err != nil {
		t.Error(err)
	} else if f.Close(); len(list(t, dir)) != 2 {
		t.Error("an unnamed file has a name")
	}
	if n := len(pending.undos); n != 0 {
		t.Errorf("%d things to undo are left", n)
	}
}

// TestReadBack sees what was written, and no more, however often it looks.
func TestReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	whole := ""
	for _, part := range []string{"ab", "", "c"} {
		f.Write([]byte(part))
		whole += part
		if err := f.ReadBack(t.Context(), func(r io.ReaderAt, size int64) error {
			got, err := io.ReadAll(io.NewSectionReader(r, 0, size))
			if string(got) != whole {
				t.Errorf("read back %q, want %q", got, whole)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	garbled := errors.New("garbled")
	if err := f.ReadBack(t.Context(), func(io.ReaderAt, int64) error { return garbled }); !errors.Is(err, garbled) {
		t.Errorf("error %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	want(t, path, whole)
}

// TestSettle keeps what failed.
func TestSettle(t *testing.T) {
	u := OnExit(func() {})
	if err := u.Settle(func() error { return errors.New("no") }); err == nil || len(pending.undos) != 1 {
		t.Errorf("%v, %d left", err, len(pending.undos))
	}
	if err := u.Settle(nil); err != nil || len(pending.undos) != 0 {
		t.Errorf("%v, %d left", err, len(pending.undos))
	}
}

// TestExit ends a process while files are under way.
func TestExit(t *testing.T) {
	if dir := os.Getenv("ASIDE_EXIT"); dir != "" {
		OnExit(func() { os.WriteFile(filepath.Join(dir, "undone"), nil, 0o666) })
		for _, name := range []string{"kept", "whole", "half"} {
			f, err := Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			f.Write([]byte("new"))
			if name == "whole" {
				f.Commit()
			}
		}
		Exit(7)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestExit$")
	cmd.Env = append(os.Environ(), "ASIDE_EXIT="+dir)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("exit code %d, %v", cmd.ProcessState.ExitCode(), err)
	}
	if got := list(t, dir); len(got) != 3 {
		t.Errorf("%v is there, in place of kept, undone and whole", got)
	}
	want(t, filepath.Join(dir, "kept"), "old")
	want(t, filepath.Join(dir, "whole"), "new")
}
