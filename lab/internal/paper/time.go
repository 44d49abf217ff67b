package paper

import (
	"context"
	_ "embed" // a program in Python
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"palate/internal/num"
	"palate/model"
)

//go:embed kickscore.py
var kickscoreProgram string

// timeModels are what is held to the truth; moving comes first.
var timeModels = []string{"moving", "single", "elo", "glicko", "kickscore"}

// timeResult is what came of one world.
type timeResult struct {
	Loss    map[string]float64 // of all pairs in the period to come, by model
	Truth   float64            // the loss of the true chances
	Covered map[string]float64 // the share of current utilities within 95 % intervals
}

// Time holds models to worlds, with a table for every kind of them.
func Time() Study[*TimeTable] {
	return studyOf(timeSets(), 20, timeSet.table).beside(kickscoreProgram)
}

func (s timeSet) described() (name, about string) { return s.name, s.about }

func (s timeSet) table(ctx context.Context, o StudyOptions) (*TimeTable, error) {
	who, kick := "all", o.peer
	if o.Python == "" {
		who, kick = "without kickscore", nil
	}
	all, err := drawings(o, "time", s.name, who, func(rng *rand.Rand) (*timeResult, error) { return s.hold(ctx, kick, rng) })
	if err != nil {
		return nil, err
	}
	t := &TimeTable{Set: s.name, Worlds: o.Repeats}
	t.fill(all)
	return t, nil
}

// hold draws a world, and holds all models to it.
func (s timeSet) hold(ctx context.Context, kick *peer, rng *rand.Rand) (*timeResult, error) {
	f := s.draw(rng)
	votes, d, err := timedVotes(f, s.votes, rng)
	if err != nil {
		return nil, err
	}
	out := &timeResult{Loss: map[string]float64{}, Covered: map[string]float64{}}
	predicted := map[string]chanceOf{"elo": tunedElo(votes), "glicko": tunedGlicko(votes)}
	for name, settings := range map[string]model.Settings{"moving": {Periods: model.Periods{Unit: "day"}}, "single": {}} {
		e, err := model.Find(name)
		if err != nil {
			return nil, err
		}
		m, err := e.Fit(ctx, d, &settings)
		if err != nil {
			return nil, err
		}
		board, err := model.NewBoard(ctx, m, -1, &model.BoardOptions{Draws: 2000})
		if err != nil {
			return nil, err
		}
		out.Covered[name] = timeCovered(board, f)
		if moving, ok := m.(*model.Moving); ok {
			_, last := moving.Range()
			m = moving.At(last.AddDate(0, 0, 1))
		}
		predicted[name] = func(a, b int) float64 { return m.Prefer(-1, a, b) }
	}
	if kick != nil {
		if predicted["kickscore"], err = kickscored(ctx, kick, votes); err != nil {
			return nil, err
		}
	}
	truth := func(a, b int) float64 { return num.Phi(f[a][timePeriods] - f[b][timePeriods]) }
	out.Truth = timeLoss(truth, truth)
	for name, chance := range predicted {
		out.Loss[name] = timeLoss(truth, chance)
	}
	return out, nil
}

// timeLoss is the mean over all pairs of the cross-entropy of a vote to come.
func timeLoss(truth, said chanceOf) (sum float64) {
	n := 0.0
	for a := range timeItems {
		for b := range a {
			p, q := truth(a, b), said(a, b)
			sum += surprise(p, q) + surprise(1-p, 1-q)
			n++
		}
	}
	return sum / n
}

// surprise is what an outcome of probability p adds to the cross-entropy where q was said.
func surprise(p, q float64) float64 {
	if p == 0 {
		return 0
	}
	return -p * math.Log(q)
}

// timeCovered is the share of items whose utility in the last period, less the mean, is within
// the interval of a board.
func timeCovered(b *model.Board, f [][]float64) (share float64) {
	var mean float64
	for i := range f {
		mean += f[i][timePeriods-1] / float64(len(f))
	}
	for _, g := range b.Groups {
		for _, r := range g.Rows {
			if x := f[r.Item][timePeriods-1] - mean; x >= r.Lo && x <= r.Hi {
				share += 1 / float64(len(f))
			}
		}
	}
	return share
}

// kickscored asks kickscore for the chances of all pairs in the period to come. Its variances
// and length-scales are chosen by its likelihood of the training votes.
func kickscored(ctx context.Context, kick *peer, votes []timedVote) (chanceOf, error) {
	var pairs [][2]int
	for a := range timeItems {
		for b := range a {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	var said []float64
	err := kick.ask(ctx, map[string]any{
		"items": timeItems, "votes": votes, "at": timePeriods, "pairs": pairs,
		"constant": 0.5, "variances": []float64{0.1, 0.4}, "lengths": []float64{4, 12},
	}, &said)
	if err != nil || len(said) != len(pairs) {
		return nil, fmt.Errorf("kickscore: %d answers to %d questions: %w", len(said), len(pairs), err)
	}
	return func(a, b int) float64 {
		if a < b {
			return 1 - said[b*(b-1)/2+a]
		}
		return said[a*(a-1)/2+b]
	}, nil
}

// TimeTable is how models did in worlds of a kind.
type TimeTable struct {
	Set    string    `json:"set"`
	Worlds int       `json:"worlds"`
	Truth  float64   `json:"truth"` // the loss of the true chances
	Rows   []TimeRow `json:"rows"`
}

// TimeRow is how a model did: its loss in the period to come, by how much it is more than that
// of moving, with its paired error, and the share of current utilities within intervals.
type TimeRow struct {
	Model   string   `json:"model"`
	Loss    float64  `json:"loss"`
	More    float64  `json:"more"`
	Error   float64  `json:"error"`
	Covered *float64 `json:"covered,omitempty"`
}

// fill sums up.
func (t *TimeTable) fill(all []*timeResult) {
	n := float64(len(all))
	for _, r := range all {
		t.Truth += r.Truth / n
	}
	for _, name := range timeModels {
		if _, ok := all[0].Loss[name]; !ok {
			continue
		}
		row := TimeRow{Model: name}
		var squares, covered float64
		for _, r := range all {
			more := r.Loss[name] - r.Loss["moving"]
			row.Loss += r.Loss[name] / n
			row.More += more / n
			squares += more * more
			covered += r.Covered[name] / n
		}
		if n > 1 {
			row.Error = math.Sqrt(max(0, squares-n*row.More*row.More) / (n - 1) / n)
		}
		if _, ok := all[0].Covered[name]; ok {
			row.Covered = &covered
		}
		t.Rows = append(t.Rows, row)
	}
}

// WriteText writes the table for people.
func (t *TimeTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s, %d worlds; the true chances have a loss of %.4f\n", t.Set, t.Worlds, t.Truth)
	for _, r := range t.Rows {
		fmt.Fprintf(&s, "  %-10s loss %.4f", r.Model, r.Loss)
		if r.Model != "moving" {
			fmt.Fprintf(&s, "  %+.4f ± %.4f", r.More, r.Error)
		}
		if r.Covered != nil {
			fmt.Fprintf(&s, "  covered %.3f", *r.Covered)
		}
		s.WriteString("\n")
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
