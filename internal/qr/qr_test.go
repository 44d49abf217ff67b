package qr

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// rows are the modules of a code, 1 for black.
func rows(c *Code) string {
	var all []string
	for y := range c.Size {
		row := make([]byte, c.Size)
		for x := range row {
			row[x] = '0'
			if c.Black(x, y) {
				row[x] = '1'
			}
		}
		all = append(all, string(row))
	}
	return strings.Join(all, "\n")
}

// TestEncode compares codes of small and large texts, under all masks, with those that
// the Python package qrcode 8.2 makes, by a digest of their modules.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		text    string
		version int
		digest  string
	}{
		{"A", 1, "5a8501eaa2756e0e94081a70"},
		{"https://vote.example.org/b/5z97v0fzak2jc", 3, "c7e8c766c811452ee1e04cec"},
		{"日本語のリンク", 2, "0ec699fb9acbfddfbebd3ca5"},
		{strings.Repeat("x", 150), 8, "4ef281a50d2e2ce3b335e0d1"},
		{strings.Repeat("y", 213), 10, "18b928e725bfb785bf86ee40"},
		{strings.Repeat("z", 300), 13, "f969aaef82a9152fe6041567"},
		{strings.Repeat("w", 412), 15, "186b2942b04f35f8e97910bb"},
	} {
		code, err := Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (code.Size - 17) / 4; got != c.version {
			t.Errorf("%.20q: version %d, not %d", c.text, got, c.version)
		}
		b := versions()[c.version-1]
		count := 8
		if c.version > 9 {
			count = 16
		}
		data := spread(b, words(c.text, count, b.n1*b.data1+b.n2*b.data2))
		sum, among := sha256.New(), false
		for mask := range 8 {
			all := rows(under(mask, c.version, data))
			sum.Write([]byte(all))
			among = among || all == rows(code)
		}
		if got := hex.EncodeToString(sum.Sum(nil))[:24]; got != c.digest || !among {
			t.Errorf("%.20q: %s, not %s", c.text, got, c.digest)
		}
	}
}

// TestLimits: the longest text there is room for, one more, and a picture of the code.
func TestLimits(t *testing.T) {
	if _, err := Encode(strings.Repeat("x", 413)); err == nil {
		t.Error("a text that is too long has a code")
	}
	c, err := Encode("")
	if err != nil || c.Size != 21 || c.Black(-1, 0) || c.Black(0, 21) || !c.Black(0, 0) {
		t.Errorf("no text: %+v, %v", c, err)
	}
	if svg := c.SVG(); !strings.HasPrefix(svg, "<svg ") || !strings.Contains(svg, "M4 4h1v1h-1z") || !strings.HasSuffix(svg, "</svg>") {
		t.Errorf("a picture %.200s", svg)
	}
}
