package ui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"palate"
	"palate/server"
	"palate/store"
)

// ballot is the voting page.
type ballot struct {
	visit
	Question server.Question
	// Over says why there is no question, empty when there is one.
	Over    string
	Votes   int
	Reasons []string
	Sound   string // for screen readers, after an answer
}

// Way is how the voter is asked.
func (b ballot) Way() string { return string(b.Question.Way) }

// The reasons that the page offers, as they are kept, whatever the language.
const (
	bothBad   = "both bad"
	cannotSay = "I cannot say"
	unknown   = "I do not know these"
	wrong     = "something is wrong here"
)

// skipReasons are what voters may say when they skip a pair.
func skipReasons() []string { return []string{cannotSay, unknown, wrong} }

// vote asks a question.
func (p *pages) vote(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "vote")
	if errors.Is(err, server.ErrForbidden) {
		return to(w, r, path(r.PathValue("board"), ""))
	}
	if err != nil {
		return err
	}
	b, err := p.ballot(r, v, "")
	if err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, "vote", b)
}

func (p *pages) ballot(r *http.Request, v visit, says string) (ballot, error) {
	b := ballot{visit: v, Reasons: skipReasons(), Sound: says}
	q, err := p.svc.Ask(r.Context(), v.Board.ID, v.Who.Voter)
	switch {
	case errors.Is(err, server.ErrClosed):
		b.Over = p.tongueOf(r).Say("over-closed")
	case errors.Is(err, server.ErrQuota):
		b.Over = p.tongueOf(r).Say("over-quota", v.Board.Rules.Quota)
	case errors.Is(err, server.ErrExcluded):
		b.Over = p.tongueOf(r).Say("over-excluded")
	case errors.Is(err, server.ErrFull):
		b.Over = p.tongueOf(r).Say("over-full")
	case errors.Is(err, server.ErrDone):
		b.Over = p.tongueOf(r).Say("over-all-seen")
	case err != nil:
		return b, err
	}
	b.Question, b.Votes = q, q.Votes
	if b.Over != "" {
		b.Votes, err = p.svc.VotesOf(r.Context(), v.Board.ID, v.Who.Voter)
		return b, err
	}
	return b, nil
}

// tell takes an answer and asks the next question.
func (p *pages) tell(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "vote")
	if err != nil {
		return err
	}
	if move := r.PostFormValue("move"); move != "" {
		return p.moved(w, r, v, move)
	}
	a, err := readAnswer(r)
	if err != nil {
		return err
	}
	t := p.tongueOf(r)
	_, err = p.svc.Tell(r.Context(), v.Board.ID, v.Who.Voter, a)
	switch {
	case errors.Is(err, server.ErrClosed), errors.Is(err, server.ErrQuota), errors.Is(err, server.ErrExcluded), errors.Is(err, server.ErrFull):
		return p.next(w, r, v, "") // which says so
	case errors.Is(err, server.ErrStale):
		return p.next(w, r, v, t.Say("answered-elsewhere"))
	case err != nil:
		return err
	}
	return p.next(w, r, v, t.Say("noted", t.answer(a)))
}

// undo takes the last answer back.
func (p *pages) undo(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "vote")
	if err != nil {
		return err
	}
	_, err = p.svc.Undo(r.Context(), v.Board.ID, v.Who.Voter)
	switch {
	case errors.Is(err, server.ErrClosed):
		return p.next(w, r, v, "") // which says so
	case errors.Is(err, server.ErrNothing):
		return p.next(w, r, v, p.tongueOf(r).Say("nothing-to-undo"))
	case err != nil:
		return err
	}
	return p.next(w, r, v, p.tongueOf(r).Say("undone"))
}

// next answers a form with the question that follows.
func (p *pages) next(w http.ResponseWriter, r *http.Request, v visit, says string) error {
	if r.Header.Get("HX-Request") == "" {
		return to(w, r, path(v.Board.ID, "/vote"))
	}
	b, err := p.ballot(r, v, says)
	if err != nil {
		return err
	}
	return p.part(w, r, http.StatusOK, "vote", "question", b)
}

// moved shows a ranking with an item up or down by one, to browsers without scripts.
func (p *pages) moved(w http.ResponseWriter, r *http.Request, v visit, move string) error {
	b, err := p.ballot(r, v, "")
	if err != nil {
		return err
	}
	way, item, _ := strings.Cut(move, ":")
	order, items := r.PostForm["order"], b.Question.Items
	place := func(i store.Item) int { return slices.Index(order, i.ID) }
	slices.SortStableFunc(items, func(a, b store.Item) int { return place(a) - place(b) })
	at := slices.IndexFunc(items, func(i store.Item) bool { return i.ID == item })
	to := at + 1
	if way == "up" {
		to = at - 1
	}
	if at >= 0 && to >= 0 && to < len(items) {
		items[at], items[to] = items[to], items[at]
		b.Sound = p.tongueOf(r).Say("at-place", item, strconv.Itoa(to+1), strconv.Itoa(len(items)))
	}
	if r.Header.Get("HX-Request") != "" {
		return p.part(w, r, http.StatusOK, "vote", "question", b)
	}
	return p.render(w, r, http.StatusOK, "vote", b)
}

// answer says an answer, for screen readers.
func (t *tongue) answer(a server.Answer) string {
	switch {
	case a.Outcome != palate.Left:
		return t.outcome(a.Outcome)
	case a.Order != nil:
		return strings.Join(a.Order, " > ")
	case a.Worst != "":
		return t.Say("is-best", a.Best) + " " + t.Say("is-worst", a.Worst)
	case a.Best != "":
		return a.Best
	}
	return t.outcome(a.Outcome)
}

// readAnswer reads the form of a question. An outcome is left, right, tie, bad,
// or skip with the reason behind a colon; an answer about several items has none but skip.
func readAnswer(r *http.Request) (server.Answer, error) {
	a := server.Answer{
		Question: r.PostFormValue("question"), Comment: strings.TrimSpace(r.PostFormValue("comment")),
		Best: r.PostFormValue("best"), Worst: r.PostFormValue("worst"), Order: r.PostForm["order"],
	}
	word, why, _ := strings.Cut(r.PostFormValue("outcome"), ":")
	switch word {
	case "": // several items
		if a.Best == "" && a.Worst == "" && a.Order == nil {
			return a, &server.BadAnswer{Why: server.Incomplete}
		}
	case "left":
		a.Outcome = palate.Left
	case "right":
		a.Outcome = palate.Right
	case "tie":
		a.Outcome = palate.Tie
	case "bad":
		a.Outcome, a.Reason = palate.Tie, bothBad
	case "skip":
		a.Outcome, a.Reason = palate.Skip, why
	default:
		return a, fmt.Errorf("ui: %w: the answer %q is none of left, right, tie, bad and skip", server.ErrInvalid, word)
	}
	// The time comes from the page's script; without one it is unknown.
	if ms, err := strconv.ParseInt(r.PostFormValue("ms"), 10, 64); err == nil && ms > 0 && ms < int64(24*time.Hour/time.Millisecond) {
		a.Response = time.Duration(ms) * time.Millisecond
	}
	return a, nil
}
