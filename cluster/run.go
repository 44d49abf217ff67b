package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobs "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Runner is where pipelines run.
type Runner struct {
	Name        string   // prism, in this process, unless another of Runners
	Endpoint    string   // of a job server, host:port
	Environment string   // how workers run: LOOPBACK, EXTERNAL, PROCESS or DOCKER
	Config      string   // configuration of Environment
	Options     []string // further options of Beam, name=value
	Workers     int      // goroutines of a shard; 0: as many as there are processors
}

// Runners lists those there are.
func Runners() []string { return []string{"prism", "flink", "spark", "dataflow", "universal"} }

// Start makes Beam ready, once in a process. In a process that a runner started as a worker it does
// not return.
func Start() {
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what goes wrong is in the error of a run
}

// Worker reports whether a runner started this process as a worker, and reads its command line if so. The worker then
// ends with the process that started it.
func Worker(args []string) bool {
	for _, arg := range args {
		if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") && name == "worker" {
			flag.Parse()
			go endWith(os.Getppid())
			return true
		}
	}
	return false
}

// endWith ends this process when its parent is gone. Beam's worker stays for ever when its work is done, and a pool of
// workers ends the boot program alone: there would be one more process, and a copy of the program, after every pipeline.
func endWith(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	if path, err := os.Executable(); err == nil && filepath.Base(path) == "worker" && strings.HasPrefix(filepath.Base(filepath.Dir(path)), "bin") {
		os.Remove(path) // the copy that boot made for this process
		os.Remove(filepath.Dir(path))
	}
	os.Exit(0)
}

// Check tells early what is wrong with how pipelines are to run.
func (r Runner) Check() error {
	known := false
	for _, name := range Runners() {
		known = known || r.Name == name
	}
	switch {
	case !known:
		return fmt.Errorf("there is no runner %q: it is one of %s", r.Name, strings.Join(Runners(), ", "))
	case r.Name == "prism":
		return nil
	case r.Name == "dataflow":
		return r.checkDataflow()
	case r.Endpoint == "":
		return fmt.Errorf("runner %s: name its job server with --endpoint host:port", r.Name)
	}
	if err := r.checkEnvironment(); err != nil {
		return err
	}
	return r.checkServer()
}

// checkDataflow asks for what Dataflow cannot do without.
func (r Runner) checkDataflow() error {
	for _, need := range []string{"project=PROJECT", "region=REGION", "staging_location=gs://BUCKET/FOLDER"} {
		name, _, _ := strings.Cut(need, "=")
		if !slices.ContainsFunc(r.Options, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			return fmt.Errorf("runner dataflow: it needs --option %s", need)
		}
	}
	return nil
}

// checkEnvironment asks how workers run.
func (r Runner) checkEnvironment() error {
	switch r.Environment {
	case "", "LOOPBACK", "DOCKER":
		return nil
	case "EXTERNAL":
		if r.Config == "" {
			return errors.New("environment EXTERNAL: name where workers are started with --environment-config host:port")
		}
		return nil
	case "PROCESS":
		if r.Config == "" {
			return errors.New(`environment PROCESS: name what starts a worker with --environment-config '{"command":"/path/to/boot"}'`)
		}
		return nil
	}
	return fmt.Errorf("there is no environment %q: it is one of LOOPBACK, EXTERNAL, PROCESS, DOCKER", r.Environment)
}

// checkServer looks whether a job server answers. Beam itself would wait for minutes for one that does not.
func (r Runner) checkServer() error {
	c, err := net.DialTimeout("tcp", r.Endpoint, 5*time.Second)
	if err != nil {
		return fmt.Errorf("runner %s: no job server answers at %s: start one, or name another with --endpoint (%w)", r.Name, r.Endpoint, err)
	}
	c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	server, err := grpcx.Dial(ctx, r.Endpoint, 10*time.Second)
	if err == nil {
		defer server.Close()
		if _, err = jobs.NewJobServiceClient(server).GetJobs(ctx, &jobs.GetJobsRequest{}); err == nil {
			return nil
		}
	}
	return fmt.Errorf("runner %s: what answers at %s is no job server of Beam: name its job port with --endpoint (%w)", r.Name, r.Endpoint, err)
}

// set hands the settings to Beam, which keeps them for the process.
func (r Runner) set(job string) error {
	if r.Name != "prism" {
		*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = r.Endpoint, r.Environment, r.Config
	}
	*jobopts.JobName = job
	for _, o := range r.Options {
		name, value, _ := strings.Cut(o, "=")
		if err := flag.Set(name, value); err != nil {
			return fmt.Errorf("--option %s: %w", o, err)
		}
	}
	if r.Name != "prism" && r.Environment != "LOOPBACK" && *jobopts.WorkerBinary == "" { // workers run this program, unless told otherwise
		path, err := os.Executable()
		if err != nil {
			return err
		}
		*jobopts.WorkerBinary = path
	}
	return nil
}

// run builds a pipeline and runs it to its end. Pipelines write files that are whole or not there, the same ones every
// time, so that one that broke down with its runner is run again, three times in all.
func (r Runner) run(ctx context.Context, job string, build func(s beam.Scope)) (err error) {
	for range 3 {
		if err = r.once(ctx, job, build); !errors.As(err, new(*broken)) {
			break
		}
	}
	return err
}

func (r Runner) once(ctx context.Context, job string, build func(s beam.Scope)) (err error) {
	defer func() {
		if p := recover(); p != nil { // how Beam says that a pipeline makes no sense
			err = fmt.Errorf("runner %s: %v", r.Name, p)
		}
	}()
	if err := r.set("palate-" + job); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	build(s)
	_, err = beam.Run(ctx, r.Name, p)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said := marked.FindStringSubmatch(err.Error()); said != nil {
		return errors.New(said[1])
	}
	said := err.Error()
	if at := strings.LastIndex(said, "panic: "); at >= 0 {
		said, _, _ = strings.Cut(said[at:], "\n")
	}
	said = said[:min(len(said), 1000)]
	if lacks.MatchString(said) {
		return fmt.Errorf("runner %s lacks a feature that the pipeline needs: take a newer version of it, or another runner, as --runner prism (%s)", r.Name, said)
	}
	if r.Name != "prism" {
		said += fmt.Sprintf("; look into the log of the job server, and whether it can start workers as it is told: environment %s %s", r.Environment, r.Config)
	}
	return &broken{fmt.Errorf("runner %s: %s", r.Name, strings.TrimSpace(said))}
}

// lacks finds that a runner cannot do what it is asked, however often it is asked.
var lacks = regexp.MustCompile(`(?i)unimplemented|unsupported|(not|n't) (yet |currently )?support`)

// broken is the error of a runner, such as that a worker is gone, as against what palate-cluster found wrong.
type broken struct{ error }

// marked finds what failed said in what a runner makes of it.
var marked = regexp.MustCompile(`(?s)<<palate: (.*?)>>`)

// failed marks an error on a worker, so that the driver can tell it from what the runner adds. It is nil
// of nil.
func failed(format string, args ...any) error {
	if err, ok := args[len(args)-1].(error); format == "%w" && (!ok || err == nil) {
		return nil
	}
	return fmt.Errorf("<<palate: %w>>", fmt.Errorf(format, args...))
}

// stamp names the version of this program; formats are those of its files and of what is sent.
func stamp() string {
	version := "?"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				version = s.Value
			}
		}
	}
	return fmt.Sprintf("format %d, version %s", format, version)
}

// format is that of all files of this package.
const format = 1

// checkStamp refuses to work for a driver of another version.
func checkStamp(driver string) error {
	if here := stamp(); driver != here {
		return failed("a worker is of another palate-cluster (%s) than the driver (%s): start the workers with the driver's binary", here, driver)
	}
	return nil
}
