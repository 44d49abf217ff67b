package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
)

// spoil changes a byte of a file near its end.
func spoil(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatal(pattern, err)
	}
	return found[len(found)-1]
}

// What is wrong with a folder, a worker or a runner is said, with what to do.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	votes := made(t, 20, 6, 8, false)
	fit := func(d *Deal) error {
		_, err := Fitting{Factors: 1}.Run(ctx, prism, d)
		return err
	}
	again := func(d *Deal) error {
		d, err := OpenDeal(ctx, d.folder)
		if err == nil {
			err = fit(d)
		}
		return err
	}
	top := func(d *Deal) error {
		f, err := OpenFit(ctx, d)
		if err == nil {
			err = Top{Number: 1, Format: "csv"}.Write(ctx, prism, f, t.TempDir())
		}
		return err
	}
	closed, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	cases := []struct {
		name string
		do   func(d *Deal) error
		want []string
	}{
		{"shard missing", func(d *Deal) error {
			os.Remove(shardFile(d.folder, 1, 2))
			return again(d)
		}, []string{"shard 1 of 2 is missing", "deal the votes again"}},
		{"shard lost under way", func(d *Deal) error {
			os.Remove(shardFile(d.folder, 1, 2))
			return fit(d)
		}, []string{"shard 1 is missing", "deal the votes again"}},
		{"shard damaged", func(d *Deal) error {
			spoil(t, shardFile(d.folder, 0, 2))
			return again(d)
		}, []string{"shard-00000-of-00002", "checksum", "damaged", "deal the votes again"}},
		{"shard of another deal", func(d *Deal) error {
			other := dealAll(t, made(t, 21, 6, 8, false), Dealing{Shards: 2})
			data, err := os.ReadFile(shardFile(other.folder, 0, 2))
			if err == nil {
				err = os.WriteFile(shardFile(d.folder, 0, 2), data, 0o644)
			}
			if err != nil {
				return err
			}
			return again(d)
		}, []string{"another deal"}},
		{"shard is something else", func(d *Deal) error {
			os.WriteFile(shardFile(d.folder, 0, 2), []byte("user,left,right,winner\n"), 0o644)
			return again(d)
		}, []string{"no file of palate-cluster"}},
		{"deal damaged", func(d *Deal) error {
			os.WriteFile(dealFile(d.folder), []byte("{"), 0o644)
			return again(d)
		}, []string{"deal.json", "damaged", "deal the votes again"}},
		{"no deal", func(d *Deal) error { _, err := OpenDeal(ctx, t.TempDir()); return err }, []string{"no votes were dealt to this folder"}},
		{"no fit", top, []string{"there is no fit of this deal", "palate-cluster fit"}},
		{"other settings", func(d *Deal) error {
			if err := fit(d); err != nil {
				return err
			}
			_, err := Fitting{Factors: 2}.Run(ctx, prism, d)
			return err
		}, []string{"other settings", "remove"}},
		{"sites damaged", func(d *Deal) error {
			if err := fit(d); err != nil {
				return err
			}
			spoil(t, only(t, d.fitFolder()+"/sites-*-00001"))
			return top(d)
		}, []string{"sites-", "checksum", "begin afresh"}},
		{"evaluation damaged", func(d *Deal) error {
			if err := fit(d); err != nil {
				return err
			}
			spoil(t, only(t, d.fitFolder()+"/told-*"))
			return fit(d)
		}, []string{"told-", "checksum", "begin afresh"}},
		{"worker of another version", func(d *Deal) error {
			return prism.run(ctx, "stamp", func(s beam.Scope) {
				writing(s, &topFn{user: user{Stamp: "format 0, version v0"}}, numbers(s, 1))
			})
		}, []string{"a worker is of another palate-cluster", "start the workers with the driver's binary"}},
		{"no such runner", func(d *Deal) error { return Runner{Name: "spork"}.Check() }, []string{"no runner", "prism, flink"}},
		{"no job server named", func(d *Deal) error { return Runner{Name: "flink"}.Check() }, []string{"--endpoint"}},
		{"job server away", func(d *Deal) error { return Runner{Name: "flink", Endpoint: closed.Addr().String()}.Check() }, []string{"no job server answers at", "start one"}},
		{"another server", func(d *Deal) error { return Runner{Name: "flink", Endpoint: web.Listener.Addr().String()}.Check() }, []string{"is no job server", "--endpoint"}},
		{"no such environment", func(d *Deal) error {
			return Runner{Name: "flink", Endpoint: "localhost:1", Environment: "BARN"}.Check()
		}, []string{`no environment "BARN"`, "EXTERNAL"}},
		{"no pool named", func(d *Deal) error {
			return Runner{Name: "flink", Endpoint: "localhost:1", Environment: "EXTERNAL"}.Check()
		}, []string{"--environment-config host:port"}},
		{"no project named", func(d *Deal) error { return Runner{Name: "dataflow"}.Check() }, []string{"--option project=PROJECT"}},
		{"a feature that the runner lacks", func(d *Deal) error {
			return prism.run(ctx, "lacking", func(s beam.Scope) {
				beam.External(s, "palate:transform:nonesuch", []byte("x"), []beam.PCollection{numbers(s, 1)}, []beam.FullType{typex.New(reflectx.Int)}, false)
			})
		}, []string{"lacks a feature", "another runner"}},
		{"no such option", func(d *Deal) error { return Runner{Name: "prism", Options: []string{"colour=red"}}.run(ctx, "x", nil) }, []string{"--option colour=red"}},
		{"no votes held out", func(d *Deal) error {
			if err := fit(d); err != nil {
				return err
			}
			f, err := OpenFit(ctx, d)
			if err == nil {
				_, err = f.Evaluate(ctx, prism, nil, Reading{})
			}
			return err
		}, []string{"--hold-out"}},
		{"no such file", func(d *Deal) error {
			_, err := Dealing{Shards: 1}.Make(ctx, prism, []string{d.folder + "/nothing-*.csv"}, t.TempDir())
			return err
		}, []string{"nothing-*.csv", "no such file"}},
		{"no votes", func(d *Deal) error {
			path := filepath.Join(t.TempDir(), "x.csv")
			os.WriteFile(path, []byte("a,b,c\n1,2,3\n"), 0o644)
			_, err := Dealing{Shards: 1}.Make(ctx, prism, []string{path}, t.TempDir())
			return err
		}, []string{"x.csv"}},
		{"a file of a file system that is not there", func(d *Deal) error {
			_, err := Dealing{Shards: 1}.Make(ctx, prism, []string{"ftp://host/x.csv"}, t.TempDir())
			return err
		}, []string{"ftp"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(dealAll(t, votes, Dealing{Shards: 2}))
			if err == nil {
				t.Fatal("nothing is said")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "<<palate") || strings.Contains(err.Error(), "goroutine") {
				t.Errorf("%q shows how it came about", err)
			}
		})
	}
}

// brittleFn breaks down, without a word of what is wrong, until a folder has so many files.
type brittleFn struct {
	Folder string
	Times  int
}

func (f *brittleFn) ProcessElement(int) error {
	found, _ := filepath.Glob(f.Folder + "/*")
	if len(found) == f.Times {
		return nil
	}
	return errors.Join(errors.New("gone"), os.WriteFile(fmt.Sprintf("%s/%d", f.Folder, len(found)), nil, 0o644))
}

func init() { beam.RegisterDoFn(&brittleFn{}) }

// A pipeline that breaks down with its runner is run again, but not for ever.
func TestRunnerBreaksDown(t *testing.T) {
	for times, want := range map[int]bool{0: true, 2: true, 3: false} {
		folder := t.TempDir()
		err := prism.run(context.Background(), "brittle", func(s beam.Scope) {
			beam.ParDo0(s, &brittleFn{folder, times}, numbers(s, 1))
		})
		if want != (err == nil) {
			t.Errorf("breaking down %d times: %v", times, err)
		}
	}
}

// Bad rows are left out, counted, and written aside with file, line and reason.
func TestBadRows(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "votes.csv")
	if err := os.WriteFile(path, []byte("user,left,right,winner\nann,a,b,left\nann,a,a,left\nbob,a,b,purple\nbob,b,c,right\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Dealing{Shards: 2}.Make(context.Background(), prism, []string{path}, filepath.Join(folder, "crowd"))
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Sources[0]; s.Rows != 4 || s.Votes != 2 || s.Bad != 2 || d.Persons() != 2 {
		t.Errorf("%+v, %d persons", s, d.Persons())
	}
	said, err := os.ReadFile(badFile(d.folder, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"file,line,column,reason", "votes.csv,3,", "votes.csv,4,", "purple"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
}
