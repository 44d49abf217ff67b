package palate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// say adds votes of one group, written as a>b or a=b.
func say(t *testing.T, b *Builder, user string, weight float64, votes ...string) {
	t.Helper()
	group := b.NewGroup()
	for _, v := range votes {
		vote := Vote{User: -1, Left: b.Item(v[:1]), Right: b.Item(v[2:]), Weight: weight, Group: group}
		if user != "" {
			vote.User = b.User(user)
		}
		if v[1] == '=' {
			vote.Outcome = Tie
		}
		if err := b.Add(vote); err != nil {
			t.Fatal(err)
		}
	}
}

// text writes answers with the names of items.
func text(d *Dataset, answers []Answer) (out []string) {
	for _, a := range answers {
		s := fmt.Sprintf("%d×%g", a.User, a.Weight)
		for _, c := range a.Said {
			sign := ">"
			if c.Tie {
				sign = "="
			}
			s += " " + d.ItemID(c.A) + sign + d.ItemID(c.B)
		}
		out = append(out, s)
	}
	return out
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		votes []string
		want  string // empty: no answer
	}{
		{"ranking", []string{"a>b", "a>c", "b>c", "a>d", "b>d", "c>d"}, "a>b b>c c>d"},
		{"choice", []string{"b>a", "b>c", "b>d"}, "b>a b>c b>d"},
		{"best and worst", []string{"a>b", "a>c", "a>d", "b>d", "c>d"}, "a>b a>c b>d c>d"},
		{"places shared", []string{"a>b", "a>c", "b=c", "b>d", "c>d", "a>d"}, "a>b a>c b=c b>d c>d"},
		{"two orders", []string{"a>b", "c>d"}, "a>b c>d"},
		{"said twice", []string{"a>b", "b>c", "a>b"}, "a>b b>c"},
		{"a tie that is near both", []string{"a=b", "b=c", "a>c"}, "a=b a>c b=c"},
		{"circle", []string{"a>b", "b>c", "c>a"}, ""},
		{"both ways", []string{"a>b", "b>a"}, ""},
		{"a tie across a third", []string{"a>b", "b>c", "a=c"}, ""},
		{"two ties across two steps", []string{"a>b", "b>c", "a=d", "c=d"}, ""},
		{"a pair", []string{"a>b"}, ""},
	} {
		b := NewBuilder()
		for _, id := range []string{"a", "b", "c", "d"} {
			b.Item(id)
		}
		say(t, b, "", 1, c.votes...)
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		answers, rest := d.Answers(nil)
		if c.want == "" {
			if len(answers) > 0 || rest.NumVotes() != len(c.votes) {
				t.Errorf("%s: answers %v", c.name, text(d, answers))
			}
			continue
		}
		if got := text(d, answers); len(got) != 1 || got[0] != "-1×1 "+c.want || rest.NumVotes() != 0 {
			t.Errorf("%s: %v, want %s; %d votes beside", c.name, got, c.want, rest.NumVotes())
		}
	}
}

// Answers are made of choices, or are not.
func TestAnswerChoices(t *testing.T) {
	for _, c := range []struct {
		votes []string
		want  string // the items of every choice, the chosen one first, − where it is the worst
	}{
		{[]string{"a>b", "b>c", "c>d"}, "abcd bcd cd"},
		{[]string{"b>a", "b>c", "b>d"}, "bacd"},
		{[]string{"a>b", "a>c", "b>d", "c>d"}, "abcd -dbc"},
		{[]string{"d>c", "d>b", "c>a", "b>a"}, "dabc -abc"},
		{[]string{"a>d", "b>d", "c>d"}, "-dabc"},
		{[]string{"b>a", "a>c", "a>d"}, "bacd acd"},
		{[]string{"a>b", "c>d"}, ""},
		{[]string{"a>c", "a>d", "b>c", "b>d"}, ""},
		{[]string{"a>b", "a>c", "a>d", "c=d"}, ""},
	} {
		var a Answer
		for _, v := range c.votes {
			a.Said = append(a.Said, Comparison{int(v[0]), int(v[2]), v[1] == '='})
		}
		made, ok := a.Choices()
		var got []string
		for _, x := range made {
			text := ""
			if x.Worst {
				text = "-"
			}
			for _, i := range x.Items {
				text += string(rune(i))
			}
			got = append(got, text)
		}
		if ok != (c.want != "") || ok && strings.Join(got, " ") != c.want {
			t.Errorf("%v: %q, %v; want %q", c.votes, got, ok, c.want)
		}
	}
}

// Answers put items in levels, or say less than that.
func TestAnswerLevels(t *testing.T) {
	for _, c := range []struct {
		votes []string
		want  string // the items of every level
	}{
		{[]string{"a>b", "b>c", "c>d"}, "a b c d"},
		{[]string{"b>a", "b>c", "b>d"}, "b acd"},
		{[]string{"a>b", "a>c", "b>d", "c>d"}, "a bc d"},
		{[]string{"a>c", "a>d", "b>c", "b>d", "c>e", "d>e"}, "ab cd e"},
		{[]string{"a>d", "b>d", "c>d"}, "abc d"},
		{[]string{"a>b", "c>d"}, ""},
		{[]string{"a>b", "a>c", "b>d"}, ""},
		{[]string{"a>b", "b>d", "c>d"}, ""},
		{[]string{"a>b", "a>c", "b=c"}, ""},
	} {
		var a Answer
		for _, v := range c.votes {
			a.Said = append(a.Said, Comparison{int(v[0]), int(v[2]), v[1] == '='})
		}
		levels, ok := a.Levels()
		var got []string
		for _, items := range levels {
			text := ""
			for _, i := range items {
				text += string(rune(i))
			}
			got = append(got, text)
		}
		if ok != (c.want != "") || ok && strings.Join(got, " ") != c.want {
			t.Errorf("%v: %q, %v; want %q", c.votes, got, ok, c.want)
		}
	}
}

// Equal answers are counted, of one user where users are told apart; those that weigh less than one, or differently, or
// are of several users, are votes, and weigh what they tell.
func TestAnswersAreCounted(t *testing.T) {
	b := NewBuilder()
	say(t, b, "ann", 1, "a>b", "b>c", "a>c")
	say(t, b, "bob", 2, "a>b", "b>c", "a>c")
	say(t, b, "bob", 1.5, "a>b", "b>c", "a>c")
	say(t, b, "bob", 0.5, "b>a", "a>c", "b>c")
	say(t, b, "", 1, "c>a", "c>b")
	for k, weight := range []float64{1, 2} { // of one group
		if k == 0 {
			b.NewGroup()
		}
		if err := b.Add(Vote{User: -1, Left: 0, Right: 1 + k, Weight: weight, Group: b.groups}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Say("ann", "c", "a", Left); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	pooled, rest := d.Answers(nil)
	if got := text(d, pooled); !slices.Equal(got, []string{"-1×4.5 a>b b>c", "-1×1 c>a c>b"}) {
		t.Errorf("pooled: %q", got)
	}
	if rest.NumVotes() != 6 || rest.Vote(0).Weight != 1.0/3 {
		t.Errorf("%d votes beside, the first of weight %g", rest.NumVotes(), rest.Vote(0).Weight)
	}
	apart, _ := d.Answers(d.Units())
	if got := text(d, apart); !slices.Equal(got, []string{"-1×1 c>a c>b", "0×1 a>b b>c", "1×3.5 a>b b>c"}) {
		t.Errorf("by user: %q", got)
	}
}

// What follows from an answer is the same whatever the order of its votes, and reduced
// comparisons tell all.
func TestAnswersAreReduced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		const n = 7
		order := rng.Perm(n)
		var said []Comparison
		for i := range n {
			for j := i + 1; j < n; j++ {
				if rng.IntN(3) > 0 {
					said = append(said, Comparison{A: order[i], B: order[j]})
				}
			}
		}
		closure := func(said []Comparison) (all [n][n]bool) {
			for _, c := range said {
				all[c.A][c.B] = true
			}
			for k := range n {
				for i := range n {
					for j := range n {
						all[i][j] = all[i][j] || all[i][k] && all[k][j]
					}
				}
			}
			return all
		}
		few := reduced(said)
		if closure(few) != closure(said) {
			t.Fatalf("%v tells less than %v", few, said)
		}
		for k := range few {
			if closure(slices.Delete(slices.Clone(few), k, k+1)) == closure(said) {
				t.Errorf("%v follows from the rest of %v", few[k], few)
			}
		}
		rng.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
		again := reduced(said)
		slices.SortFunc(again, Comparison.compare)
		slices.SortFunc(few, Comparison.compare)
		if !slices.Equal(again, few) {
			t.Errorf("in another order %v, not %v", again, few)
		}
	}
}
