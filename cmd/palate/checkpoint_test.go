package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledFitGoesOn kills a fit after its first checkpoint. Run again, it ends
// with the same file as one that was left alone.
func TestKilledFitGoesOn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("palate", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("simulate", "--model", "population", "--users", "150", "--items", "210", "--votes", "6000", "--seed", "3", "-o", at("votes.csv"))
	fit := func(out string, more ...string) []string {
		return append([]string{"fit", at("votes.csv"), "--model", "population", "-o", at(out)}, more...)
	}
	run(fit("whole.palate")...)
	long := fit("resumed.palate", "--checkpoint", at("state"), "--checkpoint-every", "1ns")
	cmd := exec.Command("palate", long...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(at("state")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := os.Stat(at("resumed.palate")); err == nil {
		t.Fatal("the fit was done before it could be killed")
	}
	if said := run(long...); !strings.Contains(said, "note: going on from "+at("state")) {
		t.Errorf("said %q", said)
	}
	whole, err := os.ReadFile(at("whole.palate"))
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := os.ReadFile(at("resumed.palate"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole, resumed) {
		t.Error("the resumed fit ends elsewhere")
	}
	if _, err := os.Stat(at("state")); err == nil {
		t.Error("the checkpoint is still there")
	}
}
