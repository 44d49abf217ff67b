package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"palate/internal/cli"
)

// crowd is voters with tastes: a utility of everybody, factors by which voters differ, and a taste of each voter for each item.
// A voter's votes hang on the seed and the voter's number alone, so that nothing is held but the items.
type crowd struct {
	voters, each, items int
	seed                uint64
}

func (c *crowd) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&c.voters, "voters", 20000, "`NUMBER` of voters")
	f.IntVar(&c.each, "each", 50, "`NUMBER` of votes of each")
	f.IntVar(&c.items, "items", 2000, "`NUMBER` of items")
	f.Uint64Var(&c.seed, "seed", 1, "`SEED` of all randomness")
}

const (
	factors = 5
	own     = 0.5 // deviation of a voter's own taste
)

// say calls f with the votes of voters lo to hi, one after the other.
func (c *crowd) say(lo, hi int, f func(voter, left, right int, leftWins bool) error) error {
	rng := rand.New(rand.NewPCG(c.seed, 0))
	loads := make([]float64, c.items*(1+factors))
	for k := range loads {
		loads[k] = rng.NormFloat64()
		if k%(1+factors) > 0 {
			loads[k] *= 0.6
		}
	}
	var taste [factors]float64
	for u := lo; u < hi; u++ {
		of := rand.New(rand.NewPCG(c.seed, uint64(u)+1))
		for k := range taste {
			taste[k] = of.NormFloat64()
		}
		tastes := of.Uint64()
		utility := func(item int) float64 {
			row := loads[item*(1+factors) : (item+1)*(1+factors)]
			x := row[0]
			for k, t := range taste {
				x += t * row[1+k]
			}
			return x + own*rand.New(rand.NewPCG(tastes, uint64(item))).NormFloat64()
		}
		for range c.each {
			i := of.IntN(c.items)
			j := (i + 1 + of.IntN(c.items-1)) % c.items
			if err := f(u, i, j, utility(i)-utility(j)+of.NormFloat64() > 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// width is how many digits names have, so that they sort as their numbers do.
func width(n int) int { return int(math.Log10(float64(n))) + 1 }

func newVotes() *cobra.Command {
	c := crowd{}
	files, pooled, out := 8, false, ""
	cmd := &cobra.Command{
		Use:   "votes -o FOLDER",
		Short: "Make votes of many voters, as CSV",
		Args:  cli.Needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return cli.Usage("name a folder, with -o FOLDER")
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			for k := range files {
				if err := c.write(filepath.Join(out, fmt.Sprintf("votes-%03d.csv", k)), c.voters*k/files, c.voters*(k+1)/files, pooled); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.flags(cmd)
	cmd.Flags().IntVar(&files, "files", files, "`NUMBER` of files")
	cmd.Flags().BoolVar(&pooled, "pooled", pooled, "leave out who voted")
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FOLDER` for the files")
	return cmd
}

func (c *crowd) write(path string, lo, hi int, pooled bool) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	names := make([]string, c.items)
	for k := range names {
		names[k] = fmt.Sprintf("i%0*d", width(c.items), k)
	}
	head := "user,left,right,winner\n"
	if pooled {
		head = "left,right,winner\n"
	}
	w.WriteString(head)
	last, who := -1, ""
	err = c.say(lo, hi, func(u, left, right int, leftWins bool) error {
		if !pooled {
			if u != last {
				last, who = u, fmt.Sprintf("v%0*d,", width(c.voters), u)
			}
			w.WriteString(who)
		}
		w.WriteString(names[left])
		w.WriteByte(',')
		w.WriteString(names[right])
		if leftWins {
			w.WriteString(",left\n")
		} else {
			w.WriteString(",right\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
