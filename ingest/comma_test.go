package ingest

import (
	"slices"
	"strings"
	"testing"
)

// TestDecimalCommas reads numbers as spreadsheets write them beside semicolons: in weights, times, ratings, conditions,
// properties, links and tables. Names keep their commas, and so does text that commas or tabs separate.
func TestDecimalCommas(t *testing.T) {
	for _, c := range []struct{ name, commas, points string }{
		{"weights", "left;right;winner;weight\n1,5;b;left;2,25\nb;1,5;left;1\n", "left,right,winner,weight\n\"1,5\",b,left,2.25\nb,\"1,5\",left,1\n"},
		{"times", "left;right;winner;time\na;b;left;1500000000,5\n", "left,right,winner,time\na,b,left,1500000000.5\n"},
		{"ratings", "user;item;rating\nann;a;2,5\nann;b;1,75\n", "user,item,rating\nann,a,2.5\nann,b,1.75\n"},
		{"duels", "left_x;left_y;right_x;right_y;winner\n1,5;a;2;b;left\n", "left_x,left_y,right_x,right_y,winner\n1.5,a,2,b,left\n"},
	} {
		got, _, err := read(c.commas, Options{})
		want, _, bad := read(c.points, Options{})
		if err != nil || bad != nil || got != want {
			t.Errorf("%s: %q (%v), want %q (%v)", c.name, got, err, want, bad)
		}
	}
	if _, _, err := read("left\tright\twinner\tweight\na\tb\tleft\t2,25\n", Options{}); err == nil {
		t.Error("a decimal comma between tabs is read")
	}
	where, err := ParseCondition("x>1.5")
	if err != nil {
		t.Fatal(err)
	}
	got, report, err := read("left;right;winner;x\na;b;left;1,25\na;c;left;1,75\n", Options{Where: []Condition{where}, Keep: []string{"x"}})
	if err != nil || got != "a c left\n" || report.Kept[0][0] != "1.75" {
		t.Errorf("%q with %q (%v)", got, report.Kept, err)
	}
	table, err := ReadTable(t.Context(), "items.csv", strings.NewReader("id;x;word\n1,5;2,5;1,5\nb;3;y\nc;-0,25;z\n"))
	if want := []string{"2.5", "1,5", "3", "y", "-0.25", "z"}; err != nil || !slices.Equal(table.Cells, want) || table.IDs[0] != "1,5" {
		t.Errorf("table of %q (%v), want %q", table.Cells, err, want)
	}
	for text, want := range map[string]string{"1,5": "1.5", "1,5e3": "1.5e3", "-,5": "-.5", "1,2,3": "1,2,3", "1.200,5": "1.200,5", "a,b": "a,b", "0x1,8p1": "0x1,8p1", ",": ",", "1": "1"} {
		if got := pointed([]byte(text)); string(got) != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
