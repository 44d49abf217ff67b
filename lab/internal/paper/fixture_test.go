package paper

import (
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sushiFolder makes up data in the format of the SUSHI files: people rank items by a shared taste, one of two camps
// and noise.
func sushiFolder(t *testing.T, users int) Folder {
	t.Helper()
	return write(t, sushiFiles(users))
}

func sushiFiles(users int) map[string]string {
	rng := rand.New(rand.NewPCG(3, 1))
	var items, people, a, b strings.Builder
	taste := make([][2]float64, 100)
	for i := range taste {
		taste[i] = [2]float64{rng.NormFloat64(), 2 * rng.NormFloat64()}
		fmt.Fprintf(&items, "%d\tsushi%d\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.2f\n", i, i, i%2, i%3%2, i%12, taste[i][0], taste[i][1], rng.Float64(), rng.Float64())
	}
	rank := func(camp float64, among, names []int) string {
		value := map[int]float64{}
		for k, i := range among {
			value[names[k]] = taste[i][0] + camp*taste[i][1] + rng.NormFloat64()/2
		}
		order := slices.Clone(names)
		slices.SortFunc(order, func(i, j int) int {
			if value[i] > value[j] {
				return -1
			}
			return 1
		})
		return fmt.Sprintf("0 %d %s\n", len(order), strings.Trim(fmt.Sprint(order), "[]"))
	}
	a.WriteString("10 1\n")
	b.WriteString("100 1\n")
	for u := range users {
		camp := float64(2*rng.IntN(2) - 1)
		fmt.Fprintf(&people, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", 1000+u, u%2, u%6, 100+u, u%48, u%12, u%2, (u+1)%48, (u+1)%12, (u+1)%2, 1)
		a.WriteString(rank(camp, setA(), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
		some := rng.Perm(100)[:10]
		b.WriteString(rank(camp, some, some))
	}
	return map[string]string{
		"sushi/sushi3.idata":          items.String(),
		"sushi/sushi3.udata":          people.String(),
		"sushi/sushi3a.5000.10.order": a.String(),
		"sushi/sushi3b.5000.10.order": b.String(),
	}
}

// movieFiles makes up ratings in the format of both MovieLens archives: user, movie and stars by any separator.
// User 1 likes 6 and dislikes 5, user 2 likes 1 and dislikes 1, user 3 likes everything, user 4 has no extremes, user 5
// likes 3 and dislikes 1. Nobody who counts gave movies 13 and 14 a 5 or a 1.
func movieFiles(separator string) string {
	var s strings.Builder
	add := func(user int, stars int, movies ...int) {
		for _, m := range movies {
			fmt.Fprintf(&s, "%d%s%d%s%d%s88125\n", user, separator, m, separator, stars, separator)
		}
	}
	add(5, 1, 12) // the order of users is not that of the file
	add(1, 5, 6, 5, 4, 3, 2, 1)
	add(1, 1, 7, 8, 9, 10, 11)
	add(1, 3, 12)
	add(1, 4, 13)
	add(1, 2, 14)
	add(2, 5, 1)
	add(2, 1, 2)
	add(3, 5, 1, 2, 13)
	add(4, 4, 1)
	add(4, 2, 14)
	add(5, 5, 1, 2, 3)
	return s.String()
}

func movies100K() map[string]string {
	var items strings.Builder
	for m := 1; m <= 14; m++ {
		date, flags := fmt.Sprintf("01-Jan-%d", 1980+m), make([]string, 19)
		for g := range flags {
			flags[g] = "0"
			if g == m || g == 5 {
				flags[g] = "1"
			}
		}
		if m == 2 { // as movie 267 of the real data
			date = ""
		}
		fmt.Fprintf(&items, "%d|Caf\xe9 %d|%s||http://x|%s\n", m, m, date, strings.Join(flags, "|"))
	}
	return map[string]string{"movielens-100k/u.data": movieFiles("\t"), "movielens-100k/u.item": items.String()}
}

func movies1M() map[string]string {
	var items strings.Builder
	for m := 1; m <= 14; m++ {
		fmt.Fprintf(&items, "%d::Caf\xe9: %d (%d)::Comedy|Genre%d\n", m, m, 1980+m, m%3)
	}
	return map[string]string{"ml-1m/ratings.dat": movieFiles("::"), "ml-1m/movies.dat": items.String()}
}

// write puts files into a new folder, those whose name ends in .gz packed.
func write(t *testing.T, files map[string]string) Folder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			z.Write([]byte(text))
			z.Close()
		} else {
			f.WriteString(text)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return Folder(dir)
}

// argumentFiles makes up arguments in the format of UKPConvArg: long ones with reasons convince, and some voters do not
// care.
func argumentFiles(topics, each, voters, votes int) map[string]string {
	rng := rand.New(rand.NewPCG(5, 1))
	var items, labels, gold, ranking strings.Builder
	items.WriteString("topic\targ_id\tvotes_up\tvotes_down\tstance\ttext\n")
	labels.WriteString("topic\targ1\targ2\tworker\tlabel\n")
	gold.WriteString("topic\targ1\targ2\tgold\n")
	ranking.WriteString("topic\targ_id\trank_score\n")
	worth := make([]float64, topics*each)
	for i := range worth {
		n := 1 + rng.IntN(8)
		var text strings.Builder
		for k := range n {
			fmt.Fprintf(&text, "Topic%d matters, because \"reason%d\" shows it.<br/>", i/each, (i+k)%17)
		}
		worth[i] = 0.6*float64(n) + 0.5*rng.NormFloat64()
		fmt.Fprintf(&items, "t%02d\ta%d\t0\t0\tyes\t%s\n", i/each, i, text.String())
		fmt.Fprintf(&ranking, "t%02d\ta%d\t%.4f\n", i/each, i, -worth[i])
	}
	for k := range votes {
		topic := k % topics
		i := topic*each + rng.IntN(each)
		j := topic*each + (i-topic*each+1+rng.IntN(each-1))%each
		care := 1.0
		voter := rng.IntN(voters)
		if voter%4 == 0 {
			care = 0.1
		}
		label := "a1"
		switch z := care*(worth[i]-worth[j]) + rng.NormFloat64(); {
		case z > -0.3 && z < 0.3:
			label = "equal"
		case z < 0:
			label = "a2"
		}
		fmt.Fprintf(&labels, "t%02d\ta%d\ta%d\tw%d\t%s\n", topic, i, j, voter, label)
		sure := "a1"
		if worth[i] < worth[j] {
			sure = "a2"
		}
		fmt.Fprintf(&gold, "t%02d\ta%d\ta%d\t%s\n", topic, i, j, sure)
	}
	return map[string]string{
		"ukpconvarg/items.tsv.gz": items.String(), "ukpconvarg/crowd_sample.tsv.gz": labels.String(),
		"ukpconvarg/gold_pairs_strict.tsv.gz": gold.String(), "ukpconvarg/gold_ranking.tsv": ranking.String(),
	}
}
