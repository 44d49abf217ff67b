package web

import (
	"strings"
	"testing"
)

// A code has its margin, and the dark square in the corner at the upper left.
func TestQRCode(t *testing.T) {
	svg, err := qrCode("https://vote.example.org/b/5z97v0fzak2jc")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg, `viewBox="0 0 37 37"`) || !strings.Contains(svg, `<path d="M4 4h1v1h-1zM5 4h1v1h-1z`) {
		t.Errorf("%.200s", svg)
	}
	if _, err := qrCode(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text of 5,000 bytes has a code")
	}
}
