package cluster

import (
	"context"
	"fmt"

	"palate/population"
)

const siteKind = "palsites"

// siteHead is the head of the sites of a shard, behind which τ and ν stand.
type siteHead struct {
	Format     int    `json:"format"`
	Evaluation int    `json:"evaluation"` // that made them
	Shard      string `json:"shard"`      // checksum of the shard
	Sum        string `json:"sum"`
}

func siteFile(fit string, evaluation, k int) string {
	return fmt.Sprintf("%s/sites-%05d-%05d", fit, evaluation, k)
}

// writeSites keeps the sites of a shard under the evaluation that made them.
func writeSites(ctx context.Context, fit string, evaluation, k int, shard string, e *population.Engine) error {
	body := append(floatBytes(e.Tau), floatBytes(e.Nu)...)
	data, err := seal(siteKind, siteHead{format, evaluation, shard, sum(body)}, body)
	if err != nil {
		return err
	}
	return writeFile(ctx, siteFile(fit, evaluation, k), data)
}

// readSites sets the sites of a shard to those that an evaluation made; before the first they are zero.
func readSites(ctx context.Context, fit string, evaluation, k int, shard string, e *population.Engine) error {
	if evaluation == 0 {
		return nil
	}
	path := siteFile(fit, evaluation, k)
	data, err := readFile(ctx, path)
	if err != nil {
		return fmt.Errorf("the sites of shard %d after evaluation %d are missing: %w; remove %s to begin afresh", k, evaluation, err, fit)
	}
	var h siteHead
	body, err := unseal(siteKind, data, &h)
	n := 8 * len(e.Tau)
	switch {
	case err != nil:
	case h.Format != format || h.Evaluation != evaluation || h.Shard != shard || len(body) != 2*n:
		err = fmt.Errorf("they are of evaluation %d, or of another shard", h.Evaluation)
	case sum(body) != h.Sum:
		err = fmt.Errorf("the checksum does not match: the file is damaged")
	}
	if err != nil {
		return fmt.Errorf("%s: %w; remove %s to begin afresh", path, err, fit)
	}
	copy(e.Tau, floatsOf(body[:n]))
	copy(e.Nu, floatsOf(body[n:]))
	return nil
}
