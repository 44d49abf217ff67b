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

// judgeWords are the places of a program that judges.
func judgeWords(s *tune.Space) []string {
	words := []string{"{left}", "{right}"}
	for _, p := range s.Parameters {
		words = append(words, "{left."+p.Name+"}", "{right."+p.Name+"}")
	}
	return words
}

// showWords are the places of a program that shows.
func showWords(s *tune.Space) []string {
	words := []string{"{side}", "{point}"}
	for _, p := range s.Parameters {
		words = append(words, "{"+p.Name+"}")
	}
	return words
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
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // for what it started itself and left behind
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case within.Err() != nil:
		return "", fmt.Errorf("%s: %s took longer than %v and was stopped", p.flag, args[0], timeout)
	case err != nil:
		said := ""
		if lines := strings.Split(strings.TrimSpace(stderr.String()), "\n"); lines[0] != "" {
			said = ": " + lines[len(lines)-1]
		}
		return "", fmt.Errorf("%s: %s failed: %w%s", p.flag, args[0], err, said)
	}
	return stdout.String(), nil
}

// decide has the program answer a question.
func (p *program) decide(ctx context.Context, timeout time.Duration, s *tune.Space, q tune.Question) (palate.Outcome, error) {
	left, right := string(s.WritePoint(q.Left)), string(s.WritePoint(q.Right))
	values := map[string]string{"{left}": left, "{right}": right}
	for j := range s.Parameters {
		param := &s.Parameters[j]
		values["{left."+param.Name+"}"] = param.Format(q.Left[j], 0)
		values["{right."+param.Name+"}"] = param.Format(q.Right[j], 0)
	}
	said, err := p.run(ctx, timeout, values, fmt.Appendf(nil, "{\"left\": %s, \"right\": %s}\n", left, right))
	if err != nil {
		return 0, err
	}
	word := strings.TrimSpace(said)
	var wrapped struct{ Answer string }
	if json.Unmarshal([]byte(word), &wrapped) == nil {
		word = wrapped.Answer
	}
	answer, err := tune.ParseAnswer(word)
	if err != nil {
		if r := []rune(word); len(r) > 40 {
			word = string(r[:40]) + "…"
		}
		return 0, fmt.Errorf("%s: %s printed %q, and is to print left, right, tie or skip", p.flag, p.args[0], word)
	}
	return answer, nil
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
