package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"palate"
	"palate/server"
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
		b.Over = p.languages.of(r).say("over-closed")
	case errors.Is(err, server.ErrQuota):
		b.Over = p.languages.of(r).say("over-quota", v.Board.Rules.Quota)
	case errors.Is(err, server.ErrExcluded):
		b.Over = p.languages.of(r).say("over-excluded")
	case errors.Is(err, server.ErrDone):
		b.Over = p.languages.of(r).say("over-all-seen")
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
	a, err := readAnswer(r)
	if err != nil {
		return err
	}
	t := p.languages.of(r)
	_, err = p.svc.Tell(r.Context(), v.Board.ID, v.Who.Voter, a)
	switch {
	case errors.Is(err, server.ErrClosed), errors.Is(err, server.ErrQuota), errors.Is(err, server.ErrExcluded):
		return p.next(w, r, v, "") // which says so
	case errors.Is(err, server.ErrStale):
		return p.next(w, r, v, t.say("answered-elsewhere"))
	case err != nil:
		return err
	}
	return p.next(w, r, v, t.say("noted", t.outcome(a.Outcome)))
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
		return p.next(w, r, v, p.languages.of(r).say("nothing-to-undo"))
	case err != nil:
		return err
	}
	return p.next(w, r, v, p.languages.of(r).say("undone"))
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

// readAnswer reads the form of a question. An outcome is left, right, tie, bad,
// or skip with the reason behind a colon.
func readAnswer(r *http.Request) (server.Answer, error) {
	a := server.Answer{Question: r.PostFormValue("question"), Comment: strings.TrimSpace(r.PostFormValue("comment"))}
	word, why, _ := strings.Cut(r.PostFormValue("outcome"), ":")
	switch word {
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
