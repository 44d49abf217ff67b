package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/model"
)

// learning are the flags of a long fit of a population.
type learning struct {
	checkpoint, trace string
	every             time.Duration
	holdOut           float64
	memory, onDisk    string
}

func (l *learning) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.checkpoint, "checkpoint", "", "keep the state of a population fit in this `FILE`, and go on from it when it is there; the result is the same as without a break")
	f.DurationVar(&l.every, "checkpoint-every", 2*time.Minute, "`TIME` between checkpoints")
	f.StringVar(&l.trace, "trace", "", "write a line a step to this `FILE`: evaluations,seconds,objective,evidence,held_out")
	f.Float64Var(&l.holdOut, "hold-out", 0, "hold out this `SHARE` of each voter's votes, do not learn from them, and show their loss")
	f.StringVar(&l.memory, "memory", "8GB", "most `MEMORY` that a population fit may take")
	f.StringVar(&l.onDisk, "on-disk", "", "keep votes on disk, in this `FOLDER`, when they do not fit in memory")
}

// check refuses values that make no sense.
func (l *learning) check(cmd *cobra.Command) error {
	if l.memory != "" { // a command without these flags has none
		if _, err := bytesOf(l.memory); err != nil {
			return err
		}
	}
	switch {
	case !(l.holdOut >= 0 && l.holdOut < 1):
		return cli.Usage("--hold-out %v is not a share from 0 to below 1", l.holdOut)
	case l.every < 0:
		return cli.Usage("--checkpoint-every %v is negative", l.every)
	case l.checkpoint == "":
		return without(cmd, []string{"checkpoint-every"}, "there are no checkpoints without --checkpoint")
	}
	return nil
}

// bytesOf reads an amount of memory such as 500MB or 1.5GB.
func bytesOf(s string) (float64, error) {
	number, unit := strings.ToUpper(s), 1.0
	for _, u := range []struct {
		name string
		size float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}} {
		if strings.HasSuffix(number, u.name) {
			number, unit = strings.TrimSuffix(number, u.name), u.size
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return 0, cli.Usage("--memory %q is not an amount such as 500MB or 4GB", s)
	}
	return x * unit, nil
}

// options adds what the flags say.
func (l *learning) options(cmd *cobra.Command, o *model.Settings) (err error) {
	if cmd.Flags().Changed("memory") {
		if o.MaxMemory, err = bytesOf(l.memory); err != nil {
			return err
		}
	}
	o.HoldOut = l.holdOut
	if o.Checkpoint = l.checkpoint; l.checkpoint != "" {
		o.CheckpointEvery = max(l.every, 1)
	}
	return nil
}

// follow tells what a long fit will take and writes its trace, which close ends.
func (l *learning) follow(o *model.Settings, c *cli.Console) (close func() error, err error) {
	if o.Checkpoint != "" {
		if _, err := os.Stat(o.Checkpoint); err == nil {
			c.Note("going on from %s", o.Checkpoint)
		}
	}
	o.Plan = func(n model.Need) {
		if n.Disk > 0 || n.Memory > 1e9 {
			c.Note("learning takes up to %s of memory (items %s, votes %s, work %s)%s", size(n.Memory), size(n.Items), size(n.Votes), size(n.Working), onDisk(n))
		}
	}
	if l.trace == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(l.trace)
	if err != nil {
		return nil, cli.Unwritable(l.trace, err)
	}
	w := csv.NewWriter(f)
	w.Write([]string{"evaluations", "seconds", "objective", "evidence", "held_out"})
	start, show := time.Now(), o.Progress
	o.Progress = func(p model.Progress) {
		number := func(x float64, digits int) string {
			if math.IsNaN(x) {
				return ""
			}
			return strconv.FormatFloat(x, 'f', digits, 64)
		}
		w.Write([]string{strconv.Itoa(p.Round), number(time.Since(start).Seconds(), 2), number(p.Objective, 4), number(p.Evidence, 4), number(p.HeldOut, 5)})
		w.Flush()
		if show != nil {
			show(p)
		}
	}
	return func() error {
		w.Flush()
		if err := w.Error(); err != nil {
			return cli.Unwritable(l.trace, err)
		}
		return f.Close()
	}, nil
}

func onDisk(n model.Need) string {
	if n.Disk == 0 {
		return ""
	}
	return " and " + size(n.Disk) + " on disk"
}

func size(bytes float64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", bytes/1e6)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}
