package server

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"palate"
	"palate/internal/testdb"
	"palate/store"
)

// steps is how many steps the law is tested with: PALATE_LAW_STEPS, or a few.
func steps(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("PALATE_LAW_STEPS")); err == nil {
		return n
	}
	if testing.Short() {
		return 150
	}
	return 400
}

// TestLaw holds two servers on one database to the law of one open question a
// voter and one standing vote a pair: by random steps, one after the other, whose
// every outcome is known beforehand, and then by many connections at once.
func TestLaw(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			l := newLaw(t, startOn(t, open(), Options{Poll: 5 * time.Millisecond}), startOn(t, open(), Options{Poll: 5 * time.Millisecond, Seed: 2}))
			n := steps(t)
			for k := range n {
				l.step(k)
				if t.Failed() {
					t.Fatalf("at step %d of %d: %v", k, n, l.did)
				}
				if k%100 == 99 || k == n-1 {
					l.agree()
				}
			}
			l.crowd(max(2, n/100))
			l.agree()
		})
	}
}

// law is what must be, beside what is.
type law struct {
	t       *testing.T
	rng     *rand.Rand
	servers [2]*Service
	board   string
	items   []string
	people  []*lawVoter
	files   map[string]bool // that were imported
	did     []string
}

// lawVoter is a voter as the law has it.
type lawVoter struct {
	id     string
	name   string               // by which files name them
	tokens []string             // all that were ever handed out
	told   map[string]int64     // those that were answered, and the vote's number
	open   string               // the token of the open question, empty when it is not known
	again  *[2]string           // left and right of the pair that an undo has opened
	stands map[string]lawRecord // by pair
	keys   int
}

type lawRecord struct {
	seq     int64
	outcome palate.Outcome
}

func newLaw(t *testing.T, a, b *Service) *law {
	l := &law{t: t, rng: rand.New(rand.NewPCG(3, 4)), servers: [2]*Service{a, b}, files: map[string]bool{}}
	l.board = makeBoard(t, a, NewBoard{Items: lines(4)}).Board.ID
	for i := range 4 {
		l.items = append(l.items, fmt.Sprintf("i%d", i))
	}
	for k := range 3 {
		name := fmt.Sprint("voter ", k)
		l.people = append(l.people, &lawVoter{id: voterNamed(t, a, l.board, name), name: name, told: map[string]int64{}, stands: map[string]lawRecord{}})
	}
	return l
}

func lawPair(a, b string) string { return min(a, b) + "-" + max(a, b) }

// step does something at random.
func (l *law) step(k int) {
	v, which := l.people[l.rng.IntN(len(l.people))], l.rng.IntN(2)
	s := l.servers[which]
	act := func(name string, f func(*Service, *lawVoter)) {
		l.did = append(l.did, fmt.Sprintf("%s at %d by %s", name, which, v.id))
		l.did = l.did[max(0, len(l.did)-12):]
		f(s, v)
	}
	switch p := l.rng.IntN(100); {
	case p < 35:
		act("ask", l.ask)
	case p < 65:
		act("tell", l.tell)
	case p < 72:
		act("replay", l.replay)
	case p < 86:
		act("undo", l.undo)
	case p < 94:
		act("own vote", l.own)
	default:
		act("import", l.imports)
	}
	l.holds(s, v)
}

// ask: the open question is returned; without one, a pair that nothing stands on.
func (l *law) ask(s *Service, v *lawVoter) {
	q, err := s.Ask(l.t.Context(), l.board, v.id)
	if len(v.stands) == 6 {
		if !errors.Is(err, ErrDone) {
			l.t.Errorf("a question after all pairs: %v %v", q, err)
		}
		return
	}
	if err != nil {
		l.t.Error(err)
		return
	}
	if _, stands := v.stands[lawPair(q.Left.ID, q.Right.ID)]; stands {
		l.t.Errorf("asked about a pair that was answered: %s, %s", q.Left.ID, q.Right.ID)
	}
	if v.again != nil && (q.Left.ID != v.again[0] || q.Right.ID != v.again[1]) {
		l.t.Errorf("after an undo of %v: %s, %s", *v.again, q.Left.ID, q.Right.ID)
	}
	if v.open != "" && q.Token != v.open {
		l.t.Errorf("asked again, another question")
	}
	if v.open != q.Token {
		v.tokens = append(v.tokens, q.Token)
	}
	v.open, v.again = q.Token, nil
}

func (l *law) pairOf(token string) string {
	var a asked
	if !l.servers[0].verify(token, &a) {
		l.t.Errorf("not a question: %s", token)
	}
	return lawPair(l.items[a.Left], l.items[a.Right])
}

// tell: an answer to the open question is fresh; to one that was answered it
// changes nothing; to any other it is refused.
func (l *law) tell(s *Service, v *lawVoter) {
	if len(v.tokens) == 0 {
		return
	}
	token := v.tokens[max(0, len(v.tokens)-1-l.rng.IntN(4))]
	outcome := palate.Outcomes()[l.rng.IntN(4)]
	r, err := s.Tell(l.t.Context(), l.board, v.id, Answer{Question: token, Outcome: outcome})
	seq, told := v.told[token]
	switch {
	case told:
		if err != nil || r.Fresh || r.Seq != seq {
			l.t.Errorf("told again: %+v, %v", r, err)
		}
	case token == v.open:
		if err != nil || !r.Fresh {
			l.t.Errorf("the open question: %+v, %v", r, err)
			return
		}
		v.told[token], v.stands[l.pairOf(token)], v.open = r.Seq, lawRecord{r.Seq, outcome}, ""
	default:
		if !errors.Is(err, ErrStale) {
			l.t.Errorf("a question that is not open: %+v, %v", r, err)
		}
	}
}

// replay tells an answer again.
func (l *law) replay(s *Service, v *lawVoter) {
	for token, seq := range v.told {
		r, err := s.Tell(l.t.Context(), l.board, v.id, Answer{Question: token, Outcome: palate.Tie})
		if err != nil || r.Fresh || r.Seq != seq {
			l.t.Errorf("replayed: %+v, %v", r, err)
		}
		return
	}
}

// undo takes back what was said last and stands, and opens its pair.
func (l *law) undo(s *Service, v *lawVoter) {
	var pair string
	for p, r := range v.stands {
		if pair == "" || r.seq > v.stands[pair].seq {
			pair = p
		}
	}
	r, err := s.Undo(l.t.Context(), l.board, v.id)
	if pair == "" {
		if !errors.Is(err, ErrNothing) {
			l.t.Errorf("nothing to take back: %+v, %v", r, err)
		}
		return
	}
	if err != nil || !r.Fresh {
		l.t.Errorf("undo: %+v, %v", r, err)
		return
	}
	var shown [2]string // as it was shown
	records, err := s.Records(l.t.Context(), l.board, v.id)
	for _, x := range records {
		if x.Seq == v.stands[pair].seq {
			shown = [2]string{x.Left, x.Right}
			if !x.Undone {
				l.t.Errorf("what was said last is not what was taken back: %+v", x)
			}
		}
	}
	if err != nil || shown[0] == "" {
		l.t.Errorf("records %+v, %v", records, err)
	}
	delete(v.stands, pair)
	v.open, v.again = "", &shown
}

// own is a vote that a program brings in the voter's name: the later answer stands.
func (l *law) own(s *Service, v *lawVoter) {
	i := l.rng.IntN(4)
	a := Answer{Left: l.items[i], Right: l.items[(i+1+l.rng.IntN(3))%4], Key: fmt.Sprint(v.keys), Outcome: palate.Outcomes()[l.rng.IntN(4)]}
	v.keys++
	r, err := s.Tell(l.t.Context(), l.board, v.id, a)
	if err != nil || !r.Fresh {
		l.t.Errorf("own vote: %+v, %v", r, err)
		return
	}
	l.answered(v, lawPair(a.Left, a.Right), lawRecord{r.Seq, a.Outcome})
	if again, err := s.Tell(l.t.Context(), l.board, v.id, a); err != nil || again.Fresh || again.Seq != r.Seq {
		l.t.Errorf("own vote again: %+v, %v", again, err)
	}
}

// answered is an answer that did not come by the open question: it stands, and a
// question about its pair is not open any more.
func (l *law) answered(v *lawVoter, pair string, r lawRecord) {
	v.stands[pair] = r
	if v.open != "" && l.pairOf(v.open) == pair {
		v.open = ""
	}
	if v.again != nil && lawPair(v.again[0], v.again[1]) == pair {
		v.again = nil
	}
}

// imports is a file with some votes of one voter and some of another: of each the later
// answer to a pair stands, be it of the same file. A file that was read before adds
// nothing.
func (l *law) imports(s *Service, v *lawVoter) {
	type row struct {
		pair    string
		outcome palate.Outcome
	}
	told := map[*lawVoter][]row{v: nil, l.people[l.rng.IntN(len(l.people))]: nil}
	file := "user,left,right,winner\n"
	for _, who := range l.people {
		if _, named := told[who]; !named {
			continue
		}
		for range 1 + l.rng.IntN(4) {
			i := l.rng.IntN(4)
			j, outcome := (i+1+l.rng.IntN(3))%4, palate.Outcomes()[l.rng.IntN(4)]
			file += fmt.Sprintf("%s,%s,%s,%s\n", who.name, l.items[i], l.items[j], outcome)
			told[who] = append(told[who], row{lawPair(l.items[i], l.items[j]), outcome})
		}
	}
	s.caughtUp(l.t, l.board)
	before := map[*lawVoter]int{}
	for who := range told {
		before[who] = len(l.records(s, who))
	}
	i, err := s.Import(l.t.Context(), l.board, "owner", "votes.csv", strings.NewReader(file), store.ImportSettings{})
	if err != nil {
		l.t.Error(err)
		return
	}
	if i = await(l.t, s, i); i.State != store.Finished {
		l.t.Errorf("import: %+v of %s", i, file)
	}
	for who, rows := range told {
		if l.files[file] {
			rows = nil
		}
		fresh := l.records(s, who)[before[who]:]
		if len(fresh) != len(rows) {
			l.t.Errorf("%d records of %s came of a file with %d:\n%s", len(fresh), who.id, len(rows), file)
			return
		}
		for k, r := range rows {
			if got := fresh[k]; lawPair(got.Left, got.Right) != r.pair || got.Outcome != r.outcome {
				l.t.Errorf("row %d of %s became %+v:\n%s", k, who.id, got, file)
			}
			l.answered(who, r.pair, lawRecord{fresh[k].Seq, r.outcome})
		}
	}
	l.files[file] = true
}

// records are a voter's at a server, in their order.
func (l *law) records(s *Service, v *lawVoter) []Record {
	records, err := s.Records(l.t.Context(), l.board, v.id)
	if err != nil {
		l.t.Error(err)
	}
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Seq, b.Seq) })
	return records
}

// standing is what stands of a voter's, as a server has it.
func (l *law) standing(s *Service, voter string) map[string]lawRecord {
	records, err := s.Records(l.t.Context(), l.board, voter)
	if err != nil {
		l.t.Error(err)
	}
	stands := map[string]lawRecord{}
	for _, r := range records {
		if r.Undone || r.Replaced {
			continue
		}
		pair := lawPair(r.Left, r.Right)
		if _, twice := stands[pair]; twice {
			l.t.Errorf("two votes of %s stand on %s", voter, pair)
		}
		stands[pair] = lawRecord{r.Seq, r.Outcome}
	}
	return stands
}

// holds compares what stands at a server that has just served a voter.
func (l *law) holds(s *Service, v *lawVoter) {
	if got := l.standing(s, v.id); fmt.Sprint(got) != fmt.Sprint(v.stands) && s.caughtUp(l.t, l.board) && fmt.Sprint(l.standing(s, v.id)) != fmt.Sprint(v.stands) {
		l.t.Errorf("what stands of %s is %v, must be %v", v.id, got, v.stands)
	}
}

// caughtUp takes in what the other server has stored.
func (s *Service) caughtUp(t *testing.T, board string) bool {
	l, err := s.board(t.Context(), board)
	if err == nil {
		err = s.catchBoard(t.Context(), l)
	}
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// agree: both servers, one that starts anew, and an export have the same votes.
func (l *law) agree() {
	var all [2]string
	for k, s := range l.servers {
		s.caughtUp(l.t, l.board)
		for _, v := range l.people {
			all[k] += fmt.Sprint(v.id, l.standing(s, v.id))
		}
	}
	fresh, err := l.servers[0].load(l.t.Context(), l.board)
	if err != nil {
		l.t.Fatal(err)
	}
	anew, votes := "", 0
	for _, v := range l.people {
		stands := map[string]lawRecord{}
		if b := fresh.ballots[v.id]; b != nil {
			votes += b.votes + b.skips
			for pair, k := range fresh.pairs(v.id) {
				r := fresh.records[k]
				stands[lawPair(l.items[pair[0]], l.items[pair[1]])] = lawRecord{r.seq, r.outcome}
			}
		}
		anew += fmt.Sprint(v.id, stands)
	}
	if all[0] != all[1] || all[0] != anew {
		l.t.Errorf("two servers and one that starts anew:\n%s\n%s\n%s", all[0], all[1], anew)
	}
	var file strings.Builder
	if err := l.servers[1].Export(l.t.Context(), l.board, &file, ExportOptions{Format: "tsv"}); err != nil {
		l.t.Error(err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(file.String()), "\n")[1:] {
		c := strings.Split(line, "\t")
		what := c[0] + " " + lawPair(c[1], c[2])
		if seen[what] {
			l.t.Errorf("two votes in the export: %s", what)
		}
		seen[what] = true
	}
	if len(seen) != votes {
		l.t.Errorf("%d votes in the export, %d stand", len(seen), votes)
	}
}

// crowd lets one voter come by many connections to both servers at once.
func (l *law) crowd(rounds int) {
	const many = 8
	at := func(work func(k int, s *Service) string) []string {
		got := make([]string, many)
		var wg sync.WaitGroup
		for k := range many {
			wg.Go(func() { got[k] = work(k, l.servers[k%2]) })
		}
		wg.Wait()
		return got
	}
	fail := func(err error) {
		if err != nil {
			l.t.Error(err)
		}
	}
	for round := range rounds {
		name := fmt.Sprint("crowd ", round)
		voter := voterNamed(l.t, l.servers[0], l.board, name)
		l.people = append(l.people, &lawVoter{id: voter})
		ask := func(_ int, s *Service) string {
			q, err := s.Ask(l.t.Context(), l.board, voter)
			fail(err)
			return q.Token
		}
		tokens := at(ask)
		if slices.Sort(tokens); tokens[0] != tokens[many-1] {
			l.t.Errorf("asked at once: several questions")
		}
		fresh := at(func(k int, s *Service) string {
			r, err := s.Tell(l.t.Context(), l.board, voter, Answer{Question: tokens[0], Outcome: palate.Outcomes()[k%4]})
			fail(err)
			return fmt.Sprint(r.Fresh)
		})
		if n := many - slices.Index(append(slices.Sorted(slices.Values(fresh)), "true"), "true"); n != 1 {
			l.t.Errorf("told at once: %d votes", n)
		}
		// Everything at once: nothing is known beforehand but that the law holds in the end.
		at(func(k int, s *Service) string {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(k)))
			token := tokens[0]
			for range 10 {
				var err error
				switch rng.IntN(6) {
				case 0:
					_, err = s.Undo(l.t.Context(), l.board, voter)
				case 1:
					_, err = s.Tell(l.t.Context(), l.board, voter, Answer{Left: "i1", Right: "i2", Key: fmt.Sprint(k, rng.Uint64()), Outcome: palate.Left})
				case 2, 3:
					_, err = s.Tell(l.t.Context(), l.board, voter, Answer{Question: token, Outcome: palate.Right})
				case 4:
					var i store.Import
					file := fmt.Sprintf("user,left,right,winner\n%s,i1,i%d,left\n%s,i0,i3,tie\n", name, 2+rng.IntN(2), name)
					if i, err = s.Import(l.t.Context(), l.board, "owner", "votes.csv", strings.NewReader(file), store.ImportSettings{}); err == nil {
						_, err = s.AwaitImport(l.t.Context(), l.board, i.ID, time.Minute)
					}
				default:
					var q Question
					if q, err = s.Ask(l.t.Context(), l.board, voter); err == nil {
						token = q.Token
					}
				}
				if err != nil && !errors.Is(err, ErrStale) && !errors.Is(err, ErrNothing) && !errors.Is(err, ErrDone) {
					l.t.Error(err)
				}
			}
			return ""
		})
	}
}
