package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"palate"
)

// read reads votes and shows them one a line, or the error.
func read(text string, opt Options) (string, Report, error) { return readAs("votes.csv", text, opt) }

func readAs(name, text string, opt Options) (string, Report, error) {
	b := palate.NewBuilder()
	if opt.Design == nil {
		opt.Design = exampleDesign()
	}
	report, err := Votes(context.Background(), name, strings.NewReader(text), b, opt)
	if err != nil {
		return "", report, err
	}
	d, err := b.Build()
	if err != nil {
		return "", report, err
	}
	return show(d), report, nil
}

// exampleDesign is what the answers of an example are about.
func exampleDesign() *Design {
	d, err := ReadDesign(context.Background(), "design.csv", strings.NewReader("Version,Set,Item 1,Item 2,Item 3\n1,1,a,b,c\n1,2,a,b,d\n2,1,d,c,a\n2,2,b,c,d\n"))
	if err != nil {
		panic(err)
	}
	return d
}

func show(d *palate.Dataset) string { return showAs(d, func(v palate.Vote) palate.Vote { return v }) }

// showWritten is show of votes as they are written, without sides in order of name.
func showWritten(d *palate.Dataset) string {
	return showAs(d, func(v palate.Vote) palate.Vote {
		if v.Unsided && d.ItemID(v.Left) > d.ItemID(v.Right) {
			return v.Swap()
		}
		return v
	})
}

func showAs(d *palate.Dataset, as func(palate.Vote) palate.Vote) string {
	var s strings.Builder
	for _, v := range d.Votes() {
		v = as(v)
		if v.User >= 0 {
			fmt.Fprintf(&s, "%s: ", d.UserID(v.User))
		}
		fmt.Fprintf(&s, "%s %s %v", d.ItemID(v.Left), d.ItemID(v.Right), v.Outcome)
		if v.Weight != 1 {
			fmt.Fprintf(&s, " ×%v", v.Weight)
		}
		if !v.Time.IsZero() {
			fmt.Fprintf(&s, " @%s", v.Time.Format(time.RFC3339Nano))
		}
		if v.Group > 0 {
			fmt.Fprintf(&s, " #%d", v.Group)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// formExamples has, for each form by its columns, a file and the votes in it.
func formExamples() map[string]struct{ text, want string } {
	return map[string]struct{ text, want string }{
		"left,right,winner": {
			"winner,left,user,right\na,a,ann,b\nB,a,,B\nTIE,a,bob,b\nskip,b,ann,a\nRight,a,ann,b\n",
			"ann: a b left\na B right\nbob: a b tie\nann: b a skip\nann: a b right\n"},
		"left,right,label": {
			"worker,left,right,label\nw1,x,y,y\nw2,x,y,x\n",
			"w1: x y right\nw2: x y left\n"},
		"model_a,model_b,winner": {
			"model_a,model_b,winner,judge,tstamp,turn\ngpt,llama,model_a,j1,1682351591.1322,1\ngpt,llama,tie (bothbad),j2,,1\n" +
				"gpt,llama,both_bad,j2,2023-04-24,2\ngpt,llama,model_b,j1,1682351591132,1\ngpt,llama,llama,j1,1682351591,1\n",
			"j1: gpt llama left @2023-04-24T15:53:11.1322Z\nj2: gpt llama tie\nj2: gpt llama tie @2023-04-24T00:00:00Z\n" +
				"j1: gpt llama right @2023-04-24T15:53:11.132Z\nj1: gpt llama right @2023-04-24T15:53:11Z\n"},
		"winner,loser": {
			"Loser, Winner ,weight\nb,a,2.5\na,c,\n",
			"a b left ×2.5\nc a left\n"},
		"candidate_chosen,candidate_not_chosen": {
			"judge,candidateChosen,Candidate Not Chosen,TimeTaken\n501,2,7,3\n508,7,35,4\n",
			"501: 2 7 left\n508: 7 35 left\n"},
		"chosen,not_chosen": {"assessor,chosen,not chosen\nann,a,b\n", "ann: a b left\n"},
		"won,lost":          {"judge_name,Won,Lost\nann,a,b\n", "ann: a b left\n"},
		"winner_id,loser_id": {
			"Annotator ID,Winner ID,Loser ID,Time\n3,17,4,2016-09-17 14:05:09.123456\n",
			"3: 17 4 left @2016-09-17T14:05:09.123456Z\n"},
		"left_*,right_*,winner": {
			"user,left_size,right_size,Left_Colour,right_colour,winner,note\nann,1,2.50,red,blue,left,x\n,2.5,1.0,blue,red,tie,y\n",
			"ann: size=1 Colour=red size=2.5 Colour=blue left\nsize=2.5 Colour=blue size=1 Colour=red tie\n"},
		"winner_*,loser_*": {
			`{"winner_x":[1,2],"loser_x":[3,4],"weight":2}` + "\n" + `{"winner_x":[3,4],"loser_x":[5,6]}`,
			"[1,2] [3,4] left ×2\n[3,4] [5,6] left\n"},
		"chosen,rejected": {
			`{"prompt":"Sky?","chosen":"Blue.","rejected":"Green."}` + "\n" +
				`{"prompt":"Sky?","chosen":[{"role":"user","content":"Sky?"},{"role":"assistant","content":"Blue."}],"rejected":[{"role":"assistant","content":"Red."}]}`,
			"Blue. Green. left\nBlue. Red. left\n"},
		"model_a,model_b,winner_model_a,winner_model_b,winner_tie": {
			"id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,x,y,0,1,0\n3,x,y,0,0,1\n",
			"x y left\nx y right\nx y tie\n"},
		"data,annotations": {
			`[{"id":1,"data":{"prompt":"?","text1":"a","text2":"b"},"annotations":[` +
				`{"completed_by":7,"created_at":"2021-03-09T22:16:08.728353Z","result":[{"type":"pairwise","to_name":"text1,text2","value":{"selected":"right"}}]},` + "\n" +
				`{"completed_by":{"id":8,"email":"ann@example.org"},"was_cancelled":true,"result":[]}]},` + "\n" +
				`{"id":2,"data":{"answer_a":"b","answer_b":"c"},"annotations":[{"result":[{"type":"pairwise","to_name":"x,y","value":{"selected":"left"}}]}]},` + "\n" +
				`{"id":3,"data":{"items":[]},"annotations":[{"completed_by":7,"result":[{"type":"ranker","value":{"ranker":{"_":["a","c","b"]}}}]}]}]`,
			"7: a b right @2021-03-09T22:16:08.728353Z\nann@example.org: a b skip\nb c left\n7: a c left #1\n7: a b left #1\n7: c b left #1\n"},
		"text1,text2,comparison,annotation_id": {
			"annotation_id,annotator,comparison,text1,text2,lead_time\n1,7,left,a,b,3.1\n2,8,\"{\"\"selected\"\":\"\"right\"\"}\",a,b,1\n3,8,\"[{\"\"selected\"\":\"\"right\"\"}]\",b,a,1\n",
			"7: a b left\n8: a b right\n8: b a right\n"},
		"items,best,worst": {
			"user,Item1,Item2,Item3,Item4,BestItem,WorstItem\nann,a,b,c,d,c,a\nbob,a,b,c,,a,b\n",
			"ann: c a left #1\nann: c b left #1\nann: c d left #1\nann: b a left #1\nann: d a left #1\n" +
				"bob: a b left #2\nbob: a c left #2\nbob: c b left #2\n"},
		"items,chosen": {
			"user,items,chosen\nann,a;b;c,b\nbob,\"[\"\"a\"\",\"\"c\"\"]\",c\n",
			"ann: b a left #1\nann: b c left #1\nbob: c a left\n"},
		"ranking": {
			"voter,ranking,weight\nann,a > b=c,1\nbob,\"c,a\",2\ncat,\"[\"\"b\"\",[\"\"a\"\",\"\"c\"\"]]\",1\n",
			"ann: a b left #1\nann: a c left #1\nann: b c tie #1\nbob: c a left ×2\ncat: b a left #2\ncat: b c left #2\ncat: a c tie #2\n"},
		"rank1,rank2": {
			"user,rank_1,rank_2,rank_3\nann,a,b,c\nbob,c,b,\n",
			"ann: a b left #1\nann: a c left #1\nann: b c left #1\nbob: c b left\n"},
		"item,rating": {
			"userId,movieId,rating,timestamp\n1,10,4.5,100\n2,10,3,100\n1,11,3,200\n1,12,4.5,50\n2,11,3,100\n2,12,1,100\n",
			"1: 10 11 left @1970-01-01T00:03:20Z #1\n1: 12 11 left @1970-01-01T00:03:20Z #1\n" +
				"2: 10 12 left @1970-01-01T00:01:40Z #2\n2: 11 12 left @1970-01-01T00:01:40Z #2\n"},
		"item,rank": {
			"user,item,rank\nann,a,3\nann,b,1\nann,c,2\n",
			"ann: b c left #1\nann: b a left #1\nann: c a left #1\n"},
		"item,chosen": {
			"user,task,item,chosen\nann,1,a,0\nbob,1,a,worst\nann,1,b,1\nann,2,b,no\nbob,1,b,\nann,2,a,yes\nbob,1,c,Best\nann,1,c,0\n",
			"ann: b a left #1\nann: b c left #1\nbob: c a left #2\nbob: c b left #2\nbob: b a left #2\nann: a b left\n"},
		"item,best,worst": {
			"task,item,best,worst\n1,a,0,1\n1,b,1,0\n1,c,0,0\n2,a,1,0\n2,c,,\n",
			"b a left #1\nb c left #1\nc a left #1\na c left\n"},
		"task,best,worst": {
			"Respondent,Version,Best1,Worst1,Best2,Worst2\nann,1,2,1,3,2\nbob,2,1,2,,\n",
			"ann: b a left #1\nann: b c left #1\nann: c a left #1\nann: d a left #2\nann: d b left #2\nann: a b left #2\n" +
				"bob: d c left #3\nbob: d a left #3\nbob: a c left #3\n"},
		"item,anchor": {
			"user,item,anchor\nann,a,yes\nann,b,no\nann,c,no\nbob,a,no\n",
			"ann: a b left #1\nann: a c left #1\nann: a none left #1\nann: none b left #1\nann: none c left #1\nbob: none a left\n"},
	}
}

func TestForms(t *testing.T) {
	examples := formExamples()
	for _, f := range forms() {
		name := f.name
		example, ok := examples[name]
		if !ok {
			t.Errorf("no example of the form %s", name)
			continue
		}
		got, report, err := read(example.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got != example.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, example.want)
		}
		if n := strings.Count(example.want, "\n"); report.Votes != n || report.Bad != 0 || report.Form != name {
			t.Errorf("%s: report %+v", name, report)
		}
		delete(examples, name)
	}
	for name := range examples {
		t.Errorf("there is no form %s", name)
	}
}

// TestEveryWord: every form with an answer knows every word, and the names of its own columns, however they are
// spelt.
func TestEveryWord(t *testing.T) {
	for _, f := range pairForms() {
		if f.winner == "" {
			continue
		}
		all := append(words(), word{f.left, palate.Left, byColumn}, word{f.right, palate.Right, byColumn})
		for _, w := range all {
			for _, text := range []string{w.text, strings.ToUpper(w.text), strings.ReplaceAll(w.text, " ", "_"), strings.ReplaceAll(w.text, " ", "")} {
				got, _, err := read(strings.Join(f.required(), ",")+"\nx,y,"+text+"\n", Options{})
				if want := fmt.Sprintf("x y %v\n", w.outcome); w.outcome != unsaid && (err != nil || got != want) {
					t.Errorf("%s: %q is %q (%v), want %v", f.winner, text, got, err, w.outcome)
				} else if w.outcome == unsaid && err == nil {
					t.Errorf("%s: %q is %q", f.winner, text, got)
				}
			}
		}
	}
}

// TestFormats reads the same votes in every format.
func TestFormats(t *testing.T) {
	want := "ann: a, b \"c\" left\nx y tie\n"
	for name, text := range map[string]string{
		"csv":                     "user,left,right,winner\nann,\"a, b\",\"\"\"c\"\"\",left\n,x,y,tie\n",
		"csv, no last line end":   "user,left,right,winner\nann,\"a, b\",\"\"\"c\"\"\",left\n,x,y,tie",
		"crlf":                    "user,left,right,winner\r\nann,\"a, b\",\"\"\"c\"\"\",\"left\"\r\n\r\n,x,y,tie\r\n",
		"byte-order mark":         "\ufeffuser,left,right,winner\nann,\"a, b\",\"\"\"c\"\"\",left\n,x,y,tie\n",
		"blanks":                  "\n \n user , left,right,winner \n\n ann ,\"a, b\",\"\"\"c\"\"\", left\n\n,x,y,tie\n\n",
		"tsv":                     "user\tleft\tright\twinner\nann\ta, b\t\"\"\"c\"\"\"\tleft\n\tx\ty\ttie\n",
		"semicolons":              "user;left;right;winner\nann;a, b;\"\"\"c\"\"\";left\n;x;y;tie\n",
		"Excel":                   "\ufeffsep=;\r\nuser;left;right;winner\r\nann;a, b;\"\"\"c\"\"\";left\r\n;x;y;draw\r\n",
		"Excel, quoted":           "\"sep=|\"\nuser|left|right|winner\nann|a, b|\"\"\"c\"\"\"|left\n|x|y|Both bad\n",
		"Excel, tab":              "SEP=\t\r\nuser\tleft\tright\twinner\r\nann\ta, b\t\"\"\"c\"\"\"\tleft\r\n\tx\ty\ttie\r\n",
		"quoted header":           "\"user\",\"left\",\"right\",\"winner\"\nann,\"a, b\",\"\"\"c\"\"\",left\n,x,y,tie\n",
		"jsonl":                   "{\"user\":\"ann\",\"left\":\"a, b\",\"right\":\"\\\"c\\\"\",\"winner\":\"left\"}\n{\"left\":\"x\",\"right\":\"y\",\"winner\":\"tie\",\"user\":null}\n",
		"jsonl, no last line end": "\ufeff\n{ \"left\" : \"a, b\" , \"right\":\"\\u0022c\\\"\", \"winner\" :\"left\", \"user\":\"ann\", \"more\":[{\"a\":[1,\"}\"]},{}]}\r\n\n{\"winner\":\"tie\",\"left\":\"x\",\"right\":\"y\"}",
		"jsonl, user later":       "{\"left\":\"a, b\",\"right\":\"\\\"c\\\"\",\"winner\":\"left\",\"user\":\"ann\"}\n{\"left\":\"x\",\"right\":\"y\",\"winner\":\"tie\"}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{0, 1, 2, 3, 5, 8, 13, 40} {
				got, report, err := read(text, Options{block: size})
				if err != nil {
					t.Fatalf("blocks of %d: %v", size, err)
				}
				if got != want || report.Rows != 2 {
					t.Fatalf("blocks of %d: got\n%swant\n%s", size, got, want)
				}
			}
			if got, _, err := read(pack(text), Options{}); err != nil || got != want {
				t.Fatalf("gzipped: %v\n%s", err, got)
			}
			b := palate.NewBuilder()
			if _, err := Votes(t.Context(), "-", iotest.OneByteReader(strings.NewReader(pack(text))), b, Options{}); err != nil {
				t.Fatalf("a byte at a time: %v", err)
			}
		})
	}
}

func pack(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	io.WriteString(z, text)
	z.Close()
	return out.String()
}

func TestJSONNumbersAreIdentifiers(t *testing.T) {
	got, _, err := read(`{"left":1,"right":2,"winner":2,"weight":0.5,"time":1682351591}`+"\n"+`{"left":2,"right":3,"winner":"left","judge":7}`, Options{})
	if want := "1 2 right ×0.5 @2023-04-24T15:53:11Z\n2 3 left\n"; err != nil || got != want {
		t.Fatalf("%v\n%s", err, got)
	}
}

// badFiles has files that must be refused, with the whole message.
func badFiles() map[string]struct{ text, want string } {
	const head = "user,left,right,winner\n"
	return map[string]struct{ text, want string }{
		"empty":                {"", `votes.csv: the file is empty`},
		"blank":                {" \n\r\n", `votes.csv: the file is empty`},
		"header only":          {head, `votes.csv: no votes: there is nothing after the header`},
		"header, no end":       {"left,right,winner", `votes.csv: no votes: there is nothing after the header`},
		"misspelt column":      {"user,left,rihgt,winner\n", `votes.csv:1: no column right in the header, which has user, left, rihgt, winner (did you mean right by "rihgt"?); votes are read from left,right,winner or winner,loser and other forms, with optional user, weight, time and ballot; columns of other names are told by --columns winner=NAME,loser=NAME`},
		"no header":            {"\nann,bob,ann\n", `votes.csv:2: the first line, ann, bob, ann, looks like a vote and not like the names of columns; a file without a header is read by places, for example with --columns left=1,right=2,winner=3`},
		"column twice":         {"left,right,winner,Left\n", `votes.csv:1: column Left: two columns have this name`},
		"self vote":            {head + "ann,a,b,a\nann,b,b,b\n", `votes.csv:3: column right: "b" against itself`},
		"neither":              {head + "ann,a,b,x\n", `votes.csv:2: column winner: "x" is neither "a" nor "b" (nor one of: left, right, tie, skip)`},
		"no winner":            {head + "ann,a,b,\n", `votes.csv:2: column winner: is empty: who won?`},
		"no item":              {head + "ann,,b,b\n", `votes.csv:2: column left: is empty`},
		"two meanings":         {head + "ann,right,b,right\n", `votes.csv:2: column winner: "right" may mean right or the item of that name on the left: say which with --columns winner-side=winner or --columns winner-item=winner`},
		"tie or item":          {head + "ann,a,tie,tie\n", `votes.csv:2: column winner: "tie" may mean tie or the item of that name on the right: say which with --columns winner-side=winner or --columns winner-item=winner`},
		"A on the right":       {head + "ann,b,a,a\n", `votes.csv:2: column winner: "a" may mean left or the item of that name on the right: say which with --columns winner-side=winner or --columns winner-item=winner`},
		"sides and items":      {head + "ann,7,9,1\nann,2,9,2\nann,9,7,7\n", `votes.csv:3: column winner: "2" may mean right or the item of that name on the left: say which with --columns winner-side=winner or --columns winner-item=winner`},
		"0 and 1":              {head + "ann,a,b,1\nann,a,b,0\n", `votes.csv:3: column winner: "0" beside 1 leaves open which side is which: write left and right`},
		"misspelt word":        {head + "ann,a,b,rihgt\n", `votes.csv:2: column winner: "rihgt" is neither "a" nor "b" (nor one of: left, right, tie, skip); did you mean right?`},
		"twins":                {"judge,text_a,text_b,verdict\n", `votes.csv:1: no columns left, right, winner in the header, which has judge, text_a, text_b, verdict; votes are read from left,right,winner or winner,loser and other forms, with optional user, weight, time and ballot; text_a and text_b look like the pair: read it with --columns left=text_a,right=text_b,winner=verdict`},
		"not UTF-8":            {head + "ann,a,b,a\nann,caf\xe9,b,b\n", `votes.csv:3: column left: "caf\xe9" is not UTF-8`},
		"header not UTF-8":     {"left,right,winner,caf\xe9\n", `votes.csv:1: "caf\xe9" is not UTF-8`},
		"UTF-16":               {"\xff\xfel\x00", `votes.csv: the text is UTF-16: save it as UTF-8`},
		"NUL":                  {head + "ann,a\x00,b,b\n", `votes.csv:2: column left: "a\x00" holds a NUL byte`},
		"too many fields":      {head + "ann,a,b,a,why, not\n", `votes.csv:2: column winner: is not the last: 6 fields where the header has 4; a field that holds ',' must be quoted`},
		"too few fields":       {head + "\nann\n", `votes.csv:3: column left: is missing: 1 field where the header has 4`},
		"bad weight":           {"winner,loser,weight\na,b,1\na,b,-1\n", `votes.csv:3: column weight: "-1" is not a positive number`},
		"weight of words":      {"winner,loser,weight\na,b,two\n", `votes.csv:2: column weight: "two" is not a positive number`},
		"weight NaN":           {"winner,loser,weight\na,b,NaN\n", `votes.csv:2: column weight: "NaN" is not a positive number`},
		"bad time":             {"winner,loser,tstamp\na,b,noon\n", `votes.csv:2: column tstamp: "noon" is not a time: write 2006-01-02T15:04:05Z or seconds since 1970, or say how it is written with --time-format`},
		"time before Christ":   {"winner,loser,tstamp\na,b,-99999999999\n", `votes.csv:2: column tstamp: "-99999999999" is not a time`},
		"year 0 elsewhere":     {"winner,loser,tstamp\na,b,0001-01-01T00:00:00+09:00\n", `votes.csv:2: column tstamp: "0001-01-01T00:00:00+09:00" is not a time: write 2006-01-02T15:04:05Z or seconds since 1970, or say how it is written with --time-format`},
		"year 10000 elsewhere": {"winner,loser,tstamp\na,b,9999-12-31T23:59:59-01:00\n", `votes.csv:2: column tstamp: "9999-12-31T23:59:59-01:00" is not a time: write 2006-01-02T15:04:05Z or seconds since 1970, or say how it is written with --time-format`},
		"infinite time":        {"winner,loser,tstamp\na,b,inf\n", `votes.csv:2: column tstamp: "inf" is not a time`},
		"open quote":           {head + "ann,a,b,a\nann,\"a,b,a\nann,a,b,a\n", `votes.csv:3: column left: the quote is never closed`},
		"open quote, last":     {head + "ann,a,b,\"a", `votes.csv:2: column winner: the quote is never closed`},
		"after a quote":        {head + "ann,\"a\"x,b,a\n", `votes.csv:2: column left: "x" follows a closing quote; a quote inside a quoted field is written twice`},
		"lines in quotes":      {head + "ann,\"a\n\n\",b,b\nann,a,b,x\n", `votes.csv:5: column winner: "x" is neither "a" nor "b" (nor one of: left, right, tie, skip)`},
		"old line ends":        {"left,right,winner\ra,b,a\r", `votes.csv:1: lines end with a carriage return alone: save the file with ordinary line ends`},
		"truncated gzip":       {pack(head + "ann,a,b,a\n")[:40], `votes.csv:2: the packed data end too early: the file is truncated`},
		"gzip header only":     {"\x1f\x8b\x08", `votes.csv: the packed data end too early: the file is truncated`},
		"zip":                  {"PK\x03\x04", `votes.csv: this is a zip archive or a spreadsheet: save it as CSV`},
		"zstd":                 {"\x28\xb5\x2f\xfd", `votes.csv:1: the packed data end too early: the file is truncated`},
		"Parquet":              {"PAR1", `votes.csv: the Parquet data are damaged: they do not end as they should: the file is truncated`},
		"empty array":          {"[ ]", `votes.csv: no rows: the array is empty`},
		"array cut short":      {"[{\"winner\":1,\"loser\":2},\n", `votes.csv:2: the array does not end: the file is truncated`},
		"array cut in a row":   {"[{\"winner\":1,\"loser\":2},\n{\"win", `votes.csv:2: not a JSON object: unexpected end of JSON input`},
		"after an array":       {"[{\"winner\":1,\"loser\":2}]\n\n{}", `votes.csv:1: "{}" follows the end of the array`},
		"array of lines":       {"[\n{\"winner\":1,\"loser\":2},\n\n {\"winner\":1,\n\"loser\":1},{\"winner\":1}]", `votes.csv:4: column loser: "1" against itself`},
		"array of numbers":     {"[1,2]", `votes.csv:1: not a JSON object`},
		"JSON columns":         {`{"left":1}`, `votes.csv:1: no columns right, winner in the header, which has left; votes are read from left,right,winner or winner,loser and other forms, with optional user, weight, time and ballot; columns of other names are told by --columns winner=NAME,loser=NAME`},
		"JSON broken":          {`{"winner":1,"loser":2}` + "\n" + `{"winner":1,`, `votes.csv:2: not a JSON object: unexpected end of JSON input`},
		"JSON no object":       {`{"winner":1,"loser":2}` + "\n7\n", `votes.csv:2: not a JSON object`},
		"JSON broken first":    {`{"winner":1,"los`, `votes.csv:1: not a JSON object: unexpected end of JSON input`},
		"JSON nested":          {`{"winner":1,"loser":[2]}`, `votes.csv:1: column loser: "[2]" is not a plain value`},
		"JSON key twice":       {`{"winner":1,"loser":2,"loser":3}`, `votes.csv:1: column loser: two columns have this name`},
		"JSON key twice later": {`{"winner":1,"loser":2}` + "\n" + `{"winner":1,"loser":2,"loser":3}`, `votes.csv:2: column loser: the key stands twice in the object`},
		"JSON missing key":     {`{"winner":1,"loser":2}` + "\n" + `{"winner":1}`, `votes.csv:2: column loser: is empty`},
		"JSON not UTF-8":       {`{"winner":1,"loser":2}` + "\n{\"winner\":1,\"loser\":\"\xff\"}", `votes.csv:2: the line is not UTF-8`},
		"JSON NUL":             {`{"winner":1,"loser":"\u0000"}`, `votes.csv:1: column loser: "\x00" holds a NUL byte`},
		"long value":           {head + "ann,a,b," + strings.Repeat("x", 500) + "\n", `votes.csv:2: column winner: "` + strings.Repeat("x", 60) + `"… is neither "a" nor "b" (nor one of: left, right, tie, skip)`},
	}
}

func TestBadFiles(t *testing.T) {
	for name, file := range badFiles() {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{0, 1, 4, 7, 30} {
				_, _, err := read(file.text, Options{block: size})
				if err == nil {
					t.Fatalf("blocks of %d: no error", size)
				}
				if err.Error() != file.want {
					t.Fatalf("blocks of %d:\ngot  %s\nwant %s", size, err, file.want)
				}
				var e *Error
				if !errors.As(err, &e) || e.File != "votes.csv" || e.Reason == "" {
					t.Fatalf("%#v is not a whole Error", err)
				}
			}
		})
	}
}

func TestTruncatedGzipSaysWhere(t *testing.T) {
	var text strings.Builder
	text.WriteString("winner,loser\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		fmt.Fprintf(&text, "a%d,b%d\n", rng.IntN(1e6), rng.IntN(1e6))
	}
	packed := pack(text.String())
	_, report, err := read(packed[:len(packed)/2], Options{SkipBad: true})
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, io.ErrUnexpectedEOF) || e.Line < 20_000 || e.Line > 30_000 || report.Rows != e.Line-2 {
		t.Fatalf("%v after %d rows", err, report.Rows)
	}
	damaged := []byte(packed)
	damaged[len(damaged)-6] ^= 1
	if _, _, err := read(string(damaged), Options{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Fatalf("damaged: %v", err)
	}
}

func TestSkipBad(t *testing.T) {
	text := "user,left,right,winner\n" +
		"ann,a,b,a\n" +
		"ann,new1,new1,left\n" + // bad: its item must not be numbered
		"ann,a\n" +
		"bob,\"b,c,b\n" + // the quote stays open; the row ends with its line
		"cat,c,a,left\n" +
		"cat,c,\"a\"\"x,left\n" +
		"dan,d,a,who\n"
	want := "ann: a b left\ncat: c a left\n"
	for _, size := range []int{0, 1, 3, 10, 50} {
		got, report, err := read(text, Options{SkipBad: true, Examples: 2, block: size})
		if err != nil {
			t.Fatal(err)
		}
		if got != want || report.Rows != 7 || report.Bad != 5 || report.Good() != 2 {
			t.Fatalf("blocks of %d: %+v\n%s", size, report, got)
		}
		if len(report.Examples) != 2 || report.Examples[0].Line != 3 || report.Examples[1].Line != 4 {
			t.Fatalf("blocks of %d: examples %v", size, report.Examples)
		}
	}
	_, report, err := read("winner,loser\na,a\nb,b\n", Options{SkipBad: true})
	if want := `votes.csv: no votes: all 2 rows are bad; the first: votes.csv:2: column loser: "a" against itself`; err == nil || err.Error() != want {
		t.Fatalf("all bad: %v, %+v", err, report)
	}
}

func TestExtraColumns(t *testing.T) {
	_, report, err := read("note,LEFT,right,winner,user,judge,turn\nx,a,b,a,u,j,1\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"LEFT", "right", "winner", "user"}; !slices.Equal(report.Columns, want) {
		t.Errorf("columns %v", report.Columns)
	}
	if want := []string{"note", "judge", "turn"}; !slices.Equal(report.Extra, want) {
		t.Errorf("extra %v", report.Extra)
	}
}

// TestSameWhateverTheProcessors reads a file of many blocks with one processor and with several.
func TestSameWhateverTheProcessors(t *testing.T) {
	var text strings.Builder
	text.WriteString("user,left,right,winner,weight\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		fmt.Fprintf(&text, "u%d,a%d,\"b\n%d\",%v,%v\n", rng.IntN(1000), rng.IntN(1000), rng.IntN(1000), palate.Outcome(rng.IntN(4)), 1+rng.IntN(3))
	}
	var digests []string
	for _, n := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(n)
		for _, size := range []int{0, 1000} {
			b := palate.NewBuilder()
			if _, err := Votes(t.Context(), "votes.csv", strings.NewReader(text.String()), b, Options{block: size}); err != nil {
				t.Fatal(err)
			}
			d, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, d.Digest())
		}
		runtime.GOMAXPROCS(before)
	}
	if len(slices.Compact(digests)) != 1 {
		t.Fatal("the number of processors or the size of blocks changed what was read")
	}
}

func TestSeveralFiles(t *testing.T) {
	b := palate.NewBuilder()
	for _, text := range []string{"winner,loser\na,b\n", "left,right,winner,user\nb,c,tie,ann\n"} {
		if _, err := Votes(t.Context(), "votes.csv", strings.NewReader(text), b, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(d), "a b left\nann: b c tie\n"; got != want {
		t.Fatalf("got\n%s", got)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	want := "a b left\n"
	for name, text := range map[string]string{"plain.csv": "winner,loser\na,b\n", "misnamed.csv": pack("winner,loser\na,b\n")} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arg := range []string{path, "-"} {
			if arg == "-" {
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer func(stdin *os.File) { os.Stdin = stdin; f.Close() }(os.Stdin)
				os.Stdin = f
			}
			r, err := Open(arg)
			if err != nil {
				t.Fatal(err)
			}
			b := palate.NewBuilder()
			if _, err := Votes(t.Context(), arg, r, b, Options{}); err != nil {
				t.Fatal(err)
			}
			r.Close()
			if d, err := b.Build(); err != nil || show(d) != want {
				t.Fatalf("%s: %v", arg, err)
			}
		}
	}
	if _, err := Open(filepath.Join(dir, "nothing.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("no file: %v", err)
	}
	if got := (&Error{File: "-", Line: 3, Reason: "why"}).Error(); got != "stdin:3: why" {
		t.Fatal(got)
	}
}

func TestReadErrorIsKept(t *testing.T) {
	broken := errors.New("the disk is on fire")
	b := palate.NewBuilder()
	_, err := Votes(t.Context(), "votes.csv", io.MultiReader(strings.NewReader("winner,loser\na,b\nc,"), iotest.ErrReader(broken)), b, Options{})
	if !errors.Is(err, broken) || err.Error() != "votes.csv:3: the disk is on fire" {
		t.Fatal(err)
	}
}

func TestLongestRow(t *testing.T) {
	if _, _, err := read("winner,loser\n"+strings.Repeat("x", recordMax+1), Options{}); err == nil || !strings.Contains(err.Error(), "votes.csv:2: the line is longer") {
		t.Fatalf("%.200v", err)
	}
	// A quote that stays open for longer than a row may be ends with its line.
	text := "winner,loser\na,\"b\n" + strings.Repeat("c,d\n", recordMax/4)
	_, report, err := read(text, Options{SkipBad: true})
	if err != nil || report.Bad != 1 || report.Good() != recordMax/4 {
		t.Fatalf("%v: %+v", err, report)
	}
}

func TestWriteVotes(t *testing.T) {
	ids := []string{"plain", "left", "right", "LEFT", "tie", "Tie", "TIE", "a,b", `q"uote`, `"`, " space ", " before", "after ", "line\nend", "cr\r", "\r\n", "tab\t", "ünï", "#", "skip", "{", "0"}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, full := range []bool{false, true} {
		b := palate.NewBuilder()
		for _, id := range ids {
			b.Item(id)
			b.User(id)
		}
		for range 3000 {
			v := palate.Vote{User: -1, Left: rng.IntN(len(ids)), Outcome: palate.Outcome(rng.IntN(4)), Weight: 1}
			v.Right = (v.Left + 1 + rng.IntN(len(ids)-1)) % len(ids)
			if full {
				v.User = rng.IntN(len(ids)+1) - 1
				v.Weight = rng.ExpFloat64()
				if rng.IntN(3) > 0 {
					v.Time = time.UnixMicro(rng.Int64N(1 << 51))
				}
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := WriteVotes(t.Context(), &out, d); err != nil {
			t.Fatal(err)
		}
		got, report, err := read(out.String(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got != show(d) {
			t.Fatal("votes changed on the way through a file")
		}
		if want := map[bool]int{false: 3, true: 6}[full]; len(report.Columns) != want {
			t.Fatalf("columns %v", report.Columns)
		}
	}
}

func TestWriteVotesFails(t *testing.T) {
	b := palate.NewBuilder()
	x, y := b.Item("x"), b.Item("y")
	for range 100_000 {
		if err := b.Add(palate.Vote{User: -1, Left: x, Right: y, Weight: 1}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteVotes(t.Context(), iotest.TruncateWriter(io.Discard, 10), d); err != nil {
		t.Fatal(err) // it truncates in silence
	}
	if err := WriteVotes(t.Context(), full{}, d); !errors.Is(err, io.ErrShortWrite) {
		t.Fatalf("a full disk: %v", err)
	}
}

type full struct{}

func (full) Write(p []byte) (int, error) { return 0, io.ErrShortWrite }

// A sink gets the votes in the builder's place, which gets the names.
func TestSink(t *testing.T) {
	const text = "user,left,right,winner\nu,a,b,left\nv,b,c,right\nu,a,c,tie\n"
	whole, bare := palate.NewBuilder(), palate.NewBuilder()
	var votes []palate.Vote
	sink := func(v palate.Vote) error { votes = append(votes, v); return nil }
	for b, o := range map[*palate.Builder]Options{whole: {}, bare: {Sink: sink}} {
		if r, err := Votes(t.Context(), "v", strings.NewReader(text), b, o); err != nil || r.Votes != 3 {
			t.Fatalf("%d votes, %v", r.Votes, err)
		}
	}
	d, err := whole.Build()
	if err != nil {
		t.Fatal(err)
	}
	e, err := bare.Build()
	if err != nil || e.NumVotes() != 0 || e.NumItems() != 3 || e.NumUsers() != 2 {
		t.Errorf("%d votes, %d items, %d users beside the sink, %v", e.NumVotes(), e.NumItems(), e.NumUsers(), err)
	}
	for k, v := range d.Votes() {
		if votes[k] != v {
			t.Errorf("vote %d: %v, want %v", k, votes[k], v)
		}
	}
	full := func(palate.Vote) error { return errors.New("the disk is full") }
	if _, err := Votes(t.Context(), "v", strings.NewReader(text), palate.NewBuilder(), Options{Sink: full}); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("%v", err)
	}
}
