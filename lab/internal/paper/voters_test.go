package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"palate"
)

// judged is a vote on a topic that the model has not seen, with the chance that it gave the left text.
type judged struct {
	topic, voter int
	others       int // the voter's votes on other topics
	chance, left float64
	features     []float64 // left less right
}

// ownSlopes estimates how far voters differ in how much c moves the log-odds of their votes, beyond what the model
// says: the standard deviation of a slope of each voter's own, from products of the residuals of two votes of one
// voter, and how many standard deviations its square is from what it is when votes are dealt to voters at random.
func ownSlopes(votes []judged, c []float64, rng *rand.Rand) (sd, z float64) {
	voter := make([]int, len(votes))
	for k, v := range votes {
		voter[k] = v.voter
	}
	of := func() float64 {
		sum, squares, information := map[int]float64{}, 0.0, map[int]float64{}
		for k, v := range votes {
			e := (v.left - v.chance) * c[k]
			sum[voter[k]] += e
			squares += e * e
			information[voter[k]] += v.chance * (1 - v.chance) * c[k] * c[k]
		}
		num, den := -squares, 0.0
		for u, s := range sum {
			num += s * s
			den += information[u] * information[u]
		}
		return num / den
	}
	variance := of()
	var null []float64
	for range 100 {
		rng.Shuffle(len(voter), func(i, j int) { voter[i], voter[j] = voter[j], voter[i] })
		null = append(null, of())
	}
	mean, se := meanAndError(null)
	return math.Copysign(math.Sqrt(math.Abs(variance)), variance), (variance - mean) / (10 * se)
}

// byOwnSlopes predicts every vote with slopes of the voter's own on some columns, beside the model's odds, learnt from
// that voter's votes on other topics under a prior with the given standard deviations, one column after the other.
func byOwnSlopes(votes []judged, odds []float64, columns [][]float64, sd []float64) (acc, ce float64) {
	of := map[int][]int{}
	for k, v := range votes {
		of[v.voter] = append(of[v.voter], k)
	}
	known := map[[2]int][]float64{}
	slopes := func(voter, topic int) []float64 {
		if b := known[[2]int{voter, topic}]; b != nil {
			return b
		}
		b := make([]float64, len(columns))
		for range 30 {
			for j, c := range columns {
				g, h := -b[j]/(sd[j]*sd[j]), 1/(sd[j]*sd[j])
				for _, k := range of[voter] {
					if votes[k].topic != topic {
						p := 1 / (1 + math.Exp(-odds[k]-along(b, columns, k)))
						g += (votes[k].left - p) * c[k]
						h += p * (1 - p) * c[k] * c[k]
					}
				}
				b[j] += g / h
			}
		}
		known[[2]int{voter, topic}] = b
		return b
	}
	n := float64(len(votes))
	for k, v := range votes {
		p := 1 / (1 + math.Exp(-odds[k]-along(slopes(v.voter, v.topic), columns, k)))
		ce -= (v.left*math.Log(p) + (1-v.left)*math.Log(1-p)) / n
		if p > 0.5 == (v.left == 1) {
			acc += 1 / n
		}
	}
	return acc, ce
}

func along(b []float64, columns [][]float64, k int) (x float64) {
	for j, c := range columns {
		x += b[j] * c[k]
	}
	return x
}

// BenchmarkVotersOfArguments measures, on the real topics held out in turn, in what the voters differ, and what can be
// had by knowing it: most in care, the slope on what all think, which changes how sure a prediction is and hardly its
// side.
func BenchmarkVotersOfArguments(t *testing.B) {
	folder := Folder(os.Getenv("PALATE_DATA"))
	if folder == "" {
		t.Skip("the data sets may not be passed on: set PALATE_DATA to the folder they are in to measure")
	}
	a, err := LoadArguments(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := methods([]string{"crowd-alike"})
	if err != nil {
		t.Fatal(err)
	}
	var votes []judged
	var names []string
	for topic := range a.Topics {
		s, err := a.Split(topic, true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m[0].Fit(context.Background(), Task{"convarg", s.Train, s.Beside, 1, nil})
		if err != nil {
			t.Fatal(err)
		}
		before := make([]int, len(a.Users))
		for _, v := range s.Train.Votes() {
			before[v.User]++
		}
		f := s.Train.ItemFeatures()
		names = f.Names
		for _, v := range s.Test {
			j := judged{topic: topic, voter: v.User, others: before[v.User], chance: p.Prefer(v.User, v.Left, v.Right)}
			if v.Outcome == palate.Left {
				j.left = 1
			}
			for k := range f.Cols {
				j.features = append(j.features, f.At(v.Left, k)-f.At(v.Right, k))
			}
			votes = append(votes, j)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	odds := make([]float64, len(votes))
	many := 0
	for k, v := range votes {
		odds[k] = math.Log(v.chance / (1 - v.chance))
		if v.others >= 20 {
			many++
		}
	}
	care, z := ownSlopes(votes, odds, rng)
	t.Logf("%d votes, %.2f of them by voters with 20 votes or more on other topics", len(votes), float64(many)/float64(len(votes)))
	t.Logf("care: 1, own %.2f (%.1f)", care, z)
	if !(care > 0.2 && z > 5) {
		t.Errorf("voters do not differ in care: %v (%v)", care, z)
	}
	var length []float64
	for k, name := range names {
		if strings.Contains(name, ".word") && !strings.HasSuffix(name, ".words") || strings.Contains(name, ".gram") {
			continue
		}
		c := beside(votes, odds, k)
		own, z := ownSlopes(votes, c, rng)
		if z > 4 {
			t.Logf("%s: own %.2f (%.1f), care in the same units %.2f", name, own, z, care*math.Sqrt(meanSquare(odds)))
		}
		if strings.HasSuffix(name, ".chars") {
			length = c
		}
	}
	for _, c := range []struct {
		name    string
		columns [][]float64
		sd      []float64
	}{{"nothing", nil, nil}, {"care", [][]float64{odds}, []float64{care}}, {"care and length", [][]float64{odds, length}, []float64{care, 0.35}}} {
		acc, ce := byOwnSlopes(votes, odds, c.columns, c.sd)
		t.Logf("with %s of their own: acc %.4f, ce %.4f", c.name, acc, ce)
	}
}

// beside is feature k in units of its spread, less what goes along with the odds.
func beside(votes []judged, odds []float64, k int) []float64 {
	c := make([]float64, len(votes))
	var along, size float64
	for i, v := range votes {
		w := v.chance * (1 - v.chance)
		along += w * v.features[k] * odds[i]
		size += w * odds[i] * odds[i]
	}
	for i, v := range votes {
		c[i] = v.features[k] - along/size*odds[i]
	}
	spread := math.Sqrt(meanSquare(c))
	for i := range c {
		c[i] /= spread
	}
	return c
}

func meanSquare(x []float64) (m float64) {
	for _, v := range x {
		m += v * v / float64(len(x))
	}
	return m
}
