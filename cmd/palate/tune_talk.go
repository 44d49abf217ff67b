package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"palate"
	"palate/internal/cli"
	"palate/tune"
)

// tuneTalk asks one question after the other, of a person or of a program.
type tuneTalk struct {
	*tuning
	search      *tune.Search
	policy      tune.Policy
	judge, show *program
	keys        <-chan key
	screen      bool
}

// cut says what stays of a talk that ended early.
func (t *tuneTalk) cut() error {
	return fmt.Errorf("%w: %s in %s", cli.ErrInterrupted, count(len(t.search.Log.Duels), "answer"), t.duels)
}

// ask goes on until it is told to stop, and says why it ended.
func (t *tuneTalk) ask(ctx context.Context) (string, error) {
	for asked := 0; ; {
		if t.most > 0 && asked == t.most {
			return "that was the last question", nil
		}
		list, err := t.search.Next(ctx, t.policy, 1)
		if ctx.Err() != nil {
			return "", t.cut()
		}
		if err != nil {
			return "", err
		}
		k, answer, err := t.answer(ctx, list[0])
		switch {
		case ctx.Err() != nil:
			return "", t.cut()
		case err != nil:
			return "", fmt.Errorf("%w; %s stay in %s", err, count(len(t.search.Log.Duels), "answer"), t.duels)
		case k == quitKey:
			return "you stopped", nil
		case k == undoKey:
			if len(t.search.Log.Duels) > 0 {
				t.search.Undo()
				asked--
			}
		default:
			t.search.Tell(tune.Duel{Left: list[0].Left, Right: list[0].Right, Answer: answer})
			asked++
		}
		if err := t.save(t.search); err != nil {
			return "", err
		}
	}
}

// answer has a question answered by whoever answers.
func (t *tuneTalk) answer(ctx context.Context, q tune.Question) (key, palate.Outcome, error) {
	s := t.search.Space
	if t.judge != nil {
		fmt.Printf("%d: %s  |  %s", len(t.search.Log.Duels)+1, s.Describe(q.Left), s.Describe(q.Right))
		answer, err := t.judge.decide(ctx, t.timeout, s, q)
		if err != nil {
			fmt.Println()
			return noKey, 0, err
		}
		fmt.Printf("  %v\n", answer)
		return noKey, answer, nil
	}
	if t.show != nil {
		if err := t.show.display(ctx, t.timeout, s, "left", q.Left); err != nil {
			return noKey, 0, err
		}
		if err := t.show.display(ctx, t.timeout, s, "right", q.Right); err != nil {
			return noKey, 0, err
		}
	}
	t.question(os.Stdout, q)
	for {
		select {
		case k := <-t.keys:
			switch k {
			case leftKey:
				return k, palate.Left, nil
			case rightKey:
				return k, palate.Right, nil
			case tieKey:
				return k, palate.Tie, nil
			case skipKey:
				return k, palate.Skip, nil
			case undoKey, quitKey:
				return k, 0, nil
			}
		case <-ctx.Done():
			return noKey, 0, ctx.Err()
		}
	}
}

// question shows two points, a row a parameter.
func (t *tuneTalk) question(w io.Writer, q tune.Question) {
	s := t.search.Space
	if t.screen {
		w = rawWriter{w}
		fmt.Fprint(w, clearScreen)
	}
	fmt.Fprintf(w, "Duel %d\n", len(t.search.Log.Duels)+1)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\t1\t2\n")
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Format(q.Left[j], 4), p.Format(q.Right[j], 4))
	}
	table.Flush()
	if t.screen {
		fmt.Fprint(w, "\nWhich do you prefer?\n(1 ← left, 2 → right, t no difference, s skip, u undo, q quit) ")
	}
}
