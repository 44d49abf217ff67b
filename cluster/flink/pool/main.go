// Pool starts workers of Beam on this machine when a runner asks for them (environment EXTERNAL), at a port that is free.
// Beam's own boot program does so at port 50000 alone.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/container/pool"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pool:", err)
		os.Exit(1)
	}
}

// run serves at a port, 0 for any, with a boot program. Where it listens is in its log.
func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("it is called as pool PORT BOOT")
	}
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, nil)))
	p, err := pool.New(context.Background(), port, args[1])
	if err != nil {
		return err
	}
	return p.ServeAndWait()
}
