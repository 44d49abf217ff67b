package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/server"
	"palate/server/web"
)

// load is the command that votes as many people would, and checks that every vote
// is there afterwards, once.
type load struct {
	servers               []string
	boards, items, voters int
	rate                  float64
	seconds               float64
	workers               int
	kills                 int
	database, model       string
	pairs                 int
	seed                  uint64
	json, away            bool
	outages               outages
	imports               int
	beside                beside
	watching              watching
	touch, backup         bool
	backups               backups
}

// The most that load does, so that a slip does no harm.
const (
	mostBoards  = 1000
	mostVoters  = 10_000
	mostSeconds = 3600
)

func newLoad() *cobra.Command {
	l := &load{}
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Vote as many people would, and check that no vote is lost or counted twice",
		Long: `Make boards on a server and let many voters answer questions at a given rate, for a
while. It prints how long questions and answers took, then reads all votes back: every
one that was acknowledged must be there, once.

With --kill it runs the server itself, on the database of --db, ends it again and again
as a crash would (kill -9), and starts it anew; in the end every board must equal a
fresh fit of its votes. With --import it imports a file into a further board meanwhile,
every row of which must be there in the end, once; a server is then killed when the import
has gone on since the last time. With --backup it copies and restores the database of
--db all the while; every copy must have the votes of one time. With --watchers so many
browsers look at the first board meanwhile, each of which asks for the leaderboard when it
hears that it has moved. With --touch it runs the server itself, too, and in the end
starts it anew and looks at one board: it says what that took.

With --model it runs a server of that model file, and asks it for the chances of --pairs
pairs and for lists of twenty items, for voters of the model and for somebody new with ten
votes, one request after the other; there are no boards then.

The server must be on this machine unless --away says otherwise.`,
		Example: `  palate load --boards 50 --items 100 --rate 500 --seconds 60
  palate load --rate 500 --seconds 60 --import 1000000
  palate load --kill 50 --db crash.db
  palate load --kill 50 --db crash.db --import 300000
  palate load --kill 50 --db crash.db --backup
  palate load --boards 1 --items 10000 --rate 20 --watchers 2000
  palate load --boards 1 --items 200 --import 1000000 --touch --db large.db
  palate load --model tastes.palate`,
		Args: cobra.NoArgs,
		RunE: l.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&l.servers, "server", []string{"http://127.0.0.1:8080"}, "`ADDRESSES` of servers, which share the voters")
	f.IntVar(&l.boards, "boards", 5, "`NUMBER` of boards")
	f.IntVar(&l.items, "items", 100, "`NUMBER` of items of each")
	f.IntVar(&l.voters, "voters", 20, "`NUMBER` of voters on each")
	f.Float64Var(&l.rate, "rate", 100, "`NUMBER` of votes a second, altogether")
	f.Float64Var(&l.seconds, "seconds", 10, "`SECONDS` that it lasts")
	f.IntVar(&l.workers, "workers", 32, "most `NUMBER` of voters at the same moment")
	f.IntVar(&l.kills, "kill", 0, "run the server here, and end it this `NUMBER` of times")
	f.IntVar(&l.imports, "import", 0, "import this `NUMBER` of votes into a further board meanwhile")
	f.IntVar(&l.watching.watchers, "watchers", 0, "`NUMBER` of browsers that look at the first board meanwhile")
	f.BoolVar(&l.backup, "backup", false, "with --db: copy the database all the while, and check every copy")
	f.BoolVar(&l.touch, "touch", false, "run the server here, and say what the first look at a board takes after a restart")
	f.StringVar(&l.database, "db", "", "with --kill and --touch: `FILE` or address of its database")
	f.StringVar(&l.model, "model", "", "`FILE` of a model: run a server of it, and ask it")
	f.IntVar(&l.pairs, "pairs", 5000, "with --model: `NUMBER` of predictions of a request")
	f.Uint64Var(&l.seed, "seed", 1, "`SEED` of what voters like")
	f.BoolVar(&l.json, "json", false, "print JSON")
	f.BoolVar(&l.away, "away", false, "allow servers on other machines; make sure that they are yours")
	return cmd
}

func (l *load) check() error {
	switch {
	case l.boards < 1 || l.boards > mostBoards || l.voters < 1 || l.boards*l.voters > mostVoters:
		return cli.Usage("--boards is at most %d, with at most %d voters altogether", mostBoards, mostVoters)
	case l.items < 2 || l.items > server.MaxItems:
		return cli.Usage("--items is 2 to %d", server.MaxItems)
	case !(l.rate > 0 && l.rate <= 1e5) || !(l.seconds > 0 && l.seconds <= mostSeconds) || l.workers < 1 || l.workers > 1000:
		return cli.Usage("--rate is at most 100000, --seconds at most %d, --workers 1 to 1000", mostSeconds)
	case l.pairs < 1 || l.pairs > 100_000:
		return cli.Usage("--pairs is 1 to 100000")
	case l.imports < 0 || l.imports > 2_000_000:
		return cli.Usage("--import is at most 2000000")
	case l.kills < 0 || l.kills > 1000 || (l.kills > 0 || l.touch) != (l.database != ""):
		return cli.Usage("--db goes together with --kill or --touch")
	case l.backup && (l.database == "" || isPostgres(l.database)):
		return cli.Usage("--backup copies a file, that of --db")
	case l.watching.watchers < 0 || l.watching.watchers > mostVoters:
		return cli.Usage("--watchers is at most %d", mostVoters)
	}
	for _, s := range l.servers {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" {
			return cli.Usage("--server %q is not an address", s)
		}
		if ip := net.ParseIP(u.Hostname()); !l.away && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return cli.Usage("%s is not on this machine; --away allows it", s)
		}
	}
	return nil
}

func (l *load) run(cmd *cobra.Command, _ []string) error {
	if err := l.check(); err != nil {
		return err
	}
	ctx := cmd.Context()
	if l.model != "" {
		if err := without(cmd, ofVoting(), "with --model there are no boards"); err != nil {
			return err
		}
		return l.askModel(ctx, cmd.OutOrStdout())
	}
	if l.database != "" {
		child, err := startServer(ctx, "--db", l.database, "--key-in-database", "--votes-per-minute", "-1")
		if err != nil {
			return err
		}
		defer child.stop()
		l.servers = []string{child.address}
		defer l.outages.end() // before the server is let end
		l.outages.child = child
	}
	stands, err := l.setUp(ctx)
	if err != nil {
		return err
	}
	if l.imports > 0 {
		further := &load{servers: l.servers[:1], boards: 1, items: l.items, voters: 1}
		board, err := further.setUp(ctx)
		if err != nil {
			return err
		}
		l.beside.start(ctx, l, board[0])
	}
	if l.kills > 0 {
		l.outages.start(ctx, l)
	}
	if l.watching.watchers > 0 {
		l.watching.start(ctx, l.servers[0], stands[0].board)
	}
	if l.backup {
		l.backups.start(ctx, l.database)
	}
	figures := l.vote(ctx, stands)
	figures.Watch = l.watching.end()
	if l.imports > 0 {
		<-l.beside.done
		if l.beside.err != nil {
			return l.beside.err
		}
		figures.ImportSeconds = l.beside.seconds
	}
	if l.kills > 0 {
		if err := l.outages.end(); err != nil {
			return err
		}
		figures.Kills, figures.KillsInImport = l.outages.kills, l.outages.inImport
	}
	if figures.Backups, err = l.backups.end(ctx, l.database); err != nil {
		return err
	}
	if err := l.verify(ctx, stands, figures); err != nil {
		return err
	}
	if l.touch {
		looked := stands[0]
		if l.imports > 0 {
			looked = l.beside.stand
		}
		if figures.Touch, err = l.outages.child.touch(ctx, looked); err != nil {
			return err
		}
	}
	return figures.print(cmd.OutOrStdout(), l.json)
}

// stand is a board with its voters.
type stand struct {
	board, secret string
	voters        []sync.Mutex // each does one thing at a time
	mu            sync.Mutex
	told          map[int64]bool // acknowledged, by Seq
}

func (l *load) setUp(ctx context.Context) ([]*stand, error) {
	in := web.CreateJSON{Public: l.watching.watchers > 0}
	for i := range l.items {
		in.Items = append(in.Items, web.ItemJSON{ID: fmt.Sprintf("item %d", i)})
	}
	var stands []*stand
	for b := range l.boards {
		in.Title = fmt.Sprintf("load %d", b)
		var made web.CreatedJSON
		err := patiently(ctx, func() error {
			return newRemote(l.servers[b%len(l.servers)], os.Getenv("PALATE_ADMIN")).call(ctx, http.MethodPost, "/api/boards", in, &made)
		})
		if err != nil {
			return nil, err
		}
		stands = append(stands, &stand{board: made.Board.ID, secret: made.Secret, voters: make([]sync.Mutex, l.voters), told: map[int64]bool{}})
	}
	return stands, nil
}

// vote lets voters ask and answer at the wanted rate. Each turn belongs to one
// voter; when all workers are busy turns wait, and the wait counts.
func (l *load) vote(ctx context.Context, stands []*stand) *figures {
	f := newFigures()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l.seconds*float64(time.Second))+time.Minute)
	defer cancel()
	turns := make(chan turn, 100_000)
	var wg sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: l.workers, MaxConnsPerHost: l.workers}
	for w := range l.workers {
		rng := rand.New(rand.NewPCG(l.seed, uint64(w)))
		wg.Go(func() {
			for t := range turns {
				l.take(ctx, t, f, rng, transport)
			}
		})
	}
	began := time.Now()
	total := int(l.rate * l.seconds)
	for k := range total {
		due := began.Add(time.Duration(float64(k) / l.rate * float64(time.Second)))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			break
		}
		turns <- turn{stands[k%len(stands)], (k / len(stands)) % l.voters}
	}
	close(turns)
	wg.Wait()
	f.Seconds = time.Since(began).Seconds()
	return f
}

// turn is one voter's question.
type turn struct {
	*stand
	voter int
}

// take asks a question and tells the answer.
func (l *load) take(ctx context.Context, t turn, f *figures, rng *rand.Rand, transport http.RoundTripper) {
	t.voters[t.voter].Lock()
	defer t.voters[t.voter].Unlock()
	r := &remote{l.servers[t.voter%len(l.servers)], t.secret, &http.Client{Transport: transport, Timeout: 20 * time.Second}}
	name := fmt.Sprintf("voter %d", t.voter)
	var q web.QuestionJSON
	began := time.Now()
	err := patiently(ctx, func() error {
		began = time.Now()
		return f.heard(r.call(ctx, http.MethodPost, "/api/boards/"+t.board+"/ask", web.VoterJSON{Voter: name}, &q))
	})
	if err != nil {
		f.failed(err)
		return
	}
	f.asks.add(time.Since(began))
	// Items have a true order, about which voters err.
	a := web.AnswerJSON{Voter: name, Question: q.Question, Outcome: "left"}
	var left, right int
	fmt.Sscanf(q.Left.ID+" "+q.Right.ID, "item %d item %d", &left, &right)
	if float64(left)+10*rng.NormFloat64() > float64(right) {
		a.Outcome = "right"
	}
	var got web.ReceiptJSON
	err = patiently(ctx, func() error {
		began = time.Now()
		return f.heard(r.call(ctx, http.MethodPost, "/api/boards/"+t.board+"/tell", a, &got))
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		f.failed(err)
		return
	}
	f.tells.add(time.Since(began))
	t.told[got.Seq] = true
}

// patiently tries again while a server is away: what it is told twice counts
// once.
func patiently(ctx context.Context, work func() error) error {
	wait := 20 * time.Millisecond
	for {
		err := work()
		if r, ok := err.(*refusal); err == nil || ctx.Err() != nil || ok && r.status != http.StatusServiceUnavailable && r.status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-time.After(wait):
			wait = min(2*wait, time.Second)
		case <-ctx.Done():
			return err
		}
	}
}

// print writes the figures.
func (f *figures) print(w io.Writer, asJSON bool) error {
	f.Ask, f.Tell = f.asks.summary(), f.tells.summary()
	f.PerSecond = float64(f.Acknowledged) / f.Seconds
	if asJSON {
		return printJSON(w, f)
	}
	fmt.Fprintf(w, "%d votes acknowledged in %.1f s: %.0f a second\n", f.Acknowledged, f.Seconds, f.PerSecond)
	for _, s := range []struct {
		what string
		summary
	}{{"ask", f.Ask}, {"tell", f.Tell}} {
		fmt.Fprintf(w, "%-4s ms  p50 %.1f  p90 %.1f  p99 %.1f  max %.1f\n", s.what, s.P50, s.P90, s.P99, s.Max)
	}
	fmt.Fprintf(w, "lost %d, twice %d, stored without an answer %d, refused at first %d, failed %d%s\n", f.Lost, f.Twice, f.Unheard, f.Refused, f.Failed, strings.TrimRight(": "+f.Why, ": "))
	if f.Watch != nil {
		fmt.Fprintf(w, "%d of %d watchers heard of %d changes and looked %d times (%d failed): ms p50 %.1f  p99 %.1f\n", f.Watch.Heard, f.Watch.Watchers, f.Watch.Changes, f.Watch.Looks, f.Watch.Failed, f.Watch.Look.P50, f.Watch.Look.P99)
	}
	if f.Touch != nil {
		fmt.Fprintf(w, "first look after a restart: %.2f s, %.2f s of a processor, %.0f MB\n", f.Touch.Seconds, f.Touch.CPU, f.Touch.MB)
	}
	if f.Imported > 0 {
		fmt.Fprintf(w, "%d votes imported beside it in %.1f s\n", f.Imported, f.ImportSeconds)
	}
	if f.Backups > 0 {
		fmt.Fprintf(w, "%d backups, each with the votes of one time\n", f.Backups)
	}
	if f.Kills > 0 {
		if f.Imported > 0 {
			fmt.Fprintf(w, "the import was under way %d of the times that the server was killed\n", f.KillsInImport)
		}
		fmt.Fprintf(w, "killed %d times; boards differ from a fresh fit by at most %.2g\n", f.Kills, f.Difference)
	}
	return nil
}
