package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"palate/judging"
)

// Judging are the figures of comparative judgement.
type Judging struct {
	*judging.Judging
	// Posterior is the reliability of palate's own scores, for people like these judges.
	Posterior float64
	// Grades are the names of grades, the best first, and Chances those of every item, by its
	// number, to have each; nil without grades.
	Grades  []string
	Chances [][]float64
	// Link is how scores went over to the scale of anchors, and Equated the score of an item on
	// it and its deviation; nil without anchors.
	Link    *judging.Link
	Equated func(item int) (score, sd float64)
	// Most is how many judges and items are listed; 0: all.
	Most int
}

// Equate puts the items on the scale of anchors, and in the order that they have there.
func (j *Judging) Equate(link *judging.Link, score func(item int) (score, sd float64)) {
	j.Link, j.Equated = link, score
	j.Items = slices.SortedStableFunc(slices.Values(j.Items), func(a, b judging.Item) int {
		x, _ := score(a.Item)
		y, _ := score(b.Item)
		return cmp.Compare(y, x)
	})
}

// grade is the most probable grade of an item, and its chance.
func (j *Judging) grade(item int) (string, float64) {
	best := 0
	for g, p := range j.Chances[item] {
		if p > j.Chances[item][best] {
			best = g
		}
	}
	return j.Grades[best], j.Chances[item][best]
}

// WriteText writes the figures for people: judges with the worst fit first, items with the
// best score first.
func (j *Judging) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	by := "judges without names"
	if len(j.Judges) > 0 {
		by = count(float64(len(j.Judges)), "judge")
	}
	fmt.Fprintf(&out, "%s of %s by %s\n", count(j.Votes, "judgement"), count(float64(len(j.Items)), "item"), by)
	if j.Apart > 0 {
		fmt.Fprintf(&out, "%s left out: no judgements connect them with these\n", count(float64(j.Apart), "item"))
	}
	line := func(what string, value float64, format string, args ...any) {
		fmt.Fprintf(&out, "%-34s %s  %s\n", what, fixed(value, 2), fmt.Sprintf(format, args...))
	}
	out.WriteString("\n")
	line("scale separation reliability (SSR)", j.Reliability, "separation %s; scores have an SD of %s, their errors one of %s", fixed(j.Separation, 2), fixed(j.SD, 2), fixed(j.RMSE, 2))
	if j.Splits > 0 {
		line("split-half reliability", j.SplitHalf, "over %s of the judges into halves (SD %s), each half alone", count(float64(j.Splits), "division"), fixed(j.SplitSD, 2))
	}
	line("reliability of the posterior", j.Posterior, "of the scores of palate rank, for people like these judges")
	j.link(&out)
	j.judges(&out)
	j.items(&out)
	if o.Legend {
		judges := ""
		if len(j.Judges) > 0 {
			judges = fmt.Sprintf("judges above %s, ", fixed(j.JudgeLimit, 2))
		}
		fmt.Fprintf(&out, "\ninfit, outfit  about 1 where judgements follow the scale, more where they surprise; outfit minds those\n               between items far apart more\n!              an infit above the mean of all by two standard deviations: %sitems above %s\nscore, se      by the model of Bradley and Terry, in logits, with its standard error\n", judges, fixed(j.ItemLimit, 2))
		if j.Link != nil {
			out.WriteString("equated, ±     palate's own score on the scale of the anchors, with its deviation\n")
		}
		if j.Chances != nil {
			out.WriteString("grade          the most probable one, and how probable it is\n")
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// link writes how scores went over to the scale of anchors, and the anchors, the one that fits
// worst first.
func (j *Judging) link(out *bytes.Buffer) {
	if j.Link == nil {
		return
	}
	l := j.Link
	fmt.Fprintf(out, "\nequated score = %s (±%s) + %s (±%s) × score of palate rank, by %s\n", fixed(l.Offset, 2), fixed(l.OffsetSD, 2), fixed(l.Slope, 2), fixed(l.SlopeSD, 2), count(float64(len(l.Anchors)), "anchor"))
	switch {
	case math.IsNaN(l.P):
		out.WriteString("two anchors are a line whatever they are: whether they fit cannot be said\n")
	case l.P < 0.05:
		fmt.Fprintf(out, "the anchors do not fit the judgements (p = %s): leave out those with !, or ask why they moved\n", fixed(l.P, 3))
	default:
		out.WriteString("the anchors fit the judgements\n")
	}
	t := &grid{head: []string{"anchor", "known", "se", "judged", "±", "z", ""}, left: []bool{true, false, false, false, false, false, true}}
	for k, a := range l.Anchors[:j.shown(len(l.Anchors))] {
		t.rows = append(t.rows, []string{label(a.Item), fixed(a.Score, 2), fixed(a.SE, 2), fixed(a.Judged, 2), fixed(a.SD, 2), fixed(a.Z, 1), flagged(a.Misfit)})
		t.ruled = append(t.ruled, k == 0)
	}
	t.writeTo(out)
	if hidden := len(l.Anchors) - len(t.rows); hidden > 0 {
		fmt.Fprintf(out, "and %d more, which fit better\n", hidden)
	}
}

func flagged(misfit bool) string {
	if misfit {
		return "!"
	}
	return ""
}

func (j *Judging) judges(out *bytes.Buffer) {
	if len(j.Judges) == 0 {
		return
	}
	all := j.worst()
	shown := all[:j.shown(len(all))]
	t := &grid{head: []string{"judge", "votes", "infit", "outfit", ""}, left: []bool{true, false, false, false, true}}
	for k, u := range shown {
		t.rows = append(t.rows, []string{label(u.ID), amount(u.Votes), fixed(u.Infit, 2), fixed(u.Outfit, 2), flagged(u.Misfit)})
		t.ruled = append(t.ruled, k == 0)
	}
	out.WriteString("\n")
	t.writeTo(out)
	if hidden := len(all) - len(shown); hidden > 0 {
		fmt.Fprintf(out, "and %d more, who fit better\n", hidden)
	}
}

func (j *Judging) items(out *bytes.Buffer) {
	shown := j.Items[:j.shown(len(j.Items))]
	t := &grid{head: []string{"rank", "item", "score", "se", "won", "of", "infit", "outfit", ""}, left: []bool{false, true, false, false, false, false, false, false, true}}
	if j.Link != nil {
		t.head, t.left = append(t.head, "equated", "±"), append(t.left, false, false)
	}
	if j.Chances != nil {
		t.head, t.left = append(t.head, "grade", "chance"), append(t.left, true, false)
	}
	for k, i := range shown {
		row := []string{strconv.Itoa(k + 1), label(i.ID), fixed(i.Score, 2), fixed(i.SE, 2), amount(i.Won), amount(i.Votes), fixed(i.Infit, 2), fixed(i.Outfit, 2), flagged(i.Misfit)}
		if j.Link != nil {
			score, sd := j.Equated(i.Item)
			row = append(row, fixed(score, 2), fixed(sd, 2))
		}
		if j.Chances != nil {
			g, p := j.grade(i.Item)
			row = append(row, g, chance(p))
		}
		t.rows, t.ruled = append(t.rows, row), append(t.ruled, k == 0)
	}
	out.WriteString("\n")
	t.writeTo(out)
	var misfits int
	for _, i := range j.Items[len(shown):] {
		if i.Misfit {
			misfits++
		}
	}
	if hidden := len(j.Items) - len(shown); hidden > 0 {
		fmt.Fprintf(out, "and %d more, %d of them flagged; --csv has them all\n", hidden, misfits)
	}
}

func (j *Judging) shown(n int) int {
	if j.Most > 0 {
		return min(n, j.Most)
	}
	return n
}

// WriteCSV writes a row for every item, and then one for every judge.
func (j *Judging) WriteCSV(w io.Writer, _ Options) error {
	out := csv.NewWriter(w)
	head := []string{"kind", "id", "rank", "score", "se", "won", "votes", "infit", "outfit", "misfit"}
	anchors := map[string]judging.Anchored{}
	if j.Link != nil {
		head = append(head, "equated", "equated_sd", "known", "known_se", "known_z")
		for _, a := range j.Link.Anchors {
			anchors[a.Item] = a
		}
	}
	if j.Chances != nil {
		head = append(head, "grade")
		for _, g := range j.Grades {
			head = append(head, "p_"+g)
		}
	}
	out.Write(head)
	for k, i := range j.Items {
		row := []string{"item", i.ID, strconv.Itoa(k + 1), fixed(i.Score, 4), fixed(i.SE, 4), amount(i.Won), amount(i.Votes), fixed(i.Infit, 4), fixed(i.Outfit, 4), strconv.FormatBool(i.Misfit)}
		if j.Link != nil {
			score, sd := j.Equated(i.Item)
			row = append(row, fixed(score, 4), fixed(sd, 4))
			if a, ok := anchors[i.ID]; ok {
				row = append(row, fixed(a.Score, 4), fixed(a.SE, 4), fixed(a.Z, 4))
			} else {
				row = append(row, "", "", "")
			}
		}
		if j.Chances != nil {
			g, _ := j.grade(i.Item)
			row = append(row, g)
			for _, p := range j.Chances[i.Item] {
				row = append(row, fixed(p, 4))
			}
		}
		out.Write(row)
	}
	for _, u := range j.Judges {
		row := []string{"judge", u.ID, "", "", "", "", amount(u.Votes), fixed(u.Infit, 4), fixed(u.Outfit, 4), strconv.FormatBool(u.Misfit)}
		out.Write(append(row, make([]string, len(head)-len(row))...))
	}
	out.Flush()
	return out.Error()
}

type jsonFollows struct {
	ID     string       `json:"id"`
	Votes  json.Number  `json:"votes"`
	Infit  *json.Number `json:"infit"`
	Outfit *json.Number `json:"outfit"`
	Misfit bool         `json:"misfit"`
}

type jsonJudged struct {
	jsonFollows
	Score     *json.Number            `json:"score"`
	SE        *json.Number            `json:"se"`
	Won       json.Number             `json:"won"`
	Equated   *json.Number            `json:"equated,omitempty"`
	EquatedSD *json.Number            `json:"equated_sd,omitempty"`
	Grades    map[string]*json.Number `json:"grades,omitempty"`
}

func fitOf(id string, f judging.Fit) jsonFollows {
	return jsonFollows{id, json.Number(amount(f.Votes)), number(f.Infit, 4), number(f.Outfit, 4), f.Misfit}
}

// WriteJSON writes all of it as one object.
func (j *Judging) WriteJSON(w io.Writer, _ Options) error {
	items, judges := []jsonJudged{}, []jsonFollows{}
	for _, i := range j.Items {
		row := jsonJudged{jsonFollows: fitOf(i.ID, i.Fit), Score: number(i.Score, 4), SE: number(i.SE, 4), Won: json.Number(amount(i.Won))}
		if j.Link != nil {
			score, sd := j.Equated(i.Item)
			row.Equated, row.EquatedSD = number(score, 4), number(sd, 4)
		}
		if j.Chances != nil {
			row.Grades = map[string]*json.Number{}
			for k, p := range j.Chances[i.Item] {
				row.Grades[j.Grades[k]] = number(p, 4)
			}
		}
		items = append(items, row)
	}
	for _, u := range j.Judges {
		judges = append(judges, fitOf(u.ID, u.Fit))
	}
	half := known(j.SplitHalf)
	return indented(w, struct {
		Votes      json.Number   `json:"votes"`
		SSR        *json.Number  `json:"ssr"`
		Separation *json.Number  `json:"separation"`
		SD         *json.Number  `json:"sd"`
		RMSE       *json.Number  `json:"rmse"`
		SplitHalf  *json.Number  `json:"split_half"`
		Splits     int           `json:"splits"`
		Posterior  *json.Number  `json:"posterior_reliability"`
		Link       *jsonLink     `json:"link,omitempty"`
		Items      []jsonJudged  `json:"items"`
		Judges     []jsonFollows `json:"judges"`
	}{json.Number(amount(j.Votes)), number(j.Reliability, 4), number(j.Separation, 4), number(j.SD, 4), number(j.RMSE, 4), half, j.Splits, number(j.Posterior, 4), linkOf(j.Link), items, judges})
}

// known is a figure with four decimals; nil where there is none.
func known(x float64) *json.Number {
	if math.IsNaN(x) {
		return nil
	}
	return number(x, 4)
}

type jsonAnchor struct {
	ID     string       `json:"id"`
	Known  *json.Number `json:"known"`
	SE     *json.Number `json:"se"`
	Judged *json.Number `json:"judged"`
	SD     *json.Number `json:"sd"`
	Z      *json.Number `json:"z"`
	Misfit bool         `json:"misfit"`
}

type jsonLink struct {
	Offset   *json.Number `json:"offset"`
	OffsetSD *json.Number `json:"offset_sd"`
	Slope    *json.Number `json:"slope"`
	SlopeSD  *json.Number `json:"slope_sd"`
	P        *json.Number `json:"p"`
	Anchors  []jsonAnchor `json:"anchors"`
}

func linkOf(l *judging.Link) *jsonLink {
	if l == nil {
		return nil
	}
	out := &jsonLink{known(l.Offset), known(l.OffsetSD), known(l.Slope), known(l.SlopeSD), known(l.P), []jsonAnchor{}}
	for _, a := range l.Anchors {
		out.Anchors = append(out.Anchors, jsonAnchor{a.Item, known(a.Score), known(a.SE), known(a.Judged), known(a.SD), known(a.Z), a.Misfit})
	}
	return out
}
