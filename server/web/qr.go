package web

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrCode is the QR code of a link, as SVG: black on white in whatever theme, as cameras
// want it, with the margin of four modules that the standard asks for.
func qrCode(link string) (string, error) {
	code, err := qr.Encode(link, qr.M)
	if err != nil {
		return "", err
	}
	const margin = 4
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	side := code.Size + 2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><rect width="100%%" height="100%%" fill="#fff"/><path d="%s"/></svg>`, side, side, path.String()), nil
}
