package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/internal/cli"
	"palate/tune"
)

// tuning is the command that searches a space of parameters, with a subcommand for each thing
// that scripts do.
type tuning struct {
	params, constraints []string
	duels               string
	seed                uint64
	policy              string
	most                int
	program, show       string
	timeout             time.Duration
	quiet               bool
	voter               string
	common              bool
	of                  int

	seeded bool // --seed was given
}

func newTune() *cobra.Command {
	t := &tuning{}
	cmd := &cobra.Command{
		Use:   "tune SPACE",
		Short: "Find what you like best in a space of parameters, one duel after the other",
		Long: `Show two points of a space of parameters, such as two recipes, take a key for the one
you prefer, learn from it, and choose the next two. At the end, say which point is
believed to be best and how sure that is.

SPACE is a JSON file of parameters and constraints:
  {"parameters": [
     {"name": "dose", "from": 14, "to": 22},
     {"name": "gain", "from": 0.1, "to": 10, "scale": "log"},
     {"name": "shots", "from": 1, "to": 4, "step": 1},
     {"name": "grind", "ordered": ["fine", "medium", "coarse"]},
     {"name": "milk", "choices": ["none", "oat", "cow"]},
     {"name": "water", "value": "tap"}],
   "constraints": ["dose + 2*shots <= 26"],
   "forbidden": [{"milk": "none", "gain": [1, 10]}],
   "start": {"dose": 18, "gain": 1, "shots": 2, "grind": "fine", "milk": "oat"}}
or, where its name ends in .toml, the same in TOML, each parameter a table
[[parameters]]. Without a file --param says what varies. An equality such as
"a + b + c = 1" makes a mixture.

Keys: 1 or ← for the left point, 2 or → for the right one, t for no difference, s to
skip, u to take the last answer back, q to quit. Where input is not a terminal, keys
are read from it, spaces and line ends apart. With --of 4 you choose the best of four,
by their numbers.

Several people can answer into one file, each under the name of --voter. Questions are
then about what that person likes, with what others said as a hint; with --common they
are about what all like best. palate tune best says where the two differ.

Answers are saved after every key, a line of JSON each, to the file of --duels, which
can be edited; asking goes on where it stopped. The same seed asks the same.

With --exec a program judges instead. It is started without a shell for every
question; {left.NAME} and {right.NAME} in its arguments stand for values, {left} and
{right} for all of them as JSON, and the question as JSON is its standard input. It
prints left, right, tie or skip. With --of 3 they are {1.NAME}, {1} and so on, and it
prints a number from 1 to 3, or skip. With --show a program is started for both points
before you are asked, in which {NAME} stands for a value, {side} for left or right, or
the number of a point, and {point} for all values as JSON.`,
		Example: `  palate tune espresso.json
  palate tune --param dose=14..22 --param 'grind=fine<medium<coarse' --duels mine.jsonl
  palate tune filter.json --show 'render --gain {gain} -o {side}.png'
  palate tune gait.json --exec './race {left} {right}' --most 50
  palate tune espresso.json --duels ours.jsonl --voter ann --of 3`,
		Args: cli.Needs(0, 1, "at most one file of a space"),
		RunE: t.run,
	}
	p := cmd.PersistentFlags()
	p.StringArrayVar(&t.params, "param", nil, "a `PARAMETER` in place of SPACE: a=0..1, a=1..9:1, a=0.1..10:log, a=x<y<z, a=x|y or a=1")
	p.StringArrayVar(&t.constraints, "constraint", nil, "a linear `RELATION` of the parameters of --param, such as 'a + 2*b <= 3'")
	p.StringVar(&t.duels, "duels", "", "`FILE` of answers, new or to go on with (default: SPACE with .duels.jsonl for its ending)")
	p.Uint64Var(&t.seed, "seed", 0, "`SEED` of a new file of answers")
	p.BoolVarP(&t.quiet, "quiet", "q", false, "no notes")
	f := cmd.Flags()
	t.askFlags(cmd)
	f.IntVar(&t.most, "most", 0, "stop after so `MANY` answers")
	f.StringVar(&t.program, "exec", "", "`PROGRAM` that answers, with its arguments")
	f.StringVar(&t.show, "show", "", "`PROGRAM` that shows a point, with its arguments")
	f.DurationVar(&t.timeout, "timeout", time.Minute, "stop a program that takes longer than this `TIME`")
	cmd.AddCommand(t.newAsk(), t.newTell(), t.newBest())
	return cmd
}

// mostPoints is how many points a choice is among at most: there is a key for each.
const mostPoints = 9

// askFlags are those of commands that ask.
func (t *tuning) askFlags(cmd *cobra.Command) {
	var names []string
	for _, p := range tune.Policies() {
		names = append(names, p.String())
	}
	f := cmd.Flags()
	f.StringVar(&t.policy, "policy", tune.EUBO.String(), "`POLICY` to choose by: "+strings.Join(names, ", "))
	completes(cmd, "policy", names...)
	f.IntVar(&t.of, "of", 2, "ask for the best of so `MANY` points")
	t.voterFlag(cmd)
	f.BoolVar(&t.common, "common", false, "ask --voter about what all like best")
}

func (t *tuning) voterFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.voter, "voter", "", "`NAME` of the person whose taste it is")
}

// asks checks the flags of a command that asks.
func (t *tuning) asks() (tune.Policy, error) {
	policy, err := tune.ParsePolicy(t.policy)
	switch {
	case err != nil:
		return 0, err
	case t.of < 2 || t.of > mostPoints:
		return 0, cli.Usage("--of is from 2 to %d", mostPoints)
	case t.of > 2 && policy != tune.EUBO:
		return 0, cli.Usage("--policy %v is for two points, and --of asks about %d", policy, t.of)
	case t.common && t.voter == "":
		return 0, cli.Usage("--common is about what others like too: say with --voter who answers")
	}
	return policy, nil
}

// next returns the points to ask about.
func (t *tuning) next(ctx context.Context, s *tune.Search, policy tune.Policy) ([]tune.Point, error) {
	if s.Voter = t.voter; t.common {
		s.Voter = ""
	}
	if t.of > 2 {
		return s.Choice(ctx, t.of)
	}
	list, err := s.Next(ctx, policy, 1)
	if err != nil {
		return nil, err
	}
	return []tune.Point{list[0].Left, list[0].Right}, nil
}

// search reads the space and the answers there are.
func (t *tuning) search(cmd *cobra.Command, args []string) (*tune.Search, error) {
	t.seeded = cmd.Flags().Changed("seed")
	s, err := t.space(cmd.Context(), args)
	if err != nil {
		return nil, err
	}
	if t.duels == "" {
		if len(args) == 0 {
			return nil, cli.Usage("say where answers are kept: --duels FILE")
		}
		t.duels = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ".duels.jsonl"
	}
	log := &tune.Log{Seed: t.seed}
	info, err := os.Stat(t.duels)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return tune.NewSearch(s, log), nil
	}
	in, err := open(cmd.Context(), t.duels)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if log, err = s.ReadLog(t.duels, in); err != nil {
		return nil, err
	}
	if t.seeded && log.Seed != t.seed {
		return nil, cli.Usage("%s was begun with the seed %d: leave --seed out, or begin another file of duels", t.duels, log.Seed)
	}
	return tune.NewSearch(s, log), nil
}

// space is that of the file, or of the flags.
func (t *tuning) space(ctx context.Context, args []string) (*tune.Space, error) {
	switch {
	case len(args) == 0 && len(t.params) == 0:
		return nil, cli.Usage("say what varies: a file of a space, or --param")
	case len(args) > 0 && len(t.params)+len(t.constraints) > 0:
		return nil, cli.Usage("--param and --constraint are in place of a file of a space: give either")
	case len(args) > 0 && args[0] == "-":
		return nil, cli.Usage("standard input is for your answers: name a file")
	case len(args) > 0:
		in, err := open(ctx, args[0])
		if err != nil {
			return nil, err
		}
		defer in.close()
		return tune.ReadSpace(ctx, args[0], in)
	}
	var parameters []tune.Parameter
	var constraints []tune.Constraint
	for _, text := range t.params {
		p, err := tune.ParseParameter(text)
		if err != nil {
			return nil, cli.Usage("--param: %s", strings.TrimPrefix(err.Error(), "tune: "))
		}
		for _, other := range parameters {
			if other.Name == p.Name {
				return nil, cli.Usage("--param: there are two parameters %q", p.Name)
			}
		}
		parameters = append(parameters, p)
	}
	for _, text := range t.constraints {
		c, err := tune.ParseConstraint(text, parameters)
		if err != nil {
			return nil, cli.Usage("--constraint: %w", err)
		}
		constraints = append(constraints, c)
	}
	s, err := tune.NewSpace(ctx, parameters, constraints, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, cli.Usage("%s", strings.TrimPrefix(err.Error(), "tune: "))
	}
	return s, nil
}

// save puts all answers in place of those saved before.
func (t *tuning) save(s *tune.Search) error {
	out, err := cli.Create(t.duels)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := s.Space.WriteLog(out, s.Log); err != nil {
		return err
	}
	return out.Commit(context.Background()) // an answer is kept, whatever comes
}

func (t *tuning) run(cmd *cobra.Command, args []string) error {
	policy, err := t.asks()
	switch {
	case err != nil:
		return err
	case t.most < 0 || t.timeout <= 0:
		return cli.Usage("--most is not below 0, and --timeout above")
	}
	s, err := t.search(cmd, args)
	if err != nil {
		return err
	}
	talk := &tuneTalk{tuning: t, search: s, policy: policy}
	if talk.judge, err = newProgram("--exec", t.program, judgeWords(s.Space, t.of)); err != nil {
		return err
	}
	if talk.show, err = newProgram("--show", t.show, showWords(s.Space)); err != nil {
		return err
	}
	out, err := cli.Create(t.duels, args...) // to find out now what would fail later
	if err != nil {
		return err
	}
	out.Discard()
	c := &cli.Console{Quiet: t.quiet}
	talk.screen = t.program == "" && term.IsTerminal(int(os.Stdout.Fd()))
	restore := func() {}
	if t.program == "" {
		if talk.keys, restore, err = keyboard(); err != nil {
			return err
		}
		defer restore()
	}
	why, err := talk.ask(cmd.Context())
	restore()
	if err != nil {
		return err
	}
	if talk.screen {
		fmt.Print(clearScreen)
	}
	s.Voter = t.voter
	st, err := s.Standing(cmd.Context(), nil)
	if err != nil {
		return err
	}
	showStanding(os.Stdout, s, st, tuneReference(s.Space))
	c.Note("%s", ended(why, s.Log.Answers()+len(s.Log.Values), answers(s.Log), t.duels))
	return nil
}

// newAsk is the subcommand that prints questions.
func (t *tuning) newAsk() *cobra.Command {
	n := 1
	cmd := &cobra.Command{
		Use:   "ask SPACE",
		Short: "Print what to ask next, a line of JSON a question",
		Long: `Print the next question as a line of JSON, {"left": {…}, "right": {…}}, or with --of 3
{"points": [{…}, {…}, {…}]}, for a script that shows it and hands it with an "answer" to
palate tune tell. It depends on the space, the answers, the voter and the seed only. With
-n several questions, to be asked side by side.`,
		Example: `  palate tune ask espresso.json
  palate tune ask espresso.json -n 4 --duels mine.jsonl`,
		Args: cli.Needs(0, 1, "at most one file of a space"),
		RunE: func(cmd *cobra.Command, args []string) error {
			policy, err := t.asks()
			switch {
			case err != nil:
				return err
			case n < 1:
				return cli.Usage("-n is at least 1")
			case n > 1 && t.of > 2:
				return cli.Usage("-n is for questions about two points, and --of asks about %d", t.of)
			}
			s, err := t.search(cmd, args)
			if err != nil {
				return err
			}
			if n == 1 {
				points, err := t.next(cmd.Context(), s, policy)
				if err != nil {
					return err
				}
				fmt.Printf("%s\n", s.Space.WriteQuestion(points, t.voter))
				return nil
			}
			if s.Voter = t.voter; t.common {
				s.Voter = ""
			}
			list, err := s.Next(cmd.Context(), policy, n)
			if err != nil {
				return err
			}
			for _, q := range list {
				fmt.Printf("%s\n", s.Space.WriteQuestion([]tune.Point{q.Left, q.Right}, t.voter))
			}
			return nil
		},
	}
	t.askFlags(cmd)
	cmd.Flags().IntVarP(&n, "number", "n", 1, "`NUMBER` of questions")
	return cmd
}

// newTell is the subcommand that takes answers.
func (t *tuning) newTell() *cobra.Command {
	return &cobra.Command{
		Use:   "tell SPACE",
		Short: "Take answers, a line of JSON each",
		Long: `Read answers from standard input, a line of JSON each, and add them to the file of
--duels. A duel is {"left": {…}, "right": {…}, "answer": "left"}; an answer is left,
right, tie or skip. A choice is {"points": [{…}, {…}, {…}], "answer": 2}, with the place
of the best point or "skip". A number of the past, such as a rating or a measurement, is
{"point": {…}, "value": 7.5}, the higher the better. Each may say whose it is, with
"voter". Any points of the space will do, asked for or not. Where a line is bad nothing is
added.`,
		Example: `  palate tune ask espresso.json | judge | palate tune tell espresso.json`,
		Args:    cli.Needs(0, 1, "at most one file of a space"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := open(cmd.Context(), "-") // all of it, as what writes it may ask the same file
			if err != nil {
				return err
			}
			text, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			s, err := t.search(cmd, args)
			if err != nil {
				return err
			}
			kept := answers(s.Log)
			for i, line := range strings.Split(string(text), "\n") {
				if strings.TrimSpace(line) == "" {
					continue
				}
				if err := s.Space.ReadAnswer([]byte(line), s.Log); err != nil {
					return fmt.Errorf("standard input: line %d: %w; %s in %s as before", i+1, err, kept, t.duels)
				}
			}
			if err := t.save(s); err != nil {
				return err
			}
			(&cli.Console{Quiet: t.quiet}).Note("%s in %s", answers(s.Log), t.duels)
			return nil
		},
	}
}
