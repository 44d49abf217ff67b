package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/bench"
)

// benchmark is the command that measures this machine.
type benchmark struct {
	only []string
	json bool
	out  string
}

func newBench() *cobra.Command {
	b := &benchmark{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast palate computes on this machine",
		Long: `Measure the standard workloads on one core: dense algebra, kernel matrices, the
normal distribution, and pieces of inference. For each: seconds, GFLOP/s, the
share of the peak that this machine reaches on multiply-adds in registers, and
how many times faster it is than plain gonum (or, where gonum has nothing, than
the form as it is written) and than palate without assembly; pieces of inference are
compared with the latter only. All are taken in turns in one run, so the ratios hold on
a busy machine too.

Workloads:
  ` + wrapped(bench.Names()),
		Example: `  go run ./lab bench
  go run ./lab bench --only gemm500,ep400 --json`,
		Args: cli.Needs(0, 0, ""),
		RunE: b.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&b.only, "only", nil, "`NAMES` of workloads, instead of all")
	f.BoolVar(&b.json, "json", false, "print JSON")
	f.StringVarP(&b.out, "output", "o", "-", "write to this `FILE`")
	return cmd
}

func (b *benchmark) run(cmd *cobra.Command, _ []string) error {
	names := bench.Names()
	if len(b.only) > 0 {
		for _, n := range b.only {
			if !slices.Contains(names, n) {
				return cli.Usage("--only %q is not one of %s", n, strings.Join(names, ", "))
			}
		}
		names = b.only
	}
	to, err := cli.Create(b.out)
	if err != nil {
		return err
	}
	defer to.Discard()
	var doc struct {
		Peak    float64             `json:"peak_gflops"`
		Results []bench.Measurement `json:"results"`
	}
	doc.Peak = bench.Peak()
	if err = bench.Run(cmd.Context(), names, doc.Peak, func(m bench.Measurement) { doc.Results = append(doc.Results, m) }); err != nil {
		return err
	}
	if b.json {
		e := json.NewEncoder(to)
		e.SetIndent("", "  ")
		if err := e.Encode(doc); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(to, "peak of one core: %.1f GFLOP/s\n\n", doc.Peak)
		fmt.Fprintf(to, "%-14s %12s %9s %8s %9s %8s %9s\n", "workload", "seconds", "GFLOP/s", "of peak", "vs gonum", "vs twin", "vs dense")
		for _, m := range doc.Results {
			rate, share := "", ""
			if m.GFlops > 0 {
				rate, share = fmt.Sprintf("%.1f", m.GFlops), fmt.Sprintf("%.0f%%", 100*m.OfPeak)
			}
			fmt.Fprintf(to, "%-14s %12.3g %9s %8s %9s %8s %9s\n", m.Name, m.Seconds, rate, share, times(m.VsGonum), times(m.VsTwin), times(m.VsDense))
		}
	}
	return to.Commit(cmd.Context())
}

// wrapped lists words in lines of moderate length, indented.
func wrapped(words []string) string {
	var lines []string
	line := ""
	for _, w := range words {
		if len(line)+len(w) > 70 {
			lines, line = append(lines, line), ""
		}
		line += w + " "
	}
	return strings.Join(append(lines, line), "\n  ")
}

// times shows a ratio, or nothing when there was nothing to compare with.
func times(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f×", x)
}
