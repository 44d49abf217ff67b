package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	_ "image/gif" // decoders
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/webp"

	"palate/store"
)

// reencode decodes a picture and encodes it anew: what is served is pixels that
// this server wrote, whatever else the file held. A picture with transparency
// becomes a PNG, another one a JPEG.
func reencode(file []byte) (store.Media, error) {
	if len(file) == 0 || len(file) > MaxUpload {
		return store.Media{}, invalid("a picture of %d bytes; %d are the most", len(file), MaxUpload)
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return store.Media{}, invalid("not a PNG, JPEG, GIF or WebP picture")
	}
	if c.Width < 1 || c.Height < 1 || c.Width*c.Height > MaxPixels || c.Width > 1<<15 || c.Height > 1<<15 {
		return store.Media{}, invalid("a picture of %d by %d pixels", c.Width, c.Height)
	}
	m, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return store.Media{}, invalid("a broken %s picture", kind)
	}
	var out bytes.Buffer
	media := store.Media{Type: "image/jpeg"}
	if o, ok := m.(interface{ Opaque() bool }); kind == "jpeg" || ok && o.Opaque() && kind != "png" {
		err = jpeg.Encode(&out, m, &jpeg.Options{Quality: 90})
	} else {
		media.Type = "image/png"
		err = png.Encode(&out, m)
	}
	if err != nil {
		return store.Media{}, invalid("the picture cannot be encoded")
	}
	sum := sha256.Sum256(out.Bytes())
	media.Bytes, media.Digest = out.Bytes(), hex.EncodeToString(sum[:16])
	return media, nil
}
