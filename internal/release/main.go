package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// systems are those that there are binaries for.
const systems = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("o", "dist", "`FOLDER` to write to; what is in it goes")
	targets := flag.String("systems", systems, "`SYSTEMS` to build for, with commas between")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *out, strings.Split(*targets, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// source is what is released.
type source struct {
	commit string
	when   time.Time
}

func release(ctx context.Context, out string, targets []string) error {
	src, err := checkout(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "palate-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	common, version, err := documents(ctx, work, src)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("%s: write SYSTEM/ARCHITECTURE", target)
		}
		name := fmt.Sprintf("palate-%s-%s-%s", version, system, arch)
		binary := filepath.Join(work, name)
		if err := build(ctx, binary, system, arch, src); err != nil {
			return err
		}
		exe := "palate"
		if system == "windows" {
			exe = "palate.exe"
		}
		files := append([]member{{name: exe, path: binary, mode: 0o755}}, common...)
		if err := pack(filepath.Join(out, name), system == "windows", files, src.when); err != nil {
			return err
		}
		if err := writeBill(filepath.Join(out, name+".cdx.json"), binary, version, src.when); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return writeSums(out)
}

// checkout says what is checked out.
func checkout(ctx context.Context) (source, error) {
	git := func(args ...string) (string, error) {
		text, err := exec.CommandContext(ctx, "git", args...).Output()
		return strings.TrimSpace(string(text)), err
	}
	head, err := git("rev-parse", "HEAD")
	if err != nil {
		return source{}, fmt.Errorf("not a checkout of git: %w", err)
	}
	when, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return source{}, err
	}
	seconds, err := strconv.ParseInt(when, 10, 64)
	if err != nil {
		return source{}, err
	}
	changes, err := git("status", "--porcelain")
	if err != nil {
		return source{}, err
	}
	if changes != "" {
		head += "+changes"
	}
	return source{head, time.Unix(seconds, 0).UTC()}, nil
}

// build builds the binary of one system.
func build(ctx context.Context, path, system, arch string, src source) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= -X main.commit="+src.commit, "-o", path, "./cmd/palate")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s/%s: %w", system, arch, err)
	}
	return nil
}

// documents returns what archives hold beside the binary: completions and manual pages, by
// the binary of this machine, whose version it returns.
func documents(ctx context.Context, work string, src source) (files []member, version string, err error) {
	host := filepath.Join(work, "host")
	if err := build(ctx, host, runtime.GOOS, runtime.GOARCH, src); err != nil {
		return nil, "", err
	}
	says, err := exec.CommandContext(ctx, host, "version").Output()
	if err != nil {
		return nil, "", err
	}
	words := strings.FieldsFunc(string(says), func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) < 2 {
		return nil, "", fmt.Errorf("palate version says %q", says)
	}
	for shell, name := range map[string]string{"bash": "palate.bash", "zsh": "_palate", "fish": "palate.fish", "powershell": "palate.ps1"} {
		text, err := exec.CommandContext(ctx, host, "completion", shell).Output()
		if err != nil {
			return nil, "", err
		}
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return nil, "", err
		}
		files = append(files, member{"completions/" + name, path, 0o644})
	}
	manual := filepath.Join(work, "man")
	if err := exec.CommandContext(ctx, host, "man", "-q", manual).Run(); err != nil {
		return nil, "", err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "man*", "*"))
	if err != nil {
		return nil, "", err
	}
	for _, page := range pages {
		at, err := filepath.Rel(work, page)
		if err != nil {
			return nil, "", err
		}
		files = append(files, member{filepath.ToSlash(at), page, 0o644})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		files = append(files, member{name, name, 0o644})
	}
	slices.SortFunc(files, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return files, words[1], nil
}

// writeSums writes the checksums of the files in a folder, as sha256sum -c reads them.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder) // in the order of names
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(text.String()), 0o666)
}
