package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script is what runs beside a job server of Flink: fits with workers in the driver's process, and with workers of the pool.
const script = `set -e
"$0" fit loopback --steps 1 --factors 1 --runner flink --endpoint "$PALATE_FLINK_JOB" -o loopback.palate
"$0" fit external --steps 1 --factors 1 --runner flink --endpoint "$PALATE_FLINK_JOB" --environment EXTERNAL --environment-config "$PALATE_FLINK_POOL" -o external.palate
`

// A job server of Flink and a pool of workers, which cluster/flink/run starts, come to the bytes of prism.
func TestFlink(t *testing.T) {
	if testing.Short() {
		t.Skip("a job server takes its time to start")
	}
	folder := t.TempDir()
	votes(t, folder)
	for _, name := range []string{"prism", "loopback", "external"} {
		must(t, program(folder, "deal", "votes.csv", "--shards", "3", "-o", name))
	}
	must(t, program(folder, "fit", "prism", "--steps", "1", "--factors", "1", "-o", "prism.palate"))
	beside(t, folder, 8*time.Minute, script)
	same(t, folder, "loopback")
	same(t, folder, "external")
}

// beside runs a script beside a job server and its workers, with the program as $0. It skips the test where there is
// no Flink to be had.
func beside(t *testing.T, folder string, most time.Duration, script string) {
	t.Helper()
	run, err := filepath.Abs("../flink/run")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, run, "with", "bash", "-c", script, os.Args[0])
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "PALATE_CLUSTER=run")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it stops what it started
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		t.Skipf("Flink cannot be had here: %s", bytes.TrimSpace(out))
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
}

// same holds a fit to that of prism: what was told after each evaluation, the last query and sites, and the model.
func same(t *testing.T, folder, name string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "prism", "fit", "*"))
	if err != nil || len(found) < 8 {
		t.Fatalf("%d files, %v", len(found), err)
	}
	for _, want := range append(found, filepath.Join(folder, "prism.palate")) {
		at, err := filepath.Rel(folder, want)
		if err != nil {
			t.Fatal(err)
		}
		one, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(folder, strings.Replace(at, "prism", name, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, other) {
			t.Errorf("%s: %s is another than on prism", name, at)
		}
	}
}
