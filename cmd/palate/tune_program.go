package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"palate"
	"palate/internal/cli"
	"palate/tune"
)

// program is a command line with places for values, which is run without a shell.
type program struct {
	flag string
	args []string
}

// placeholder is a place for a value.
var placeholder = regexp.MustCompile(`\{[^{}"\s]+\}`)

// newProgram splits a command line into its words; nothing is nil.
func newProgram(flag, line string, known []string) (*program, error) {
	if line == "" {
		return nil, nil
	}
	args, err := splitWords(line)
	if err != nil || len(args) == 0 {
		return nil, cli.Usage("%s %q: a quote is not closed, or there is no program", flag, line)
	}
	for _, arg := range args {
		for _, p := range placeholder.FindAllString(arg, -1) {
			if !slices.Contains(known, p) {
				return nil, cli.Usage("%s: there is nothing to put for %s; there are %s", flag, p, strings.Join(known, " "))
			}
		}
	}
	return &program{flag, args}, nil
}

// splitWords splits at spaces that are not in quotes.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	in, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed")
	}
	return words, nil
}

// judgeWords are the places of a program that judges so many points.
func judgeWords(s *tune.Space, points int) (words []string) {
	for i := range points {
		words = append(words, "{"+side(i, points)+"}")
		for _, p := range s.Parameters {
			words = append(words, "{"+side(i, points)+"."+p.Name+"}")
		}
	}
	return words
}

// side is what a point is called among others.
func side(i, points int) string {
	if points == 2 {
		return [2]string{"left", "right"}[i]
	}
	return fmt.Sprint(i + 1)
}

// showWords are the places of a program that shows.
func showWords(s *tune.Space) []string {
	words := []string{"{side}", "{point}"}
	for _, p := range s.Parameters {
		words = append(words, "{"+p.Name+"}")
	}
	return words
}

// mostPrinted is how many bytes a program may print.
const mostPrinted = 8 << 20

// limited takes what a program prints, up to a limit.
type limited struct {
	text bytes.Buffer
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > mostPrinted {
		l.over = true
		return 0, fmt.Errorf("too much")
	}
	return l.text.Write(p)
}

// run starts the program with values in their places, and returns what it printed. It is
// stopped when it takes too long.
func (p *program) run(ctx context.Context, timeout time.Duration, values map[string]string, input []byte) (string, error) {
	var args []string
	for _, arg := range p.args {
		args = append(args, placeholder.ReplaceAllStringFunc(arg, func(at string) string { return values[at] }))
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(within, args[0], args[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr limited
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // for what it started itself and left behind
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case within.Err() != nil:
		return "", fmt.Errorf("%s: %s took longer than %v and was stopped", p.flag, args[0], timeout)
	case stdout.over || stderr.over:
		return "", fmt.Errorf("%s: %s printed more than %d MB, and was stopped", p.flag, args[0], mostPrinted>>20)
	case err != nil:
		said := ""
		if lines := strings.Split(strings.TrimSpace(stderr.text.String()), "\n"); lines[0] != "" {
			said = ": " + lines[len(lines)-1]
		}
		return "", fmt.Errorf("%s: %s failed: %w%s", p.flag, args[0], err, said)
	}
	return stdout.text.String(), nil
}

// decide has the program answer a question.
func (p *program) decide(ctx context.Context, timeout time.Duration, s *tune.Space, points []tune.Point) (v reply, err error) {
	values := map[string]string{}
	for i, x := range points {
		name := side(i, len(points))
		values["{"+name+"}"] = string(s.WritePoint(x))
		for j := range s.Parameters {
			values["{"+name+"."+s.Parameters[j].Name+"}"] = s.Parameters[j].Format(x[j], 0)
		}
	}
	said, err := p.run(ctx, timeout, values, append(s.WriteQuestion(points, ""), '\n'))
	if err != nil {
		return v, err
	}
	word := strings.TrimSpace(said)
	var wrapped struct{ Answer any }
	if json.Unmarshal([]byte(word), &wrapped) == nil && wrapped.Answer != nil {
		word = fmt.Sprint(wrapped.Answer)
	}
	v.outcome, err = tune.ParseAnswer(word)
	wants := "left, right, tie or skip"
	if len(points) > 2 {
		wants = fmt.Sprintf("a number from 1 to %d, or skip", len(points))
		if v.outcome != palate.Skip {
			v.best, err = strconv.Atoi(word)
			v.best--
			if v.best < 0 || v.best >= len(points) {
				err = strconv.ErrRange
			}
		}
	}
	if err != nil {
		if r := []rune(word[:min(len(word), 200)]); len(r) > 40 {
			word = string(r[:40]) + "…"
		}
		return v, fmt.Errorf("%s: %s printed %q, and is to print %s", p.flag, p.args[0], word, wants)
	}
	return v, nil
}

// display has the program show a point.
func (p *program) display(ctx context.Context, timeout time.Duration, s *tune.Space, side string, x tune.Point) error {
	point := s.WritePoint(x)
	values := map[string]string{"{side}": side, "{point}": string(point)}
	for j := range s.Parameters {
		values["{"+s.Parameters[j].Name+"}"] = s.Parameters[j].Format(x[j], 0)
	}
	said, err := p.run(ctx, timeout, values, append(point, '\n'))
	if err == nil {
		_, err = os.Stdout.WriteString(said)
	}
	return err
}
