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

// flags of a fit beside a job server of Flink.
const flags = `set -e
flink="--steps 1 --factors 1 --runner flink --endpoint $PALATE_FLINK_JOB"
pool="--environment EXTERNAL --environment-config $PALATE_FLINK_POOL"
`

// fits are one with workers in the driver's process, one with workers of the pool, and one with a pool that is not there.
const fits = flags + `
"$0" fit loopback $flink -o loopback.palate
"$0" fit external $flink $pool -o external.palate
if "$0" fit lost $flink --environment EXTERNAL --environment-config localhost:1 -o lost.palate 2>lost.txt || [ -e lost.palate ]; then
	echo "a pool that is not there is not missed" >&2
	exit 1
fi
grep "environment EXTERNAL localhost:1" lost.txt
`

// kills are a fit with workers of the pool, of which one is killed in the middle of an evaluation, and the driver in
// the middle of another and after a third.
const kills = flags + `
begin() {
	"$0" fit external $flink $pool -o external.palate &
	driver=$!
}
await() {
	for _ in $(seq 60000); do
		[ ! -e "external/fit/$1" ] || return 0
		sleep 0.01
	done
	echo "external/fit/$1 does not come" >&2
	exit 1
}
kill_driver() {
	kill -KILL "$driver"
	wait "$driver" || true
	[ ! -e external.palate ]
}
worker() { for boot in $(pgrep -P "$PALATE_FLINK_WORKERS"); do pgrep -P "$boot" || true; done | head -n 1; }

begin
for n in 1 2 3; do
	await "query-0000$n"
	until [ -e "external/fit/told-0000$n" ] || { id=$(worker) && [ -n "$id" ]; }; do sleep 0.01; done
	if [ ! -e "external/fit/told-0000$n" ] && kill -KILL "$id" && [ ! -e "external/fit/told-0000$n" ]; then
		echo "worker killed in evaluation $n"
		break
	fi
done
await "query-0000$((n + 1))"
kill_driver
[ ! -e "external/fit/told-0000$((n + 1))" ] && echo "driver killed in evaluation $((n + 1))"
begin
await "told-0000$((n + 2))"
kill_driver
echo "driver killed after evaluation $((n + 2))"
begin
wait "$driver"
`

// A job server of Flink and a pool of workers, which cluster/flink/run starts, come to the bytes of prism.
func TestFlink(t *testing.T) {
	if testing.Short() {
		t.Skip("a job server takes its time to start")
	}
	folder := dealt(t, "prism", "loopback", "external", "lost")
	beside(t, folder, 8*time.Minute, fits)
	same(t, folder, "loopback")
	same(t, folder, "external")
}

// So they do whoever is killed under way.
func TestFlinkKilled(t *testing.T) {
	if os.Getenv("PALATE_KILLS") == "" {
		t.Skip("Flink may wait for minutes for a worker that was killed as it started; PALATE_KILLS=1 waits with it")
	}
	folder := dealt(t, "prism", "external")
	said := beside(t, folder, 30*time.Minute, kills)
	for _, want := range []string{"worker killed in evaluation", "driver killed in evaluation", "driver killed after evaluation"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s: %s", want, said)
		}
	}
	same(t, folder, "external")
}

// dealt returns a folder with deals of some votes by these names, of which the first is fitted on prism.
func dealt(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	votes(t, folder)
	for _, name := range names {
		must(t, program(folder, "deal", "votes.csv", "--shards", "3", "-o", name))
	}
	must(t, program(folder, "fit", names[0], "--steps", "1", "--factors", "1", "-o", "prism.palate"))
	return folder
}

// beside runs a script beside a job server and its workers, with the program as $0, and returns what it says. It
// skips the test where there is no Flink to be had.
func beside(t *testing.T, folder string, most time.Duration, script string) string {
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
	return string(out)
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
