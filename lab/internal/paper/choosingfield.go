package paper

import (
	"context"
	"fmt"
	"math"

	"palate"
	"palate/evaluate"
	"palate/model"
)

// choosable are the models that auto chooses among.
func choosable() []string { return []string{"single", "population", "crowd"} }

// took notes the weight of every model in a choice.
func (r worldResult) took(c evaluate.Choice) {
	for _, m := range choosable() {
		r["took_"+m] = 0
	}
	if c.Settings.Parts == nil {
		r["took_"+c.Model] = 1
	}
	for _, p := range c.Settings.Parts {
		r["took_"+p.Model] = p.Weight
	}
}

// tryDisguised chooses a model for votes as they are, and in another order and under other
// names, and tells by how much weights move.
func tryDisguised(ctx context.Context, d *palate.Dataset, repeat int, seed uint64) (worldResult, error) {
	o := &evaluate.ChooseOptions{Settings: model.Settings{Seed: seed}}
	plain, err := evaluate.Choose(ctx, d, o)
	if err != nil {
		return nil, err
	}
	other, err := disguise(d, repeat, seed)
	if err != nil {
		return nil, err
	}
	choice, err := evaluate.Choose(ctx, other, o)
	if err != nil {
		return nil, err
	}
	was, result := worldResult{}, worldResult{"announced": choice.Loss, "announced_error": choice.Error, "moved": 0}
	was.took(plain)
	result.took(choice)
	for _, m := range choosable() {
		result["moved"] = max(result["moved"], math.Abs(result["took_"+m]-was["took_"+m]))
	}
	return result, nil
}

// disguise returns votes in another order and under other names.
func disguise(d *palate.Dataset, repeat int, seed uint64) (*palate.Dataset, error) {
	rng := stream(seed, "choosing/disguise", repeat)
	b := palate.NewBuilder()
	items, users := rng.Perm(d.NumItems()), rng.Perm(d.NumUsers())
	for i := range items {
		b.Item(fmt.Sprintf("item %05d", i))
	}
	for u := range users {
		b.User(fmt.Sprintf("voter %05d", u))
	}
	b.SetItemFeatures(moved(d.ItemFeatures(), items))
	b.SetUserFeatures(moved(d.UserFeatures(), users))
	for _, k := range rng.Perm(d.NumVotes()) {
		v := d.Vote(k)
		v.Left, v.Right = items[v.Left], items[v.Right]
		if v.User >= 0 {
			v.User = users[v.User]
		}
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// moved is features with row i at a place of its own; nil where there are none.
func moved(f *palate.Features, place []int) *palate.Features {
	if f == nil {
		return nil
	}
	g := *f
	g.Data = make([]float64, len(f.Data))
	for i, at := range place {
		copy(g.Data[at*f.Cols:(at+1)*f.Cols], f.Data[i*f.Cols:(i+1)*f.Cols])
	}
	return &g
}

// sushiSample is votes out of rankings of sushi.
func sushiSample(f Folder, seed uint64) (*palate.Dataset, error) {
	draw, err := sushiSet("A-small", 'A', 100, 5, 25, 1).open(f)
	if err != nil {
		return nil, err
	}
	s, err := draw(stream(seed, "choosing/sushi", 0))
	if err != nil {
		return nil, err
	}
	return s.Train, nil
}

// country reads which of two countries people take for the larger one.
func country(f Folder, _ uint64) (*palate.Dataset, error) {
	t, err := f.open(archive{name: "field", home: "https://github.com/tao-j/hra"}, "country.csv")
	if err != nil {
		return nil, err
	}
	defer t.file.Close()
	b := palate.NewBuilder()
	for {
		ok, err := t.next(",", 3)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return b.Build()
		case t.row[0] == "user":
			continue
		}
		if err := b.Add(palate.Vote{User: b.User(t.row[0]), Left: b.Item(t.row[1]), Right: b.Item(t.row[2]), Weight: 1, Unsided: true}); err != nil {
			return nil, err
		}
	}
}

// countryFolds is country in folds by vote.
func countryFolds(f Folder, seed uint64) (*palate.Dataset, []evaluate.Fold, error) {
	d, err := country(f, seed)
	if err != nil {
		return nil, nil, err
	}
	folds, err := evaluate.Split(d, &evaluate.SplitOptions{Seed: seed})
	return d, folds, err
}

// llmfao reads judgements of language models, and divides them by vote or by a column.
func llmfao(f Folder, by string, seed uint64) (*palate.Dataset, []evaluate.Fold, error) {
	t, err := f.open(archive{name: "field", home: "https://github.com/dustalov/llmfao"}, "llmfao.csv", "crowd-comparisons.csv")
	if err != nil {
		return nil, nil, err
	}
	defer t.file.Close()
	b := palate.NewBuilder()
	var values []string
	at := map[string]int{}
	for {
		ok, err := t.next(",", 8)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
		if len(at) == 0 {
			for k, name := range t.row {
				at[name] = k
			}
			continue
		}
		v := palate.Vote{User: b.User(t.row[at["worker"]]), Left: b.Item(t.row[at["left"]]), Right: b.Item(t.row[at["right"]]), Weight: 1}
		switch t.row[at["winner"]] {
		case "left":
		case "right":
			v.Outcome = palate.Right
		case "tie":
			v.Outcome = palate.Tie
		default:
			return nil, nil, t.fault("winner", "%q is neither left, right nor tie", t.row[at["winner"]])
		}
		if err := b.Add(v); err != nil {
			return nil, nil, err
		}
		values = append(values, t.row[at["id"]])
	}
	d, err := b.Build()
	if err != nil {
		return nil, nil, err
	}
	o := &evaluate.SplitOptions{Seed: seed}
	if by != "" {
		o.By, o.Values = evaluate.ByValue, values
	}
	folds, err := evaluate.Split(d, o)
	return d, folds, err
}
