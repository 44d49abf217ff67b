package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"palate"
	"palate/active"
)

const clearScreen = "\x1b[H\x1b[2J"

// talk asks until it is told to stop, or there is nothing more to ask, and says
// why it ended.
func (a *ask) talk(ctx context.Context, s *interview, keys <-chan key, screen bool) (string, error) {
	for asked := 0; ; {
		if err := s.settle(ctx); err != nil {
			return "", s.cut(a.out)
		}
		if a.stops && s.sure >= s.enough {
			return fmt.Sprintf("the goal is settled (%.2f)", s.sure), nil
		}
		if a.most > 0 && asked == a.most {
			return "that was the last question", nil
		}
		p, ok, err := s.next(ctx)
		if err != nil {
			return "", s.cut(a.out)
		}
		if !ok {
			return "there is no pair left to ask", nil
		}
		s.question(os.Stdout, p, screen, a.board)
		for {
			var k key
			select {
			case k = <-keys:
			case <-ctx.Done():
				return "", s.cut(a.out)
			}
			var err error
			answered := true
			switch k {
			case leftKey:
				err = s.answer(p, palate.Left)
			case rightKey:
				err = s.answer(p, palate.Right)
			case tieKey:
				err = s.answer(p, palate.Tie)
			case skipKey:
				err = s.answer(p, palate.Skip)
			case undoKey:
				err = s.undo()
				asked = max(asked-2, -1)
			case quitKey:
				return "you stopped", nil
			default:
				answered = false
			}
			if err != nil {
				return "", err
			}
			if answered {
				asked++
				break
			}
		}
	}
}

// question shows a pair, with its texts if there are some, on a terminal with the board above
// where there is room for it.
func (s *interview) question(w io.Writer, p active.Pair, screen bool, top int) {
	var texts []string
	columns, lines := screenSize()
	if s.texts != nil {
		texts = sideBySide(s.texts[s.ids[p.Left]], s.texts[s.ids[p.Right]], s.ids[p.Left], s.ids[p.Right], columns)
	}
	if screen {
		w = rawWriter{w}
		fmt.Fprint(w, clearScreen)
		const around = 8 // lines of the board's head, of the question and empty ones
		if texts != nil {
			top = max(0, min(top, lines-around-len(texts)))
		}
		s.show(w, top)
		fmt.Fprintln(w)
	} else {
		fmt.Fprintf(w, "%d: 1 %s  2 %s\n", len(s.answers)+1, s.ids[p.Left], s.ids[p.Right])
	}
	for _, line := range texts {
		fmt.Fprintln(w, line)
	}
	if screen {
		fmt.Fprintf(w, "Which do you prefer?  1 %s   2 %s\n(1 ← left, 2 → right, t tie, s skip, u undo, q quit) ", s.ids[p.Left], s.ids[p.Right])
	}
}

// rawWriter ends lines as a raw terminal wants them ended.
type rawWriter struct{ io.Writer }

func (w rawWriter) Write(b []byte) (int, error) {
	_, err := w.Writer.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

// show writes the board: scores less their mean.
func (s *interview) show(w io.Writer, top int) {
	n := len(s.ids)
	mean, sd, order := make([]float64, n), make([]float64, n), make([]int, n)
	var centre float64
	for i := range n {
		var v float64
		mean[i], v = s.model.Utility(-1, i)
		sd[i], order[i] = math.Sqrt(v), i
		centre += mean[i] / float64(n)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case mean[a] > mean[b]:
			return -1
		case mean[a] < mean[b]:
			return 1
		}
		return 0
	})
	fmt.Fprintf(w, "%s, settled %.2f", count(len(s.answers), "answer"), s.sure)
	if s.sure >= s.enough {
		fmt.Fprintf(w, "; you can stop: %.2f is enough", s.enough)
	}
	fmt.Fprintln(w)
	if top == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "rank\tscore\t±\tvotes\t  item\n")
	votes := s.model.Votes()
	for r, i := range order[:min(top, n)] {
		fmt.Fprintf(t, "%d\t%+.2f\t%.2f\t%.0f\t  %s\n", r+1, mean[i]-centre, sd[i], votes[i], s.ids[i])
	}
	t.Flush()
}
