package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"palate/explain"
)

// Explanation is what features have to do with what is liked.
type Explanation struct {
	Dependences []*explain.Dependence
	Values      bool          // whether CSV and text show the effects at values, in place of importances
	Held        *explain.Held // nil: no votes were held out
	Item        string        // whose changes these are; empty: none were asked for
	Changes     []explain.Change
	Leanings    []explain.Leaning // of voters, in place of all that is about features of items
	ItemID      func(item int) string
	Level       float64
}

// WriteText writes an explanation for people.
func (e *Explanation) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	if o.Fit != nil {
		fmt.Fprintf(&out, "%s\n\n", o.Fit)
	}
	switch {
	case e.Leanings != nil:
		e.leanings(o).writeTo(&out)
	case e.Item != "" && len(e.Changes) == 0:
		fmt.Fprintf(&out, "%s has the best value of every feature that one can be told of\n", label(e.Item))
	case e.Item != "":
		fmt.Fprintf(&out, "what would make %s better, one feature at a time\n\n", label(e.Item))
		e.changes(o).writeTo(&out)
	case e.Values:
		e.effects(o).writeTo(&out)
	default:
		e.importances(o).writeTo(&out)
		if e.Held != nil {
			fmt.Fprintf(&out, "\n%s on %s held out, predicted by features with a cross-entropy of %s; without a feature it is higher by\n\n", count(float64(e.Held.Votes), "vote"), count(float64(e.Held.Items), "item"), explained(e.Held.Loss))
			e.held().writeTo(&out)
		}
	}
	if o.Legend {
		out.WriteString(e.legend())
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (e *Explanation) legend() string {
	switch {
	case e.Leanings != nil:
		return leaningsLegend
	case e.Item != "":
		return "\ngain    by how much the score would rise, by what other items with that value are liked for\nchance  probability that it is a gain at all\n"
	case e.Values:
		return "\neffect  what the value is worth, in the mean over items, less the mean over their values\nitems   share of the items that a value stands for\n"
	}
	s := "\nimportance    by how much scores differ for the feature alone: the deviation over items of its partial dependence\nmatters       probability that it has anything to do with it\nlinear        what one deviation more of the feature is worth, along a straight line\nlength-scale  in units of the table: values nearer than that are alike\n"
	if e.Held != nil {
		s += "shuffled      with the values of the feature given to other items by chance\nleft out      by a model fitted without the feature\n"
	}
	return s
}

// explained shows a number with its interval.
func explained(e explain.Estimate) string {
	return fmt.Sprintf("%s (%s to %s)", fixed(e.Value, 3), fixed(e.Lo, 3), fixed(e.Hi, 3))
}

// spanned shows what an estimate lies between.
func spanned(e explain.Estimate, f float64, decimals int) string {
	return fixed(f*e.Lo, decimals) + " … " + fixed(f*e.Hi, decimals)
}

func (e *Explanation) importances(o Options) *grid {
	t := &grid{
		head: []string{"feature", "importance", percent(e.Level) + " interval", "matters", "linear", percent(e.Level) + " interval", "a deviation", "length-scale"},
		left: []bool{true, false, false, false, false, false, false, false},
	}
	s := o.scale()
	for _, d := range e.Dependences {
		row := []string{label(d.Feature.Name), fixed(s.factor*d.Importance.Value, s.decimals), spanned(d.Importance, s.factor, s.decimals), chance(d.Matters), "–", "–", "–", "–"}
		if d.Slope != nil {
			row[4], row[5], row[6] = fixed(s.factor*d.Slope.Value, s.decimals), spanned(*d.Slope, s.factor, s.decimals), short(d.Deviation)
		}
		if d.Length > 0 {
			row[7] = short(d.Length)
		}
		t.rows, t.ruled = append(t.rows, row), append(t.ruled, len(t.rows) == 0)
	}
	return t
}

// short shows a number in three digits.
func short(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	decimals := 0
	if x != 0 {
		decimals = min(max(2-int(math.Floor(math.Log10(math.Abs(x)))), 0), 6)
	}
	return trimmed(x, decimals)
}

func (e *Explanation) effects(o Options) *grid {
	t := &grid{head: []string{"feature", "value", "items", "effect", percent(e.Level) + " interval"}, left: []bool{true, true, false, false, false}}
	s := o.scale()
	for _, d := range e.Dependences {
		for k, at := range d.At {
			name := ""
			if k == 0 {
				name = label(d.Feature.Name)
			}
			t.rows = append(t.rows, []string{name, label(at.Label), fixed(100*at.Weight, 0) + "%", fixed(s.factor*d.Effect[k].Value, s.decimals), spanned(d.Effect[k], s.factor, s.decimals)})
			t.ruled = append(t.ruled, k == 0)
		}
	}
	return t
}

func (e *Explanation) held() *grid {
	t := &grid{
		head: []string{"feature", "shuffled", percent(e.Level) + " interval", "left out", percent(e.Level) + " interval"},
		left: []bool{true, false, false, false, false},
	}
	for _, h := range e.Held.Of {
		t.rows = append(t.rows, []string{label(h.Feature.Name), fixed(h.Shuffled.Value, 3), spanned(h.Shuffled, 1, 3), fixed(h.Without.Value, 3), spanned(h.Without, 1, 3)})
		t.ruled = append(t.ruled, len(t.ruled) == 0)
	}
	return t
}

func (e *Explanation) changes(o Options) *grid {
	t := &grid{head: []string{"feature", "from", "to", "gain", percent(e.Level) + " interval", "chance"}, left: []bool{true, true, true, false, false, false}}
	s := o.scale()
	for _, c := range e.Changes {
		t.rows = append(t.rows, []string{label(c.Feature.Name), label(c.From), label(c.To.Label), fixed(s.factor*c.Gain.Value, s.decimals), spanned(c.Gain, s.factor, s.decimals), chance(c.Chance)})
		t.ruled = append(t.ruled, len(t.ruled) == 0)
	}
	return t
}

// WriteCSV writes an explanation as comma-separated values: changes, effects at values, or importances.
func (e *Explanation) WriteCSV(w io.Writer, o Options) error {
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals+1) }
	three := func(x explain.Estimate) []string { return []string{number(x.Value), number(x.Lo), number(x.Hi)} }
	var rows [][]string
	switch {
	case e.Leanings != nil:
		rows = e.leaningRows(three)
	case e.Item != "":
		rows = [][]string{{"item", "feature", "from", "to", "gain", "lo", "hi", "p_gain"}}
		for _, c := range e.Changes {
			rows = append(rows, append(append([]string{e.Item, c.Feature.Name, c.From, c.To.Label}, three(c.Gain)...), fixed(c.Chance, 4)))
		}
	case e.Values:
		rows = [][]string{{"feature", "value", "share", "effect", "lo", "hi"}}
		for _, d := range e.Dependences {
			for k, at := range d.At {
				rows = append(rows, append([]string{d.Feature.Name, at.Label, fixed(at.Weight, 4)}, three(d.Effect[k])...))
			}
		}
	default:
		rows = [][]string{{"feature", "importance", "lo", "hi", "p_matters", "linear", "linear_lo", "linear_hi", "deviation", "length_scale"}}
		if e.Held != nil {
			rows[0] = append(rows[0], "shuffled", "shuffled_lo", "shuffled_hi", "left_out", "left_out_lo", "left_out_hi")
		}
		for _, d := range e.Dependences {
			row := append(append([]string{d.Feature.Name}, three(d.Importance)...), fixed(d.Matters, 4))
			if d.Slope != nil {
				row = append(append(row, three(*d.Slope)...), short(d.Deviation))
			} else {
				row = append(row, "", "", "", "")
			}
			if d.Length > 0 && !math.IsInf(d.Length, 1) {
				row = append(row, short(d.Length))
			} else {
				row = append(row, "")
			}
			if e.Held != nil {
				for _, h := range e.Held.Of {
					if h.Feature.Name == d.Feature.Name {
						for _, x := range []explain.Estimate{h.Shuffled, h.Without} {
							row = append(row, fixed(x.Value, 4), fixed(x.Lo, 4), fixed(x.Hi, 4))
						}
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// jsonExplained is a number with its interval.
type jsonExplained struct {
	Value *json.Number `json:"value"`
	Lo    *json.Number `json:"lo"`
	Hi    *json.Number `json:"hi"`
}

type jsonFeature struct {
	Feature    string         `json:"feature"`
	Kind       string         `json:"kind"`
	Importance jsonExplained  `json:"importance"`
	Matters    *json.Number   `json:"p_matters"`
	Linear     *jsonExplained `json:"linear,omitempty"`
	Deviation  *json.Number   `json:"deviation,omitempty"`
	Length     *json.Number   `json:"length_scale,omitempty"`
	Values     []jsonSetting  `json:"values"`
	Shuffled   *jsonExplained `json:"shuffled,omitempty"`
	Without    *jsonExplained `json:"left_out,omitempty"`
}

type jsonSetting struct {
	Value  string        `json:"value"`
	Share  *json.Number  `json:"share"`
	Effect jsonExplained `json:"effect"`
}

type jsonChange struct {
	Feature string        `json:"feature"`
	From    string        `json:"from"`
	To      string        `json:"to"`
	Gain    jsonExplained `json:"gain"`
	Chance  *json.Number  `json:"p_gain"`
}

// WriteJSON writes an explanation as one object.
func (e *Explanation) WriteJSON(w io.Writer, o Options) error {
	s := o.scale()
	score := func(x explain.Estimate) jsonExplained {
		return jsonExplained{number(s.factor*x.Value, s.decimals+1), number(s.factor*x.Lo, s.decimals+1), number(s.factor*x.Hi, s.decimals+1)}
	}
	nats := func(x explain.Estimate) *jsonExplained {
		return &jsonExplained{number(x.Value, 4), number(x.Lo, 4), number(x.Hi, 4)}
	}
	out := struct {
		Level    json.Number   `json:"level"`
		Scale    string        `json:"scale"`
		Features []jsonFeature `json:"features,omitempty"`
		HeldOut  any           `json:"held_out,omitempty"`
		Item     string        `json:"item,omitempty"`
		Changes  []jsonChange  `json:"changes,omitempty"`
		Voters   []jsonLeaning `json:"voters,omitempty"`
	}{Level: json.Number(amount(e.Level)), Scale: s.name, Item: e.Item}
	for _, d := range e.Dependences {
		f := jsonFeature{Feature: d.Feature.Name, Kind: string(d.Feature.Kind), Importance: score(d.Importance), Matters: number(d.Matters, 4)}
		if d.Slope != nil {
			slope := score(*d.Slope)
			f.Linear, f.Deviation = &slope, number(d.Deviation, 6)
		}
		if d.Length > 0 && !math.IsInf(d.Length, 1) {
			f.Length = number(d.Length, 6)
		}
		for k, at := range d.At {
			f.Values = append(f.Values, jsonSetting{at.Label, number(at.Weight, 4), score(d.Effect[k])})
		}
		if e.Held != nil {
			for _, h := range e.Held.Of {
				if h.Feature.Name == d.Feature.Name {
					f.Shuffled, f.Without = nats(h.Shuffled), nats(h.Without)
				}
			}
		}
		out.Features = append(out.Features, f)
	}
	if e.Held != nil {
		out.HeldOut = map[string]any{"votes": e.Held.Votes, "items": e.Held.Items, "cross_entropy": nats(e.Held.Loss)}
	}
	for _, c := range e.Changes {
		out.Changes = append(out.Changes, jsonChange{c.Feature.Name, c.From, c.To.Label, score(c.Gain), number(c.Chance, 4)})
	}
	for _, l := range e.Leanings {
		out.Voters = append(out.Voters, e.jsonLeaning(l, score))
	}
	return indented(w, out)
}
