package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"palate/internal/cli"
	"palate/model"
	"palate/server/web"
)

// ofVoting are the flags of load that are about boards and votes.
func ofVoting() []string {
	return []string{"server", "boards", "items", "voters", "rate", "workers", "kill", "import", "watchers", "backup", "touch", "db", "away"}
}

// asked are kinds of requests to a server of a model, with how long they took.
type asked struct {
	What     string  `json:"what"`
	Requests int     `json:"requests"`
	MS       summary `json:"ms"`

	path  string
	body  func(who web.ForJSON) any
	fresh bool // whether somebody new asks
	took  durations
}

// askModel runs a server of a model file, asks it for predictions, lists and neighbours, one
// request after the other, and says how long these took.
func (l *load) askModel(ctx context.Context, w io.Writer) error {
	m, err := model.Open(l.model)
	if err != nil {
		return err
	}
	child, err := startServer(ctx, "--model", l.model)
	if err != nil {
		return err
	}
	defer child.stop()
	rng := rand.New(rand.NewPCG(l.seed, 0))
	kinds := l.requests(m, rng)
	r := newRemote(child.address, "")
	until := time.Now().Add(time.Duration(l.seconds * float64(time.Second)))
	for k := 0; k < 3*len(kinds) || time.Now().Before(until); k++ {
		a := kinds[k%len(kinds)]
		in := a.body(l.asker(m, a.fresh, rng))
		began := time.Now()
		var out any
		switch err := r.call(ctx, http.MethodPost, "/api/model/"+a.path, in, &out); {
		case ctx.Err() != nil:
			return cli.ErrInterrupted
		case err != nil:
			return err
		}
		a.took.add(time.Since(began))
	}
	for _, a := range kinds {
		a.Requests, a.MS = len(a.took.all), a.took.summary()
	}
	if l.json {
		return printJSON(w, kinds)
	}
	for _, a := range kinds {
		fmt.Fprintf(w, "%-*s  %4d times  ms p50 %.1f  p90 %.1f  p99 %.1f  max %.1f\n", longest(kinds), a.What, a.Requests, a.MS.P50, a.MS.P90, a.MS.P99, a.MS.Max)
	}
	return nil
}

// requests are those that a model can answer.
func (l *load) requests(m model.Model, rng *rand.Rand) []*asked {
	predict := func(who web.ForJSON) any {
		in := web.PairsJSON{ForJSON: who}
		for range l.pairs {
			i, j := twoOf(m.NumItems(), rng)
			in.Left, in.Right = append(in.Left, m.ItemID(i)), append(in.Right, m.ItemID(j))
		}
		return in
	}
	top := func(who web.ForJSON) any { return web.WantedJSON{ForJSON: who, Number: 20} }
	pairs := fmt.Sprintf("%d predictions", l.pairs)
	all := []*asked{{What: pairs, path: "predict", body: predict}, {What: "a list of 20", path: "top", body: top}}
	if _, ok := m.(model.Welcomer); ok {
		all = append(all,
			&asked{What: pairs + " for somebody new", path: "predict", body: predict, fresh: true},
			&asked{What: "a list of 20 for somebody new", path: "top", body: top, fresh: true})
	}
	return all
}

// asker is a voter of the model, or somebody new with ten votes.
func (l *load) asker(m model.Model, fresh bool, rng *rand.Rand) (who web.ForJSON) {
	switch {
	case fresh:
		for range 10 {
			i, j := twoOf(m.NumItems(), rng)
			who.Votes = append(who.Votes, web.BallotJSON{Left: m.ItemID(i), Right: m.ItemID(j), Outcome: "left"})
		}
	case m.NumUsers() > 0:
		who.Voter = m.UserID(rng.IntN(m.NumUsers()))
	}
	return who
}

// twoOf draws two different numbers below n.
func twoOf(n int, rng *rand.Rand) (int, int) {
	i, j := rng.IntN(n), rng.IntN(n-1)
	if j >= i {
		j++
	}
	return i, j
}

// longest is the length of the longest name.
func longest(all []*asked) int {
	return len(slices.MaxFunc(all, func(a, b *asked) int { return cmp.Compare(len(a.What), len(b.What)) }).What)
}
