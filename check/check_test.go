package check

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"palate/ingest"
	"palate/internal/heed"
)

// TestSurvey looks over two files; what is wrong is told with the file it is in.
func TestSurvey(t *testing.T) {
	c := NewChecker(ingest.Options{})
	if _, err := c.Read(t.Context(), "a.csv", strings.NewReader("judge,model_a,model_b,winner\nann,x,y,model_a\nann,x,y,oops\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(t.Context(), "b.csv", strings.NewReader("user,ranking\nann,y>x>z\n")); err != nil {
		t.Fatal(err)
	}
	s, err := c.Survey(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if s.Votes != 4 || s.Answers != 2 || s.Items != 3 || s.Voters != 1 || len(s.Components) != 1 {
		t.Errorf("%+v", s)
	}
	var got []string
	for _, f := range s.Findings {
		for _, e := range f.Where {
			got = append(got, f.Kind+": "+e.Error())
		}
	}
	want := []string{
		`bad rows: a.csv:3: column winner: "oops" is neither "x" nor "y" (nor one of: model_a, model_b, tie, skip)`,
		`contradictory votes: b.csv:2: "ann" gave another answer about "y" and "x" on a.csv:2`,
		`items that never won: b.csv:2: "z" never won in 2 votes`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// FuzzSurvey looks over whatever can be read.
func FuzzSurvey(f *testing.F) {
	f.Add([]byte("judge,model_a,model_b,winner\nann,x,y,model_a\nann,x,y,oops\n,X,y,tie\n"))
	f.Add([]byte("user,ranking\nann,y>x>z\nbob,z\n"))
	f.Add([]byte("winner,loser\na,b\nc,d\n"))
	f.Add([]byte("user,item,rating\nann,a,1\nann,b,2\nann,b,3\n"))
	f.Add([]byte("user,item,rating\nann,a,1\nann,b,2\nbob,c,3\nbea,C,3\n")) // two of them never compared
	f.Fuzz(func(t *testing.T, text []byte) {
		c := NewChecker(ingest.Options{})
		if _, err := c.Read(t.Context(), "votes.csv", bytes.NewReader(text)); err != nil {
			return
		}
		if _, err := c.Survey(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	})
}

// TestContexts: whatever looks at many votes stops when its context ends.
func TestContexts(t *testing.T) {
	var votes, items strings.Builder
	votes.WriteString("user,left,right,winner\n")
	items.WriteString("id,text:says\n")
	for k := range 60 * 60 {
		if i, j := k/60, k%60; i != j {
			fmt.Fprintf(&votes, "u%d,i%d,i%d,left\n", (i+j)%20, i, j)
		} else {
			fmt.Fprintf(&items, "i%d,\"number %d has %d words, and some more of them\"\n", i, i, i%7)
		}
	}
	checked := func(look func(*Checker, context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			c := NewChecker(ingest.Options{})
			if _, err := c.Read(t.Context(), "votes", strings.NewReader(votes.String())); err != nil {
				t.Fatal(err)
			}
			return look(c, ctx)
		}
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Checker.Read": checked(func(c *Checker, ctx context.Context) error {
			_, err := c.Read(ctx, "more", strings.NewReader(strings.Repeat(votes.String(), 1)))
			return err
		}),
		"Checker.Items": checked(func(c *Checker, ctx context.Context) error {
			return c.Items(ctx, "items", strings.NewReader(items.String()))
		}),
		"Checker.Users": checked(func(c *Checker, ctx context.Context) error {
			return c.Users(ctx, "users", strings.NewReader(items.String()))
		}),
		"Assumptions": func(ctx context.Context) error {
			_, err := Assumptions(ctx, madeUp(t, 300, 0, nil), func(int) bool { return true })
			return err
		},
		"Checker.Survey": checked(func(c *Checker, ctx context.Context) error {
			_, err := c.Survey(ctx, 3)
			return err
		}),
	})
}
