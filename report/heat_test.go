package report

import "testing"

// Names of columns are written across where all fit into their columns, and turned where one does not;
// either way there is room for them above the cells.
func TestHeadsOfColumns(t *testing.T) {
	for _, c := range []struct {
		heads []string
		lying bool
	}{{[]string{"A", "B", "C"}, true}, {[]string{"A", "a long name of a column", "C"}, false}} {
		h := &heatLayout{names: []string{"tea"}, columns: len(c.heads), most: 60, heads: c.heads, share: 0.3}
		h.fit(390)
		if h.lying != c.lying {
			t.Errorf("%v: written across %v", c.heads, h.lying)
		}
		if h.top < 18 {
			t.Errorf("%v: %v above the cells", c.heads, h.top)
		}
	}
}
