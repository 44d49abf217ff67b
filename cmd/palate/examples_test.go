package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// notRun are the examples that a test cannot run, by how they begin.
var notRun = map[string]string{
	"palate ask":                            "asks at a terminal (TestAskInTerminal)",
	"palate backup":                         "needs a database (scripts)",
	"palate restore":                        "needs a database (scripts)",
	"palate client":                         "talks to a server (scripts)",
	"palate completion bash >":              "writes to the system",
	"palate load":                           "takes long, and loads the machine",
	"palate man":                            "writes to the system, and runs man",
	"palate serve":                          "runs until it is stopped (scripts)",
	"palate simulate --policy":              "takes long (scripts)",
	"palate convert 00014-":                 "needs a published file (scripts)",
	"palate plot voters votes.csv":          "takes long (scripts)",
	"palate compare votes.csv --require":    "ends with 3 where it does not hold (scripts)",
	"palate compare votes.csv --of new,old": "ends with 3 where it does not hold (scripts)",
	"palate tune espresso.json":             "asks (scripts)",
	"palate tune filter.json":               "asks (scripts)",
	"palate tune gait.json":                 "needs a program that answers (scripts)",
	"palate tune ask espresso.json | judge": "needs a program that answers (scripts)",
}

// exampleFiles are those that examples name.
func exampleFiles(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 0xe8))
	const teas = 20 // so many that some pairs have not been asked
	var votes, battles, lines, spoken, first strings.Builder
	votes.WriteString("user,left,right,winner\n")
	battles.WriteString("model_a,model_b,winner,judge,language\n")
	first.WriteString("user,left,right,winner\nzoe,tea1,tea2,left\n")
	for k := range 240 {
		a, b := rng.IntN(teas), rng.IntN(teas-1)
		if b >= a {
			b++
		}
		user, side := []string{"Noor", "ann", "bob", "cyd", "dee", "eve", "fay", "gus"}[k%8], "left"
		if float64(a-b)/3*(1-2*float64(k%2))+2*rng.NormFloat64() < 0 {
			side = "right"
		}
		fmt.Fprintf(&votes, "%s,tea%d,tea%d,%s\n", user, a, b, side)
		fmt.Fprintf(&battles, "tea%d,tea%d,model_%s,%s,%s\n", a, b, map[string]string{"left": "a", "right": "b"}[side], user, []string{"en", "de", "fr"}[k%3])
		fmt.Fprintf(&spoken, `{"left":"tea%d","right":"tea%d","winner":%q,"language":%q,"time":"2024-%02d-05T12:00:00Z"}`+"\n", a, b, side, []string{"en", "de", "fr"}[k%3], 1+k/40)
		fmt.Fprintf(&lines, `{"left":"tea%d","right":"tea%d","winner":%q}`+"\n", a, b, side)
	}
	called := strings.NewReplacer("tea1,", "Assam,", "tea2,", "Sencha,", "tea3,", "Oolong,", `tea1"`, `Assam"`, `tea2"`, `Sencha"`, `tea3"`, `Oolong"`, "tea1\n", "Assam\n", "tea2\n", "Sencha\n", "tea3\n", "Oolong\n")
	write := func(name, text string) {
		text = called.Replace(text)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	items, users, links := "id,strength,leaf\n", "id,age\n", "from,to\n"
	for i := range teas {
		items += fmt.Sprintf("tea%d,%d,%s\n", i, i*i, []string{"green", "black"}[i%2])
		links += fmt.Sprintf("tea%d,tea%d\n", i, (i+1)%teas)
	}
	for k, u := range []string{"Noor", "ann", "bob", "cyd", "dee", "eve", "fay", "gus"} {
		users += fmt.Sprintf("%s,%d\n", u, 20+10*(k%2)+k)
	}
	snacks, survey := []string{"nuts", "figs", "dates", "crisps", "grapes", "fruit", "olives"}, "user,item1,item2,item3,item4,best,worst\n"
	for k := range 48 {
		task := rng.Perm(len(snacks))[:4]
		survey += fmt.Sprintf("guest%d", k%8)
		for _, i := range task {
			survey += "," + snacks[i]
		}
		survey += fmt.Sprintf(",%s,%s\n", snacks[slices.Min(task)], snacks[slices.Max(task)])
	}
	stars := "user,item,rating\n"
	for k := range 48 {
		stars += fmt.Sprintf("guest%d,%s,%d\n", k/6, snacks[k%6], 1+rng.IntN(2)+(k%6)/2)
	}
	for name, text := range map[string]string{
		"stars.csv": stars, "whom.csv": "user,item\nguest1,nuts\nguest2,figs\n",
		"items.txt": strings.Join(snacks, "\n") + "\n", "snacks.csv": survey,
		"votes.csv": votes.String(), "votes-1.csv": votes.String(), "votes-2.csv": votes.String(), "arena.parquet": battles.String(), "votes.jsonl": lines.String(),
		"battles.json": "[" + strings.ReplaceAll(strings.TrimSpace(lines.String()), "\n", ",") + "]", "first.csv": first.String(),
		"items.csv": items, "users.csv": users, "links.csv": links, "new.csv": "id,age\nzoe,25\nyan,31\n",
		"new-teas.csv": "id,strength,leaf\ntea99,4,green\n", "new-links.csv": "from,to\ntea99,tea1\n",
		"essays.csv":     "Teacher,Preferred,Other\nNoor,e1,e2\nann,e2,e3\nbob,e1,e3\n",
		"untitled.csv":   "tea0,tea1,tea0\ntea1,tea2,tea2\ntea0,tea2,tea0\n",
		"judged.csv":     "candidate_chosen,candidate_not_chosen,DateCreated\ns1,s2,01/02/201809:30:00\ns2,s3,01/02/201809:31:00\ns1,s3,01/02/201809:32:00\n",
		"judgements.csv": votes.String(), "may.csv": votes.String(), "june.csv": votes.String(), "battles.jsonl": spoken.String(),
		"known.csv":     "id,score,se\ntea4,30,4\ntea9,52,4\ntea12,58,4\ntea17,71,4\n",
		"espresso.json": `{"parameters": [{"name": "dose", "from": 14, "to": 22}, {"name": "grind", "ordered": ["fine", "medium", "coarse"]}]}`,
		"pairs.csv":     "left,right\ntea0,tea1\ntea2,tea5\n", "p.csv": "left,right\ntea0,tea1\n",
	} {
		write(name, text)
	}
	runLine(t, dir, `gzip -k votes.csv votes-1.csv votes-2.csv &&
palate fit votes.csv --items items.csv --model single -q -o teas.palate &&
palate fit stars.csv --model ratings -q -o stars.palate &&
palate fit snacks.csv --model population -q -o snacks.palate &&
palate fit votes.csv --links links.csv --model linked -q -o papers.palate &&
printf '1 2 1 q' | palate tune espresso.json --voter ann > shown.txt &&
palate fit votes.csv --users users.csv --model crowd --tastes wide -q -o tastes.palate`)
}

func runLine(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", line, err, errors.String())
	}
	return string(out)
}

// TestExamplesRun runs every command line that a topic of help or the help of a
// command shows, and finds that it says something: what jq picks out of JSON is there.
func TestExamplesRun(t *testing.T) {
	files := t.TempDir()
	exampleFiles(t, files)
	var lines []string
	for _, topic := range topics() {
		lines = append(lines, regexp.MustCompile(`(?m)^  [^ ].*`).FindAllString(topic.Long, -1)...)
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		lines = append(lines, strings.Split(cmd.Example, "\n")...)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	used, ran := map[string]bool{}, 0
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // words on the example follow
		if !regexp.MustCompile(`(^|\| |&& )palate `).MatchString(line) {
			continue
		}
		skip := false
		for start := range notRun {
			if strings.HasPrefix(line, start) {
				used[start], skip = true, true
			}
		}
		if skip {
			continue
		}
		ran++
		command, path, picks := strings.Cut(line, " | jq .")
		dir := t.TempDir() // some write over what others read
		if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
			t.Fatal(err)
		}
		out := runLine(t, dir, command)
		switch {
		case picks:
			var x any
			if err := json.Unmarshal([]byte(out), &x); err != nil {
				t.Errorf("%s: %v", command, err)
			}
			for key := range strings.SplitSeq(path, ".") {
				m, _ := x.(map[string]any)
				x = m[key]
			}
			if x == nil {
				t.Errorf("%s: nothing is there", line)
			}
		case strings.TrimSpace(out) == "" && !strings.Contains(command, " -o ") && !strings.Contains(command, "--save"):
			t.Errorf("%s: says nothing", line)
		}
	}
	for start, why := range notRun {
		if !used[start] {
			t.Errorf("no example begins %q, which %s", start, why)
		}
	}
	if ran < 30 {
		t.Errorf("only %d examples ran", ran)
	}
}
