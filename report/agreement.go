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
	"strings"

	"palate/agree"
)

// AgreementOptions say how to show how far voters agree.
type AgreementOptions struct {
	Items  func(i int) string // identifiers
	Most   int                // voters and items that are listed; 0: all
	Legend bool
}

// AgreementTable writes for people how far voters agree, and who does not: those
// with a remark first, then the least reliable.
func AgreementTable(w io.Writer, a *agree.Agreement, o AgreementOptions) error {
	var out bytes.Buffer
	switch {
	case a.Pairs == 0:
		out.WriteString("No pair was judged by two voters, so that there is no Krippendorff's α.\n")
	case math.IsNaN(a.Alpha.Value):
		fmt.Fprintf(&out, "All answers are the same, so that there is no Krippendorff's α.\n")
	case a.Pairs == 1:
		fmt.Fprintf(&out, "Krippendorff's α %s over the one pair that two voters or more judged.\n", fixed(a.Alpha.Value, 3))
	default:
		fmt.Fprintf(&out, "Krippendorff's α %s (%s interval %s … %s) over %s that two voters or more judged.\n",
			fixed(a.Alpha.Value, 3), percent(a.Level), fixed(a.Alpha.Lo, 3), fixed(a.Alpha.Hi, 3), count(float64(a.Pairs), "pair"))
	}
	out.WriteString(clusters(a, o) + "\n\n")
	least := byReliability(a)
	shown := least
	if o.Most > 0 && o.Most < len(shown) {
		shown = shown[:o.Most]
	}
	t := &grid{head: []string{"voter", "votes", "agrees", "expected", "reliability", percent(a.Level) + " interval"}, left: []bool{true, false, false, false, false, false}}
	if a.Ties {
		t.head, t.left = append(t.head, "ties", percent(a.Level)+" interval"), append(t.left, false, false)
	}
	if a.Sided {
		t.head, t.left = append(t.head, "picks left", percent(a.Level)+" interval"), append(t.left, false, false)
	}
	if len(a.Clusters) > 1 {
		t.head, t.left = append(t.head, "cluster"), append(t.left, false)
	}
	t.head, t.left = append(t.head, "remark"), append(t.left, true)
	for k, v := range shown {
		row := []string{label(v.ID), amount(v.Votes), share(v.Agrees.Value), share(v.Expected), fixed(v.Reliability.Value, 2),
			fixed(v.Reliability.Lo, 2) + " … " + fixed(v.Reliability.Hi, 2)}
		if a.Ties {
			row = append(row, share(v.Ties.Value), share(v.Ties.Lo)+" … "+share(v.Ties.Hi))
		}
		if a.Sided {
			between := share(v.Left.Lo) + " … " + share(v.Left.Hi)
			if math.IsNaN(v.Left.Value) {
				between = "–"
			}
			row = append(row, share(v.Left.Value), between)
		}
		if len(a.Clusters) > 1 {
			row = append(row, strconv.Itoa(v.Cluster+1))
		}
		remark := v.Remark
		if v.Spammer {
			remark = "suspected: " + remark
		}
		t.rows, t.ruled = append(t.rows, append(row, remark)), append(t.ruled, k == 0)
	}
	t.writeTo(&out)
	if hidden := len(least) - len(shown); hidden > 0 {
		fmt.Fprintf(&out, "and %d more%s\n", hidden, moreRemarks(least[len(shown):]))
	}
	dissents(&out, shown)
	disputed(&out, a, o)
	if o.Legend {
		out.WriteString("\n" + agreementLegend(a))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// moreRemarks says what there is to know of voters who are not shown.
func moreRemarks(hidden []agree.Voter) string {
	n := 0
	for _, v := range hidden {
		if v.Remark != "" {
			n++
		}
	}
	if n == 0 {
		return ", who are more reliable"
	}
	return fmt.Sprintf(", %d of them with a remark", n)
}

// byReliability sorts voters, those with a remark first, then the least reliable:
// with few votes anybody may seem to be that.
func byReliability(a *agree.Agreement) []agree.Voter {
	v := slices.Clone(a.Voters)
	slices.SortStableFunc(v, func(x, y agree.Voter) int {
		if x, y := x.Remark == "", y.Remark == ""; x != y {
			return map[bool]int{false: -1, true: 1}[x]
		}
		return cmp.Compare(x.Reliability.Value, y.Reliability.Value)
	})
	return v
}

// share shows a probability in whole percent, or a dash.
func share(p float64) string {
	if math.IsNaN(p) {
		return "–"
	}
	return fixed(100*p, 0) + "%"
}

// clusters says in how many clusters voters fall.
func clusters(a *agree.Agreement, o AgreementOptions) string {
	if len(a.Clusters) == 1 {
		if len(a.ClusterChance) == 1 {
			return "The voters are one cluster: they are too few to look for camps."
		}
		return fmt.Sprintf("The voters are one cluster, with a probability of %s: nothing shows camps with rankings of their own.", chance(a.ClusterChance[0]))
	}
	var s strings.Builder
	fmt.Fprintf(&s, "The voters fall into %d clusters, with a probability of %s (BIC prefers them to one by %s):", len(a.Clusters), chance(a.ClusterChance[len(a.Clusters)-1]), fixed(a.ClusterGain, 1))
	for k, c := range a.Clusters {
		var first []string
		for _, i := range c.Ranking[:min(3, len(c.Ranking))] {
			first = append(first, label(o.Items(i)))
		}
		fmt.Fprintf(&s, "\n  %d  %s, who put %s first", k+1, count(float64(c.Voters), "voter"), strings.Join(first, ", "))
	}
	return s.String()
}

// dissents says on what those who disagree do so.
func dissents(out *bytes.Buffer, voters []agree.Voter) {
	var lines []string
	for _, v := range voters {
		var parts []string
		for _, d := range v.Dissents[:min(3, len(v.Dissents))] {
			word := "less"
			if d.Z > 0 {
				word = "more"
			}
			parts = append(parts, fmt.Sprintf("%s %s (%s)", label(d.ID), word, fixed(d.Z, 1)))
		}
		if len(parts) > 0 {
			lines = append(lines, fmt.Sprintf("  %s likes %s", label(v.ID), strings.Join(parts, ", ")))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(out, "\nOn what they disagree with the others, in standard deviations:\n%s\n", strings.Join(lines, "\n"))
	}
}

// disputed lists the items on which voters differ the most.
func disputed(out *bytes.Buffer, a *agree.Agreement, o AgreementOptions) {
	items := a.Items
	if o.Most > 0 {
		items = items[:min(len(items), o.Most, 5)]
	}
	var parts []string
	for _, i := range items {
		if i.Spread > 1 {
			parts = append(parts, fmt.Sprintf("%s (%s)", label(i.ID), fixed(i.Spread, 1)))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(out, "\nMost disputed items (1: as chance has it): %s\n", strings.Join(parts, ", "))
	}
}

func agreementLegend(a *agree.Agreement) string {
	s := `agrees       share of votes for the favourite of the other voters
expected     share of somebody who votes as they do: hard pairs make it lower
reliability  how far votes follow the others: 1 as theirs do, 0 not at all
`
	if a.Ties {
		s += "ties         share of votes that are ties\n"
	}
	if a.Sided {
		s += "picks left   chance to pick the left one of two items that are equally good\n"
	}
	return s + "suspected    of not looking at the items; unusual taste can look the same\n"
}

// AgreementCSV writes a row for every voter, in the order of AgreementTable.
func AgreementCSV(w io.Writer, a *agree.Agreement) error {
	out := csv.NewWriter(w)
	out.Write([]string{"voter", "votes", "agrees", "agrees_lo", "agrees_hi", "expected", "reliability", "reliability_lo", "reliability_hi",
		"ties", "ties_lo", "ties_hi", "picks_left", "picks_left_lo", "picks_left_hi", "repeated", "contradicted", "cluster", "membership", "suspected", "remark", "likes_more", "likes_less"})
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return fixed(x, 4)
	}
	for _, v := range byReliability(a) {
		var more, less []string
		for _, d := range v.Dissents {
			if d.Z > 0 {
				more = append(more, d.ID)
			} else {
				less = append(less, d.ID)
			}
		}
		out.Write([]string{v.ID, amount(v.Votes), number(v.Agrees.Value), number(v.Agrees.Lo), number(v.Agrees.Hi), number(v.Expected),
			number(v.Reliability.Value), number(v.Reliability.Lo), number(v.Reliability.Hi),
			number(v.Ties.Value), number(v.Ties.Lo), number(v.Ties.Hi), number(v.Left.Value), number(v.Left.Lo), number(v.Left.Hi),
			strconv.Itoa(v.Repeated), strconv.Itoa(v.Contradicted), strconv.Itoa(v.Cluster + 1), number(v.Membership), strconv.FormatBool(v.Spammer), v.Remark,
			strings.Join(more, "; "), strings.Join(less, "; ")})
	}
	out.Flush()
	return out.Error()
}

type jsonAgreement struct {
	Level       float64        `json:"level"`
	Alpha       jsonInterval   `json:"alpha"`
	Pairs       int            `json:"pairs"`
	ClusterGain *json.Number   `json:"cluster_gain"`
	Numbers     []*json.Number `json:"cluster_chances"` // of one, two and more clusters
	Clusters    []jsonCluster  `json:"clusters"`
	Voters      []jsonVoter    `json:"voters"`
	Items       []jsonDisputed `json:"items"`
}

// jsonInterval has null where there is no figure.
type jsonInterval struct {
	Value *json.Number `json:"value"`
	Lo    *json.Number `json:"lo"`
	Hi    *json.Number `json:"hi"`
}

type jsonCluster struct {
	Voters  int          `json:"voters"`
	Share   *json.Number `json:"share"`
	Ranking []string     `json:"ranking"`
}

type jsonVoter struct {
	Voter        string        `json:"voter"`
	Votes        json.Number   `json:"votes"`
	Agrees       jsonInterval  `json:"agrees"`
	Expected     *json.Number  `json:"expected"`
	Reliability  jsonInterval  `json:"reliability"`
	Ties         jsonInterval  `json:"ties"`
	Left         jsonInterval  `json:"picks_left"`
	Repeated     int           `json:"repeated"`
	Contradicted int           `json:"contradicted"`
	Cluster      int           `json:"cluster"`
	Membership   *json.Number  `json:"membership"`
	Spammer      bool          `json:"suspected"`
	Remark       string        `json:"remark"`
	Dissents     []jsonDissent `json:"dissents"`
}

type jsonDissent struct {
	Item  string       `json:"item"`
	Votes json.Number  `json:"votes"`
	Z     *json.Number `json:"z"`
}

type jsonDisputed struct {
	Item   string       `json:"item"`
	Voters int          `json:"voters"`
	Spread *json.Number `json:"spread"`
}

func interval(x agree.Interval) jsonInterval {
	return jsonInterval{figure(x.Value), figure(x.Lo), figure(x.Hi)}
}

// AgreementJSON writes everything as one object.
func AgreementJSON(w io.Writer, a *agree.Agreement, o AgreementOptions) error {
	out := jsonAgreement{Level: a.Level, Alpha: interval(a.Alpha), Pairs: a.Pairs, ClusterGain: figure(a.ClusterGain)}
	for _, p := range a.ClusterChance {
		out.Numbers = append(out.Numbers, figure(p))
	}
	for _, c := range a.Clusters {
		ranking := make([]string, len(c.Ranking))
		for k, i := range c.Ranking {
			ranking[k] = o.Items(i)
		}
		out.Clusters = append(out.Clusters, jsonCluster{c.Voters, figure(c.Share), ranking})
	}
	for _, v := range byReliability(a) {
		row := jsonVoter{v.ID, json.Number(amount(v.Votes)), interval(v.Agrees), figure(v.Expected), interval(v.Reliability), interval(v.Ties), interval(v.Left),
			v.Repeated, v.Contradicted, v.Cluster + 1, figure(v.Membership), v.Spammer, v.Remark, []jsonDissent{}}
		for _, d := range v.Dissents {
			row.Dissents = append(row.Dissents, jsonDissent{d.ID, json.Number(amount(d.Votes)), figure(d.Z)})
		}
		out.Voters = append(out.Voters, row)
	}
	for _, i := range a.Items {
		out.Items = append(out.Items, jsonDisputed{i.ID, i.Voters, figure(i.Spread)})
	}
	return indented(w, out)
}
