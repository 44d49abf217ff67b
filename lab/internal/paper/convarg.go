package paper

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"palate"
	"palate/feature"
	"palate/ingest"
)

// convarg is CROWD §6.3: how convincing arguments are, from single votes of many people, for a topic nobody voted on.
func convarg() Experiment {
	var mu sync.Mutex
	read := map[Folder]*Arguments{} // both sets are of the same texts
	load := func(f Folder) (*Arguments, error) {
		mu.Lock()
		defer mu.Unlock()
		if read[f] != nil {
			return read[f], nil
		}
		a, err := LoadArguments(f)
		if err == nil {
			read[f] = a
		}
		return a, err
	}
	return Experiment{
		Name:    "convarg",
		About:   "convincing arguments of unseen topics, UKPConvArgCrowdSample (CROWD table 2)",
		Sets:    []Set{convargSet("consensus", load), convargSet("personal", load)},
		Models:  []string{"crowd", "crowd-beside"},
		Loss:    CE,
		Figures: convargFigures(),
		papers:  []string{"crowd", "draft"},
	}
}

// convargSet holds one topic out at a time, in the order of the files.
func convargSet(split string, load func(Folder) (*Arguments, error)) Set {
	asks := Ties | NewItems
	if split == "consensus" {
		asks |= Consensus
	}
	return Set{Data: "convarg", Split: split, Folds: convargTopics, Asks: asks, Train: "convarg", folds: func(f Folder) (func(int) (*Split, error), error) {
		a, err := load(f)
		if err != nil {
			return nil, err
		}
		return func(topic int) (*Split, error) {
			if topic >= len(a.Topics) {
				return nil, fmt.Errorf("paper: convarg has %d topics to hold out, no more", len(a.Topics))
			}
			return a.Split(topic, split == "personal")
		}, nil
	}}
}

// convargTopics is how many topics, each with a side to take, there are.
const convargTopics = 32

// Arguments are texts about topics, of which people found one of two more convincing.
type Arguments struct {
	Topics []string
	IDs    []string
	Texts  []string
	Topic  []int // of each text
	Users  []string
	Votes  []palate.Vote    // of users; Item numbers are those of Texts
	Gold   []palate.Vote    // of no user: what all labels of a pair come to
	Score  []float64        // of each text, more for more convincing; NaN when not known
	table  *ingest.Table    // of the texts
	beside *palate.Features // learnt from all of them
	last   encoding
}

// encoding is the features of all texts, learnt without those of a topic.
type encoding struct {
	topic    int
	features *palate.Features
	cost     float64 // seconds of processor time
}

func convargArchive() archive {
	return archive{"ukpconvarg", "UKPConvArg", "https://github.com/UKPLab/acl2016-convincing-arguments"}
}

// LoadArguments reads UKPConvArgCrowdSample (Habernal and Gurevych 2016, Simpson and Gurevych 2018).
func LoadArguments(f Folder) (*Arguments, error) {
	a := &Arguments{}
	topics, items, users := map[string]int{}, map[string]int{}, map[string]int{}
	err := f.each(convargArchive(), []string{"items.tsv.gz", "items.tsv"}, 6, func(t *table) error {
		if _, ok := topics[t.row[0]]; !ok {
			topics[t.row[0]] = len(a.Topics)
			a.Topics = append(a.Topics, t.row[0])
		}
		if _, ok := items[t.row[1]]; ok {
			return t.fault("arg_id", "%q is there twice", t.row[1])
		}
		items[t.row[1]] = len(a.IDs)
		a.IDs = append(a.IDs, t.row[1])
		a.Topic = append(a.Topic, topics[t.row[0]])
		a.Texts = append(a.Texts, strings.Join(strings.Fields(strings.ReplaceAll(t.row[5], "<br/>", "\n")), " "))
		a.Score = append(a.Score, math.NaN())
		return nil
	})
	if err != nil {
		return nil, err
	}
	item := func(t *table, k int) (int, error) {
		i, ok := items[t.row[k]]
		if !ok {
			return 0, t.fault("", "no argument %q", t.row[k])
		}
		return i, nil
	}
	vote := func(t *table, label int) (v palate.Vote, err error) {
		v.User, v.Weight = -1, 1
		if v.Left, err = item(t, 1); err != nil {
			return v, err
		}
		if v.Right, err = item(t, 2); err != nil {
			return v, err
		}
		outcome, ok := map[string]palate.Outcome{"a1": palate.Left, "a2": palate.Right, "equal": palate.Tie}[t.row[label]]
		if !ok {
			return v, t.fault("label", "%q is not a1, a2 or equal", t.row[label])
		}
		v.Outcome = outcome
		return v, nil
	}
	err = f.each(convargArchive(), []string{"crowd_sample.tsv.gz", "crowd_sample.tsv"}, 5, func(t *table) error {
		v, err := vote(t, 4)
		if err != nil {
			return err
		}
		if _, ok := users[t.row[3]]; !ok {
			users[t.row[3]] = len(a.Users)
			a.Users = append(a.Users, t.row[3])
		}
		v.User = users[t.row[3]]
		a.Votes = append(a.Votes, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = f.each(convargArchive(), []string{"gold_pairs_strict.tsv.gz", "gold_pairs_strict.tsv"}, 4, func(t *table) error {
		v, err := vote(t, 3)
		a.Gold = append(a.Gold, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = f.each(convargArchive(), []string{"gold_ranking.tsv", "gold_ranking.tsv.gz"}, 3, func(t *table) error {
		i, err := item(t, 1)
		if err != nil {
			return err
		}
		x, err := t.number(2, "rank_score")
		a.Score[i] = -x // lower is more convincing
		return err
	})
	return a, err
}

// Split holds a topic out: everything learnt of texts (how often words are used, axes, scales) is learnt from the
// others, and the held-out texts are encoded beside each other. Predicted are the gold labels of the topic, or the
// votes of people on it, ties apart.
func (a *Arguments) Split(topic int, personal bool) (*Split, error) {
	if a.last.features == nil || a.last.topic != topic { // what all think and what each does is asked in turn
		before := cpuSeconds()
		fresh, known := a.parts(topic)
		f, err := a.encode(known, fresh)
		if err != nil {
			return nil, err
		}
		a.last = encoding{topic, f, cpuSeconds() - before}
	}
	s, err := a.split(topic, a.last.features, personal)
	if err != nil {
		return nil, err
	}
	if a.beside == nil { // the same for every topic
		none, all := a.parts(-1)
		if a.beside, err = a.encode(all, none); err != nil {
			return nil, err
		}
	}
	beside, err := a.split(topic, a.beside, personal)
	if err != nil {
		return nil, err
	}
	s.Beside, s.texts, s.cost = beside.Train, a.Texts, a.last.cost
	return s, nil
}

// parts lists the texts of a topic and those of all others.
func (a *Arguments) parts(topic int) (fresh, known []int) {
	for i, t := range a.Topic {
		if t == topic {
			fresh = append(fresh, i)
		} else {
			known = append(known, i)
		}
	}
	return fresh, known
}

// encode returns the features of all texts, learnt from those that are known.
func (a *Arguments) encode(known, fresh []int) (*palate.Features, error) {
	if a.table == nil {
		var err error
		if a.table, err = a.file(); err != nil {
			return nil, err
		}
	}
	old := a.table.Rows(known)
	encoder, err := feature.NewEncoder(context.Background(), old, feature.Options{})
	if err != nil {
		return nil, err
	}
	f := &palate.Features{Names: encoder.Names(), Rows: len(a.IDs), Cols: encoder.Width()}
	f.Data = make([]float64, f.Rows*f.Cols)
	put := func(t *ingest.Table, items []int) error {
		part, err := encoder.Encode(context.Background(), t)
		if err != nil {
			return err
		}
		f.Blocks = part.Blocks
		for k, i := range items {
			copy(f.Row(i), part.Row(k))
		}
		return nil
	}
	if err := put(old, known); err != nil || len(fresh) == 0 {
		return f, err
	}
	return f, put(a.table.Rows(fresh), fresh)
}

func (a *Arguments) split(topic int, f *palate.Features, personal bool) (*Split, error) {
	fresh, _ := a.parts(topic)
	b := palate.NewBuilder()
	for _, id := range a.IDs {
		b.Item(id)
	}
	for _, id := range a.Users {
		b.User(id)
	}
	b.SetItemFeatures(f)
	s := &Split{}
	judged := map[int]map[int]bool{}
	for _, v := range a.Votes {
		switch {
		case a.Topic[v.Left] != topic:
			if err := b.Add(v); err != nil {
				return nil, err
			}
		case personal && v.Outcome != palate.Tie:
			s.Test = append(s.Test, v)
			if judged[v.User] == nil {
				judged[v.User] = map[int]bool{}
			}
			judged[v.User][v.Left], judged[v.User][v.Right] = true, true
		}
	}
	if personal {
		for u := range a.Users {
			s.Lists = append(s.Lists, a.list(u, fresh, func(i int) bool { return judged[u][i] })...)
		}
	} else {
		for _, v := range a.Gold {
			if a.Topic[v.Left] == topic {
				s.Test = append(s.Test, v)
			}
		}
		s.Lists = a.list(-1, fresh, func(int) bool { return true })
	}
	var err error
	s.Train, err = b.Build()
	return s, err
}

// list returns the gold scores of some texts, as a list of one or of none.
func (a *Arguments) list(user int, items []int, in func(int) bool) []List {
	l := List{User: user}
	for _, i := range items {
		if in(i) && !math.IsNaN(a.Score[i]) {
			l.Items, l.Score = append(l.Items, i), append(l.Score, a.Score[i])
		}
	}
	if len(l.Items) < 2 {
		return nil
	}
	return []List{l}
}

// file returns the texts as a file of items.
func (a *Arguments) file() (*ingest.Table, error) {
	var text strings.Builder
	text.WriteString("id\tgroup:topic\ttext:argument\n")
	for i, id := range a.IDs {
		fmt.Fprintf(&text, "%s\t%s\t\"%s\"\n", id, a.Topics[a.Topic[i]], strings.ReplaceAll(a.Texts[i], `"`, `""`))
	}
	return ingest.ReadTable(context.Background(), "items.tsv", strings.NewReader(text.String()))
}
