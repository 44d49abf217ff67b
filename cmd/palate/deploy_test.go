package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// directives are the lines of a file of deploy, as names and values in order.
func directives(t *testing.T, name, between string) (all [][2]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" && line[0] != '#' && line[0] != '[' {
			key, value, _ := strings.Cut(line, between)
			all = append(all, [2]string{key, strings.TrimSpace(value)})
		}
	}
	return all
}

// known fails for variables that are no settings of the server, and returns them as they
// are below a folder that stands for the root.
func known(t *testing.T, variables []string, below func(string) string) (env []string) {
	t.Helper()
	var names []string
	for _, f := range serveSettings(newServe()) {
		names = append(names, variableOf(f.Name))
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		if !slices.Contains(names, name) {
			t.Errorf("%s is no setting", name)
		}
		env = append(env, name+"="+below(value))
	}
	return env
}

// serves starts the server with an environment that has nothing but some settings, in a
// folder, and returns what it has written below a root once it has answered and ended.
func serves(t *testing.T, root, dir string, env []string, args ...string) (written []string) {
	t.Helper()
	self, err := exec.LookPath("palate") // see TestMain
	if err != nil {
		t.Fatal(err)
	}
	address := filepath.Join(t.TempDir(), "address")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, append(args, "--address-file", address, "--addr", "127.0.0.1:0")...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var at []byte
	for range 600 {
		if at, err = os.ReadFile(address); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	answer, err := http.Get(string(at) + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("it is not ready: %d", answer.StatusCode)
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rest, _ := filepath.Rel(root, path)
			written = append(written, rest)
		}
		return err
	})
	slices.Sort(written)
	return written
}

// TestContainer: in the layout of the container file, with its environment and no other
// file or variable, the server comes up and writes into its volume alone.
func TestContainer(t *testing.T) {
	root := t.TempDir()
	below := func(path string) string {
		if strings.HasPrefix(path, "/") {
			return root + path
		}
		return path
	}
	var variables, volumes, entry []string
	user, dir, from := "", "", ""
	for _, d := range directives(t, "Containerfile", " ") {
		switch d[0] {
		case "FROM":
			from = d[1]
		case "COPY":
			if to := strings.Fields(d[1]); len(to) != 2 || !strings.HasPrefix(to[1], "/") {
				t.Errorf("COPY %s", d[1])
			}
		case "USER":
			user = d[1]
		case "VOLUME":
			volumes = append(volumes, d[1])
			if err := os.MkdirAll(below(d[1]), 0o700); err != nil {
				t.Fatal(err)
			}
		case "WORKDIR":
			dir = below(d[1])
		case "ENV":
			variables = append(variables, d[1])
		case "EXPOSE":
		case "ENTRYPOINT":
			if err := json.Unmarshal([]byte(d[1]), &entry); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not looked at", d[0])
		}
	}
	if from != "scratch" || user == "" || strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") || len(volumes) != 1 || !slices.Equal(entry, []string{"/palate", "serve"}) {
		t.Errorf("from %s, user %s, volumes %v, %v", from, user, volumes, entry)
	}
	written := serves(t, root, dir, known(t, variables, below), entry[1:]...)
	if !slices.Equal(written, []string{"data/key", "data/palate.db"}) {
		t.Errorf("it has written %v", written)
	}
}

// TestUnit: the unit keeps to what it is hardened by, names settings that there are, and
// its command comes up with nothing but the folder of its state to write to.
func TestUnit(t *testing.T) {
	root := t.TempDir()
	state, credentials := filepath.Join(root, "state"), filepath.Join(root, "credentials")
	for _, dir := range []string{filepath.Join(state, "palate"), credentials} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(credentials, "palate.conf"), []byte("# none\nvotes-per-minute = 60\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("%S", state, "%d", credentials).Replace
	set := map[string]string{}
	for _, d := range directives(t, "palate.service", "=") {
		set[d[0]] += d[1] + ";"
	}
	for name, want := range map[string]string{
		"DynamicUser": "yes;", "NoNewPrivileges": "yes;", "CapabilityBoundingSet": ";", "ProtectSystem": "strict;", "ProtectHome": "yes;", "PrivateTmp": "yes;", "PrivateDevices": "yes;",
		"MemoryDenyWriteExecute": "yes;", "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX;", "SystemCallFilter": "@system-service;~@privileged @resources;", "UMask": "0077;",
		"RestrictNamespaces": "yes;", "LockPersonality": "yes;", "StateDirectory": "palate;", "KillSignal": "SIGINT;",
	} {
		if set[name] != want {
			t.Errorf("%s is %q, not %q", name, set[name], want)
		}
	}
	command := strings.Fields(fill(strings.TrimSuffix(set["ExecStart"], ";")))
	if command[0] != "/usr/local/bin/palate" || command[1] != "serve" {
		t.Fatalf("it starts %v", command)
	}
	flags := newServe().Flags()
	if err := flags.Parse(command[2:]); err != nil {
		t.Fatal(err)
	}
	flags.Visit(func(f *pflag.Flag) {
		if f.Name != "config" {
			t.Errorf("--%s is not of the configuration", f.Name)
		}
	})
	written := serves(t, state, filepath.Join(state, "palate"), known(t, strings.Fields(strings.TrimSuffix(set["Environment"], ";")), fill), command[1:]...)
	if !slices.Equal(written, []string{"palate/key", "palate/palate.db"}) {
		t.Errorf("it has written %v", written)
	}
	if path, err := exec.LookPath("systemd-analyze"); err == nil {
		if text, err := exec.Command(path, "verify", "--man=no", "../../deploy/palate.service").CombinedOutput(); err != nil && !strings.Contains(string(text), "/usr/local/bin/palate is not executable") {
			t.Errorf("%v: %s", err, text)
		}
	}
}
