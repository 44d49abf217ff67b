package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"palate/internal/draw"
	"palate/model"
)

// Segmentation are the segments of the voters of a model.
type Segmentation struct {
	*model.Segmentation
	Model     model.Model
	Stability *model.Stability // nil: not looked at
	Level     float64
	Top       int // items that are named of each; 0 stands for 3
}

// Resamples is the number of samples of voters in which pages and charts look for segments again.
const Resamples = 10

// NewSegmentation looks for segments of voters, and in so many other samples of them whether these
// are found again; nil where a model does not tell.
func NewSegmentation(ctx context.Context, m model.Model, level float64, resamples int, seed uint64) (*Segmentation, error) {
	p, ok := m.(interface {
		Segmentation(ctx context.Context) (*model.Segmentation, error)
		Stability(ctx context.Context, s *model.Segmentation, resamples int, seed uint64) (*model.Stability, error)
	})
	if !ok {
		return nil, nil
	}
	found, err := p.Segmentation(ctx)
	if err != nil || found == nil {
		return nil, err
	}
	s := &Segmentation{Segmentation: found, Model: m, Level: level}
	if resamples > 0 {
		s.Stability, err = p.Stability(ctx, found, resamples, seed)
	}
	return s, err
}

// NoSegments says why a model tells of no segments.
func NoSegments(m model.Model) string {
	if m.Name() != "population" {
		return "a " + m.Name() + " model does not tell of any; --model population does"
	}
	return "the population was fitted in one form that was asked for, has features of voters, or is so large that others would take long"
}

// likely reports whether voters come in several segments rather than in one.
func (s *Segmentation) likely() bool { return s.Chances[0] < 0.5 }

func (s *Segmentation) top() int { return cmp.Or(s.Top, 3) }

func (s *Segmentation) z() float64 { return math.Sqrt2 * math.Erfinv(s.Level) }

// apart are the items that a segment surely likes more than the others do, or less, the most so first.
func (s *Segmentation) apart(segment int, sign float64) (items []int) {
	seg := &s.Segments[segment]
	for i := range seg.More {
		if sign*seg.More[i] > s.z()*seg.MoreSD[i] {
			items = append(items, i)
		}
	}
	slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(sign*seg.More[b], sign*seg.More[a]) })
	return items[:min(s.top(), len(items))]
}

// name is what a segment is called: for what it surely likes more than the others do.
func (s *Segmentation) name(w speech, segment int) string {
	var names []string
	for _, i := range s.namedFor(segment) {
		names = append(names, label(s.Model.ItemID(i)))
	}
	return s.likes(w, segment, names)
}

// namedFor are the items that a segment is named for: the two that it likes most beyond others.
func (s *Segmentation) namedFor(segment int) []int {
	items := s.apart(segment, 1)
	return items[:min(2, len(items))]
}

func (s *Segmentation) likes(w speech, segment int, names []string) string {
	if len(names) == 0 {
		return w.Say("chart-segment", strconv.Itoa(segment+1))
	}
	return w.Say("chart-segment-likes", strings.Join(names, w.Say("comma")))
}

// names are the numbers and names of all segments, each in some room: the names of their items
// are shortened where they have something in common.
func (s *Segmentation) names(w speech, room, size float64, bold bool) []string {
	var items []string
	for k := range s.Segments {
		for _, i := range s.namedFor(k) {
			items = append(items, legible(s.Model.ItemID(i)))
		}
	}
	out := make([]string, len(s.Segments))
	for k := range out {
		n := len(s.namedFor(k))
		text := func(names []string) string { return strconv.Itoa(k+1) + ": " + s.likes(w, k, names) }
		if out[k] = text(items[:n]); n > 0 && draw.TextWidth(out[k], size, bold) > room {
			each := (room - draw.TextWidth(text(make([]string, n)), size, bold)) / float64(n)
			out[k] = text(draw.Names(items, each, size, bold)[:n])
		}
		items = append(items[n:], items[:n]...) // those of the next come first
	}
	return out
}

// size is the number of voters who are most likely of a segment.
func (s *Segmentation) size(segment int) (n int) {
	for u := range s.Member {
		if k, _ := s.Of(u); k == segment {
			n++
		}
	}
	return n
}

// about says in how many segments voters come, and whether they are found again, a sentence each.
func (s *Segmentation) about(w speech) (all []string) {
	n, chances := segments(s.Chances)
	likely, others := w.Chance(chances[0].p), w.otherSegments(chances)
	if n == 1 {
		all = []string{w.Say("segments-one", likely, others, w.Count(len(s.Segments)))}
	} else {
		all = []string{w.Say("segments-number", w.Count(n), likely, others)}
	}
	switch t := s.Stability; {
	case t == nil:
	case t.One:
		all = append(all, w.Say("segments-alike"))
	default:
		key := map[string]string{"stable": "segments-stable", "partly stable": "segments-partly", "not stable": "segments-unstable"}[t.String()]
		all = append(all, w.Say("segments-again", t.Resamples, w.Say(key), w.fixed(t.Mean(), 2), w.fixed(slices.Min(t.Rand), 2), w.fixed(slices.Max(t.Rand), 2)))
	}
	return all
}

// WriteText writes segments for people.
func (s *Segmentation) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	if o.Fit != nil {
		fmt.Fprintf(&out, "%s\n\n", o.Fit)
	}
	fmt.Fprintf(&out, "%s\n\n", strings.Join(s.about(in("")), "\n"))
	t := &grid{head: []string{"segment", "share", "voters", "likes more", "likes less"}, left: []bool{false, false, false, true, true}}
	for k, seg := range s.Segments {
		t.rows = append(t.rows, []string{strconv.Itoa(k + 1), chance(seg.Share), strconv.Itoa(s.size(k)), s.said(k, 1, o), s.said(k, -1, o)})
		t.ruled = append(t.ruled, k == 0)
	}
	t.writeTo(&out)
	out.WriteString("\n")
	s.boards(o).writeTo(&out)
	if o.Legend {
		fmt.Fprintf(&out, "\nlikes more  items that the segment surely likes more than the others do (%s), and by how much\nscores      are of the mean of the segment, 0 being its average item, ± one deviation\n", percent(s.Level))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// said names what a segment likes more or less than the others do.
func (s *Segmentation) said(segment int, sign float64, o Options) string {
	by := o.scale()
	var all []string
	for _, i := range s.apart(segment, sign) {
		all = append(all, fmt.Sprintf("%s %s", label(s.Model.ItemID(i)), draw.Signed(by.factor*s.Segments[segment].More[i], by.decimals)))
	}
	if all == nil {
		return "–"
	}
	return strings.Join(all, ", ")
}

// boards has a column of scores for every segment, the items in the order of the first.
func (s *Segmentation) boards(o Options) *grid {
	t := &grid{head: []string{"item"}, left: []bool{true}}
	for k := range s.Segments {
		t.head, t.left = append(t.head, "segment "+strconv.Itoa(k+1)), append(t.left, false)
	}
	by := o.scale()
	for at, i := range s.order() {
		row := []string{label(s.Model.ItemID(i))}
		for _, seg := range s.Segments {
			row = append(row, fmt.Sprintf("%s ± %s", fixed(by.factor*seg.Score[i], by.decimals), fixed(by.factor*seg.SD[i], by.decimals)))
		}
		t.rows, t.ruled = append(t.rows, row), append(t.ruled, at == 0)
	}
	return t
}

// order is that of the items by the board of the first segment.
func (s *Segmentation) order() []int {
	order := make([]int, s.Model.NumItems())
	for i := range order {
		order[i] = i
	}
	first := s.Segments[0].Score
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first[b], first[a]) })
	return order
}

// WriteCSV writes a row for every voter.
func (s *Segmentation) WriteCSV(w io.Writer, _ Options) error {
	out := csv.NewWriter(w)
	head := []string{"voter", "segment", "p_segment"}
	if s.Stability != nil {
		head = append(head, "kept")
	}
	out.Write(head)
	for u := range s.Member {
		k, p := s.Of(u)
		row := []string{s.Model.UserID(u), "", ""}
		if k >= 0 {
			row[1], row[2] = strconv.Itoa(k+1), fixed(p, 4)
		}
		if s.Stability != nil {
			cell := ""
			if x := s.Stability.Kept[u]; !math.IsNaN(x) {
				cell = fixed(x, 2)
			}
			row = append(row, cell)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes segments as one object, with their boards and their voters.
func (s *Segmentation) WriteJSON(w io.Writer, o Options) error {
	type item struct {
		Item   string       `json:"item"`
		Score  *json.Number `json:"score"`
		SD     *json.Number `json:"sd"`
		More   *json.Number `json:"more"`
		MoreSD *json.Number `json:"more_sd"`
	}
	type segment struct {
		Segment int          `json:"segment"`
		Name    string       `json:"name"`
		Share   *json.Number `json:"share"`
		Voters  int          `json:"voters"`
		Items   []item       `json:"items"`
	}
	type voter struct {
		Voter  string         `json:"voter"`
		Chance []*json.Number `json:"p_segments"`
		Kept   *json.Number   `json:"kept,omitempty"`
	}
	type stability struct {
		Says      string         `json:"says"`
		Resamples int            `json:"resamples"`
		Mean      *json.Number   `json:"adjusted_rand"`
		Rand      []*json.Number `json:"adjusted_rand_of_samples"`
	}
	out := struct {
		Level     json.Number    `json:"level"`
		Scale     string         `json:"scale"`
		Chances   []*json.Number `json:"p_number"` // of one, two and more
		Stability *stability     `json:"stability,omitempty"`
		Segments  []segment      `json:"segments"`
		Voters    []voter        `json:"voters"`
	}{Level: json.Number(amount(s.Level)), Scale: o.scale().name}
	for _, p := range s.Chances {
		out.Chances = append(out.Chances, figure(p))
	}
	if t := s.Stability; t != nil {
		out.Stability = &stability{Says: t.String(), Resamples: t.Resamples, Mean: number(t.Mean(), 3)}
		for _, x := range t.Rand {
			out.Stability.Rand = append(out.Stability.Rand, number(x, 3))
		}
	}
	by := o.scale()
	score := func(x float64) *json.Number { return number(by.factor*x, by.decimals+1) }
	for k, seg := range s.Segments {
		one := segment{Segment: k + 1, Name: s.name(in(""), k), Share: number(seg.Share, 4), Voters: s.size(k)}
		for i := range seg.Score {
			one.Items = append(one.Items, item{s.Model.ItemID(i), score(seg.Score[i]), score(seg.SD[i]), score(seg.More[i]), score(seg.MoreSD[i])})
		}
		out.Segments = append(out.Segments, one)
	}
	for u := range s.Member {
		v := voter{Voter: s.Model.UserID(u)}
		for _, p := range s.Member[u] {
			v.Chance = append(v.Chance, number(p, 4))
		}
		if t := s.Stability; t != nil && !math.IsNaN(t.Kept[u]) {
			v.Kept = number(t.Kept[u], 2)
		}
		out.Voters = append(out.Voters, v)
	}
	return indented(w, out)
}
