package paper

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // a program in Python
	"encoding/json"
	"fmt"
	"io"
	"os/exec"

	"palate"
	"palate/lab/internal/worlds"
)

//go:embed pairwisegp.py
var pairwiseProgram string

// peer is a program in Python that answers a line with a line. It is started when it is first asked: loading its packages
// takes longer than most answers.
type peer struct {
	python, program string
	cmd             *exec.Cmd
	in              io.WriteCloser
	out             *bufio.Reader
	failure         bytes.Buffer
}

// ask sends a question and reads the answer.
func (p *peer) ask(ctx context.Context, question, answer any) error {
	if p.cmd == nil {
		p.cmd = exec.CommandContext(ctx, p.python, "-W", "ignore", "-c", p.program)
		p.cmd.Stderr = &p.failure
		in, err := p.cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := p.cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := p.cmd.Start(); err != nil {
			return err
		}
		p.in, p.out = in, bufio.NewReader(out)
	}
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	_, sent := p.in.Write(append(text, '\n'))
	line, err := p.out.ReadBytes('\n')
	if sent != nil || err != nil {
		p.close()
		return fmt.Errorf("%s ended: %s", p.python, bytes.TrimSpace(p.failure.Bytes()))
	}
	return json.Unmarshal(line, answer)
}

// close ends the program, if it was started.
func (p *peer) close() {
	if p.cmd != nil {
		p.in.Close()
		_ = p.cmd.Wait() // what went wrong was said by ask
		p.cmd = nil
	}
}

// pairwiseGP asks BoTorch's PairwiseGP. Its processor time is what the program says of fit and predictions, without that
// of loading packages.
func pairwiseGP(ctx context.Context, d *worlds.Drawn, o StudyOptions) ([]float64, float64, error) {
	f := d.Votes.ItemFeatures()
	task := struct {
		Points [][]float64 `json:"points"` // of known items, then of new ones
		Known  int         `json:"known"`
		Votes  [][2]int    `json:"votes"` // winner and loser
		Asked  [][2]int    `json:"asked"`
		Seed   uint64      `json:"seed"`
	}{Known: f.Rows, Seed: o.Seed}
	for _, part := range []*palate.Features{f, d.Later} {
		for i := range part.Rows {
			task.Points = append(task.Points, part.Row(i))
		}
	}
	for _, v := range d.Votes.Votes() {
		if v.Outcome == palate.Right {
			v.Left, v.Right = v.Right, v.Left
		}
		task.Votes = append(task.Votes, [2]int{v.Left, v.Right})
	}
	for _, q := range d.Asked {
		task.Asked = append(task.Asked, [2]int{q.Left, q.Right})
	}
	var said struct {
		Chances []float64 `json:"chances"`
		CPU     float64   `json:"cpu"`
	}
	err := o.peer.ask(ctx, task, &said)
	return said.Chances, said.CPU, err
}
