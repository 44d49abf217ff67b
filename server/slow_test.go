package server

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	source "go/token"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palate/store"
)

// gate holds up the first who begins a task, until it is opened.
type gate struct {
	task          task
	first         sync.Once
	reached, open chan struct{}
}

// gates is what holds up tasks: one gate at a time.
type gates struct{ now atomic.Pointer[gate] }

func (g *gates) begins(t task) {
	at := g.now.Load()
	if at == nil || at.task != t {
		return
	}
	at.first.Do(func() {
		g.now.Store(nil) // others pass
		close(at.reached)
		<-at.open
	})
}

func (g *gates) hold(t task) *gate {
	at := &gate{task: t, reached: make(chan struct{}), open: make(chan struct{})}
	g.now.Store(at)
	return at
}

// long is when something is taken to hang.
const long = 8 * time.Minute

// TestNothingWaitsForSlow stops every slow task in its midst: meanwhile, votes come
// in, are taken back, and questions are asked, on the same board.
func TestNothingWaitsForSlow(t *testing.T) {
	var g gates
	s, _ := start(t, Options{Duty: 1, begins: g.begins})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(40)}).Board.ID
	links, err := s.Invite(ctx, b, "owner", "team", []string{"ann", "bob", "cyd"})
	if err != nil {
		t.Fatal(err)
	}
	castMany(t, s, b, links, 2000)
	l, err := s.board(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	ann, bob, cyd := links[0].Voter.ID, links[1].Voter.ID, links[2].Voter.ID
	if _, err := s.Leaderboard(ctx, b, View{Voter: bob}); err != nil {
		t.Fatal(err)
	}
	learnt := func(group string) func() bool {
		return func() bool {
			l.studies.mu.Lock()
			defer l.studies.mu.Unlock()
			return !l.studies.of(group).last.at.IsZero()
		}
	}
	show := func(v View, waits bool) func() error {
		return func() error {
			x, err := s.Leaderboard(ctx, b, v)
			if err == nil && x.Waiting != waits {
				return fmt.Errorf("waiting: %t", x.Waiting)
			}
			if err == nil && v != (View{}) && x.Until.IsZero() != waits {
				return fmt.Errorf("votes up to %v", x.Until)
			}
			return err
		}
	}
	pipe, to := io.Pipe()
	rows := []struct {
		name   string
		task   task
		by     string // method of Service
		do     func() error
		before bool // is answered while the task is held up
	}{
		{"pair", choosing, "Ask", func() error { _, err := s.Ask(ctx, b, cyd); return err }, false},
		{"refit", refitting, "", func() error { return s.refitBoard(l) }, false},
		{"board", ranking, "Leaderboard", show(View{}, false), false},
		{"group", learning, "Leaderboard", show(View{Group: "team"}, true), true},
		{"own", folding, "Leaderboard", show(View{Voter: ann}, false), false},
		{"chance", folding, "Predict", func() error { _, err := s.Predict(ctx, b, View{Voter: ann}, "i0", "i1"); return err }, false},
		{"wins", counting, "Matrix", func() error { _, err := s.Matrix(ctx, b); return err }, false},
		{"checks", surveying, "Trust", func() error { _, err := s.Trust(ctx, b); return err }, false},
		{"people", describing, "Voters", func() error { _, err := s.Voters(ctx, b); return err }, false},
		{"votes", exporting, "Export", func() error { return s.Export(ctx, b, io.Discard, ExportOptions{}) }, false},
		{"votes that nobody reads", "", "Export", func() error { return s.Export(ctx, b, to, ExportOptions{}) }, false},
	}
	wait(t, learnt(""))
	votes := 0
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			at := g.hold(r.task)
			if r.task == "" { // held up by what it writes to
				close(at.reached)
			}
			open := sync.OnceFunc(func() { close(at.open) })
			defer open() // whatever fails
			result := make(chan error, 1)
			go func() { result <- r.do() }()
			within(t, "the task", at.reached)
			within(t, "votes", lively(t, s, b, bob, &votes))
			if r.before {
				within(t, "an answer", result)
			}
			open()
			if r.task == "" {
				go io.Copy(io.Discard, pipe)
			}
			if !r.before {
				if err := within(t, "the result", result); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	wait(t, learnt("team"))
	wait(t, func() bool { return show(View{Group: "team"}, false)() == nil })
	var held []task
	methods := map[string]bool{}
	for _, r := range rows {
		held, methods[r.by] = append(held, r.task), true
	}
	for _, x := range tasks {
		if !slices.Contains(held, x) {
			t.Errorf("nothing is held up in: %s", x)
		}
	}
	for m := range reflect.TypeFor[*Service]().Methods() {
		if !methods[m.Name] && !slices.Contains(strings.Fields(quickMethods), m.Name) {
			t.Errorf("is %s slow? It is in neither table", m.Name)
		}
	}
}

// quickMethods take as long as the store does, or as what they are given or return is long; Goal is
// Best or Leaderboard.
const quickMethods = `
	ActsFor AddItems AddOwner AddWebhook Allow Audit AwaitImport BeginSSO Belongs Best Board CancelImport Close Comments Create Decide Delete DropWebhook Duplicate Edit EndSSO EndStreams Erase Enter EnterAdmin EnterOwner EnterPassword EnterPrivate
	ExcludeItem ExcludeVoter Goal Groups HasSSO Identify Import ImportOf Imports Invite Invited IsAdmin Items Join Keep MayCreate Media Mine
	NeedsAdmin NewToken Owners PointOf Proposals Propose ReadItems Ready Records RecordsOf RemoveOwner RenewLink RenewOwner Restore RevokeLink RevokeToken Sees SetAsking SetClosed SetPassword
	SetPublic SetRules SetSettings Subscribe Tell Tokens Undo ViewFor VotesOf Watchers Webhooks WriteMetrics`

// within waits for something, and returns it.
func within[T any](t *testing.T, what string, c <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-c:
	case <-time.After(long):
		t.Fatalf("waited for %s", what)
	}
	return x
}

// lively votes, takes it back, and asks; the channel is closed when all went through.
func lively(t *testing.T, s *Service, b, voter string, n *int) <-chan struct{} {
	done := make(chan struct{})
	*n++
	k := *n
	go func() {
		defer close(done)
		ctx := context.WithoutCancel(t.Context())
		a := Answer{Left: fmt.Sprintf("i%d", k), Right: "i0", Key: fmt.Sprint("lively ", k)}
		if _, err := s.Tell(ctx, b, voter, a); err != nil {
			t.Error(err)
		}
		if _, err := s.Undo(ctx, b, voter); err != nil {
			t.Error(err)
		}
		if _, err := s.Ask(ctx, b, voter); err != nil {
			t.Error(err)
		}
	}()
	return done
}

// castMany imports votes of other people, and has some cast a few.
func castMany(t *testing.T, s *Service, b string, who []Invitation, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	var file strings.Builder
	file.WriteString("user,left,right,winner\n")
	for k := range n {
		i := rng.IntN(40)
		j, side := (i+1+rng.IntN(39))%40, "left"
		if float64(i)+5*rng.NormFloat64() > float64(j) {
			side = "right"
		}
		fmt.Fprintf(&file, "v%d,i%d,i%d,%s\n", k%20, i, j, side)
	}
	i, err := s.Import(t.Context(), b, "owner", "votes.csv", strings.NewReader(file.String()), store.ImportSettings{})
	if err != nil {
		t.Fatal(err)
	}
	await(t, s, i)
	for _, w := range who {
		castVotes(t, s, b, w.Voter.ID, 5, rng)
	}
}

// TestSlowCallsAreUnlocked reads the source: no call that may take long stands
// between a Lock and its Unlock, and nothing goes over all votes of a live board.
func TestSlowCallsAreUnlocked(t *testing.T) {
	slow := []string{"FitSingle", "FitPopulation", "NewBoard", "Next", "Settled", "FoldIn", "dataset", "sorted", "Online", "goOn", "SaveState", "fitSingle", "moment", "slow", "voters", "matrix", "checks", "survey", "leaderboard", "taster"}
	fset := source.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				calls += checkLocks(t, fset, fn, slow)
			}
		}
	}
	if calls < len(slow) {
		t.Errorf("%d calls that may take long: is the list of names out of date?", calls)
	}
}

// checkLocks looks through one function, in the order of its text.
func checkLocks(t *testing.T, fset *source.FileSet, fn *ast.FuncDecl, slow []string) (calls int) {
	locked, deferred := "", map[ast.Node]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			deferred[n.Call] = true
		case *ast.RangeStmt:
			if text(n.X) == "l.records" {
				t.Errorf("%s goes over all votes of a live board: read a moment off", fset.Position(n.Pos()))
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch on := text(f.X); {
			case on == "l.mu" && strings.HasSuffix(f.Sel.Name, "Unlock"):
				if !deferred[n] {
					locked = ""
				}
			case on == "l.mu":
				locked = on
			case slices.Contains(slow, f.Sel.Name):
				calls++
				if locked != "" {
					t.Errorf("%s: %s under the lock of the board", fset.Position(n.Pos()), f.Sel.Name)
				}
			}
		}
		return true
	})
	return calls
}

// text is a name, or names with dots between them.
func text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return text(x.X) + "." + x.Sel.Name
	}
	return ""
}

// TestRest: however many work, together they take no more than their share.
func TestRest(t *testing.T) {
	for _, duty := range []float64{0.1, 0.25, 1} {
		for workers := 1; workers <= 3; workers++ {
			worked := 10 * time.Second
			share := float64(workers) * float64(worked) / float64(worked+rest(worked, workers, duty))
			if share > duty+1e-9 {
				t.Errorf("%d workers take %g of %g", workers, share, duty)
			}
		}
	}
}
