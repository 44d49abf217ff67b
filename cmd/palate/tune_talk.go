package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
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
	return fmt.Errorf("%w: %s in %s", cli.ErrInterrupted, answers(t.search.Log), t.duels)
}

// ask goes on until it is told to stop, and says why it ended.
func (t *tuneTalk) ask(ctx context.Context) (string, error) {
	for asked := 0; ; {
		if t.most > 0 && asked == t.most {
			return "that was the last question", nil
		}
		points, err := t.next(ctx, t.search, t.policy)
		if ctx.Err() != nil {
			return "", t.cut()
		}
		if err != nil {
			return "", err
		}
		k, said, err := t.answer(ctx, points)
		switch {
		case ctx.Err() != nil:
			return "", t.cut()
		case err != nil:
			return "", fmt.Errorf("%w; %s stay in %s", err, answers(t.search.Log), t.duels)
		case k == quitKey:
			return "you stopped", nil
		case k == undoKey:
			if len(t.search.Log.Duels) > 0 {
				t.search.Undo()
				asked--
			}
		default:
			said.tell(t.search, points, t.voter)
			asked++
		}
		if err := t.save(t.search); err != nil {
			return "", err
		}
	}
}

// reply is an answer: of two points an outcome, of more the place of the best one or a skip.
type reply struct {
	outcome palate.Outcome
	best    int
}

// tell adds a reply to what a search knows.
func (v reply) tell(s *tune.Search, points []tune.Point, voter string) {
	switch {
	case len(points) == 2:
		s.Tell(tune.Duel{Left: points[0], Right: points[1], Answer: v.outcome, Voter: voter})
	case v.outcome == palate.Skip:
		s.TellChoice(points, -1, voter)
	default:
		s.TellChoice(points, v.best, voter)
	}
}

// word is the reply as it is printed.
func (v reply) word(points int) string {
	if points == 2 || v.outcome == palate.Skip {
		return v.outcome.String()
	}
	return fmt.Sprint(v.best + 1)
}

// answer has a question answered by whoever answers.
func (t *tuneTalk) answer(ctx context.Context, points []tune.Point) (key, reply, error) {
	s := t.search.Space
	if t.judge != nil {
		var shown []string
		for _, x := range points {
			shown = append(shown, s.Describe(x))
		}
		fmt.Printf("%d: %s", t.search.Log.Answers()+1, strings.Join(shown, "  |  "))
		said, err := t.judge.decide(ctx, t.timeout, s, points)
		if err != nil {
			fmt.Println()
			return noKey, said, err
		}
		fmt.Printf("  %s\n", said.word(len(points)))
		return noKey, said, nil
	}
	if t.show != nil {
		for i, x := range points {
			if err := t.show.display(ctx, t.timeout, s, side(i, len(points)), x); err != nil {
				return noKey, reply{}, err
			}
		}
	}
	t.question(os.Stdout, points)
	for {
		select {
		case k := <-t.keys:
			if place, ok := k.place(); ok && place < len(points) {
				return k, reply{[2]palate.Outcome{palate.Left, palate.Right}[min(place, 1)], place}, nil
			}
			switch {
			case k == tieKey && len(points) == 2:
				return k, reply{outcome: palate.Tie}, nil
			case k == skipKey:
				return k, reply{outcome: palate.Skip}, nil
			case k == undoKey, k == quitKey:
				return k, reply{}, nil
			}
		case <-ctx.Done():
			return noKey, reply{}, ctx.Err()
		}
	}
}

// question shows points, a row a parameter.
func (t *tuneTalk) question(w io.Writer, points []tune.Point) {
	s := t.search.Space
	if t.screen {
		w = rawWriter{w}
		fmt.Fprint(w, clearScreen)
	}
	what := "Duel"
	if len(points) > 2 {
		what = "Choice"
	}
	fmt.Fprintf(w, "%s %d\n", what, t.search.Log.Answers()+1)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range points {
		fmt.Fprintf(table, "\t%d", i+1)
	}
	fmt.Fprintln(table)
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		fmt.Fprint(table, p.Name)
		for _, x := range points {
			fmt.Fprint(table, "\t", p.Format(x[j], 4))
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	switch {
	case t.screen && len(points) == 2:
		fmt.Fprint(w, "\nWhich do you prefer?\n(1 ← left, 2 → right, t no difference, s skip, u undo, q quit) ")
	case t.screen:
		fmt.Fprintf(w, "\nWhich is best?\n(1 to %d, s skip, u undo, q quit) ", len(points))
	}
}

// answers says how many answers and numbers there are.
func answers(log *tune.Log) string {
	text := count(log.Answers(), "answer")
	if n := len(log.Values); n > 0 {
		text += " and " + count(n, "number")
	}
	return text
}
