package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"palate"
	"palate/internal/wording"
)

// taskForm is Label Studio's JSON export: tasks with their data, each with annotations by several people.
func taskForm() form {
	return form{"data,annotations", func(header []string) *layout {
		at := places(header, []string{"data", "annotations"})
		if at == nil {
			return nil
		}
		return &layout{use: at, deep: at, sided: true, cast: func(w *ballots, rec *record, by answer) *fault {
			task := task{column: at[1]}
			for k, to := range []any{&task.data, &task.annotations} {
				if err := json.Unmarshal(rec.fields[at[k]], to); err != nil {
					return w.fault(at[k], "is not as Label Studio exports it")
				}
			}
			if task.data == nil {
				return w.fault(at[0], "is not as Label Studio exports it")
			}
			for key := range members(rec.fields[at[0]]) {
				task.keys = append(task.keys, string(key))
			}
			if why := task.cast(w, rec, by); why != "" {
				return w.fault(at[1], why)
			}
			return nil
		}}
	}}
}

type task struct {
	column      int // of the annotations
	data        map[string]json.RawMessage
	keys        []string // of the data, in order
	annotations []annotation
}

type annotation struct {
	By        json.RawMessage `json:"completed_by"`
	Cancelled bool            `json:"was_cancelled"`
	Created   string          `json:"created_at"`
	Result    []struct {
		ToName string `json:"to_name"`
		Value  struct {
			Selected string
			Ranker   map[string][]json.RawMessage
		}
	}
}

func (t *task) cast(w *ballots, rec *record, by answer) (why string) {
	for i := range t.annotations {
		a := &t.annotations[i]
		by := by
		if by.user, why = a.voter(); why != "" {
			return why
		}
		if by.time, why = ParseTime([]byte(a.Created)); why != "" {
			return why
		}
		said := 0
		for _, r := range a.Result {
			switch {
			case r.Value.Selected != "":
				left, right, why := t.pair(strings.Split(r.ToName, ","))
				if why != "" {
					return why
				}
				outcome, why := w.outcome(rec, t.column, left, right, []byte(r.Value.Selected))
				if why != "" {
					return why
				}
				w.vote(by, left, right, outcome)
				said++
			case len(r.Value.Ranker) == 1:
				for _, list := range r.Value.Ranker {
					raw, _ := json.Marshal(list)
					places, why := readJSONRanking(raw)
					if why == "" {
						why = w.ranked(rec, by, places)
					}
					if why != "" {
						return why
					}
				}
				said++
			case len(r.Value.Ranker) > 1:
				return "a ranker with several buckets is not a ranking"
			}
		}
		if said == 0 { // looked at, and not answered
			left, right, why := t.pair(nil)
			if why != "" {
				return why
			}
			w.vote(by, left, right, palate.Skip)
		}
	}
	return ""
}

// voter returns the annotator's e-mail address or number.
func (a *annotation) voter() (id []byte, why string) {
	if len(a.By) == 0 || string(a.By) == "null" {
		return nil, ""
	}
	if a.By[0] == '{' {
		var who struct{ Email, ID json.RawMessage }
		if err := json.Unmarshal(a.By, &who); err != nil {
			return nil, fmt.Sprintf("%s does not name an annotator", wording.Quote(a.By))
		}
		if a.By = who.Email; len(a.By) == 0 {
			a.By = who.ID
		}
	}
	return plainJSON(a.By)
}

// pair returns the two items of a task: the data of the given names, or of names that differ as sides do.
func (t *task) pair(names []string) (left, right []byte, why string) {
	if len(names) != 2 || t.data[names[0]] == nil || t.data[names[1]] == nil {
		l, r := twins(t.keys)
		if l < 0 {
			return nil, nil, fmt.Sprintf("no two of the data are a pair, such as text1 and text2: there is %s", strings.Join(t.keys, ", "))
		}
		names = []string{t.keys[l], t.keys[r]}
	}
	if left, why = plainJSON(t.data[names[0]]); why != "" {
		return nil, nil, why
	}
	if right, why = plainJSON(t.data[names[1]]); why != "" {
		return nil, nil, why
	}
	switch {
	case len(left) == 0 || len(right) == 0:
		return nil, nil, "an item is empty"
	case bytes.Equal(left, right):
		return nil, nil, fmt.Sprintf("%s against itself", wording.Quote(left))
	}
	return left, right, ""
}

// twins finds two names that differ only in the side at their end, or −1.
func twins(names []string) (left, right int) {
	lower := make([]string, len(names))
	for k, name := range names {
		lower[k] = strings.ToLower(name)
	}
	for _, ends := range [][2]string{{"1", "2"}, {"_a", "_b"}, {"-a", "-b"}, {" a", " b"}, {"left", "right"}, {"first", "second"}, {"a", "b"}} {
		for l, name := range lower {
			stem, ok := strings.CutSuffix(name, ends[0])
			if !ok {
				continue
			}
			if r := slices.Index(lower, stem+ends[1]); r >= 0 {
				return l, r
			}
		}
	}
	return -1, -1
}

// minimalTaskForm is Label Studio's CSV, TSV and JSON-MIN export: a row an annotation, with the data of the task
// and the annotator's choice in columns.
func minimalTaskForm() form {
	return form{"text1,text2,comparison,annotation_id", func(header []string) *layout {
		l, r := twins(header)
		said := wording.Find(header, "comparison", "pairwise", "pw", "preference", "choice", "winner", "label", "selected")
		if l < 0 || said < 0 || wording.Find(header, "annotation_id") < 0 {
			return nil
		}
		return &layout{use: []int{l, r, said}, pair: []int{l, r, said}, deep: []int{said}, sided: true, cast: func(w *ballots, rec *record, by answer) *fault {
			left, right, bad := w.pair(rec, l, r)
			if bad != nil {
				return bad
			}
			outcome, why := w.outcome(rec, said, left, right, selected(rec.fields[said]))
			if why != "" {
				return w.fault(said, why)
			}
			w.vote(by, left, right, outcome)
			return nil
		}}
	}}
}

// selected returns the side in an answer such as left, {"selected":"left"} or a list of one of these.
func selected(text []byte) []byte {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return text
	}
	one := []json.RawMessage{text}
	if text[0] == '[' && (json.Unmarshal(text, &one) != nil || len(one) != 1) {
		return text
	}
	var value struct{ Selected string }
	if json.Unmarshal(one[0], &value) == nil && value.Selected != "" {
		return []byte(value.Selected)
	}
	if id, why := plainJSON(one[0]); why == "" {
		return id
	}
	return text
}
