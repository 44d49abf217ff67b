package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // JPEG is one of the kinds of logos,
	_ "image/png"  // and so is PNG.
)

// Logo is a picture that a page holds within itself.
type Logo struct {
	kind string // as browsers name it
	data []byte
}

// LogoBytes is the largest logo, in bytes.
const LogoBytes = 500_000

// logoDots is the widest and the tallest, in dots.
const logoDots = 4000

// NewLogo takes a picture in PNG, JPEG or SVG, of no more than 500 kB.
func NewLogo(data []byte) (*Logo, error) {
	if len(data) > LogoBytes {
		return nil, fmt.Errorf("a logo may have %d kB, and it is larger", LogoBytes/1000)
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		if !isSVG(data) {
			return nil, errors.New("a logo must be PNG, JPEG or SVG")
		}
		return &Logo{"image/svg+xml", data}, nil
	case err != nil:
		return nil, fmt.Errorf("a logo that cannot be read: %w", err)
	case c.Width > logoDots || c.Height > logoDots:
		return nil, fmt.Errorf("a logo of %d by %d dots is larger than %d by %[3]d", c.Width, c.Height, logoDots)
	}
	return &Logo{"image/" + kind, data}, nil
}

// isSVG reports whether data is a whole document of SVG.
func isSVG(data []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(data))
	root := ""
	for {
		token, err := d.Token()
		if err != nil {
			return root == "svg" && d.InputOffset() == int64(len(data))
		}
		if e, ok := token.(xml.StartElement); ok && root == "" {
			root = e.Name.Local
		}
	}
}
