package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoders
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/riff"
	"golang.org/x/image/vp8"
	"golang.org/x/image/vp8l"
	_ "golang.org/x/image/webp"

	"palate/store"
)

// reencode decodes a picture, reduces it to [MaxSide] and encodes it anew: what is
// served is pixels that this server wrote, whatever else the file held. A picture with
// transparency becomes a PNG, another one a JPEG. Pictures take turns, since each may
// take [MaxDecoded] of memory.
func (s *Service) reencode(ctx context.Context, file []byte) (store.Media, error) {
	if len(file) == 0 || len(file) > MaxUpload {
		return store.Media{}, invalid("a picture of %d bytes; %d are the most", len(file), MaxUpload)
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(file))
	if err == nil && kind == "webp" {
		err = checkWebP(file, c)
	}
	if err != nil {
		return store.Media{}, invalid("not a PNG, JPEG, GIF or WebP picture")
	}
	if c.Width < 1 || c.Height < 1 || c.Width > 1<<15 || c.Height > 1<<15 || decodedBytes(c, kind, file) > MaxDecoded {
		return store.Media{}, invalid("a picture of %d by %d pixels; this one would take more than %d MB of memory: make it smaller", c.Width, c.Height, MaxDecoded>>20)
	}
	if err := s.turn(ctx); err != nil {
		return store.Media{}, err
	}
	defer s.turnOver()
	m, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return store.Media{}, invalid("a broken %s picture", kind)
	}
	m = reduced(m)
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

// decodedBytes bounds the memory that decoding a picture takes: its pixels in the
// decoder's own form, and what the decoder keeps beside them.
func decodedBytes(c image.Config, kind string, file []byte) int {
	pixel := 4
	switch c.ColorModel {
	case color.NRGBA64Model, color.RGBA64Model:
		pixel = 8
	}
	switch kind {
	case "jpeg":
		if c.ColorModel == color.CMYKModel || c.ColorModel == color.RGBAModel {
			pixel *= 2 // planes, then pixels
		}
		if progressive(file) {
			pixel += 16 // all coefficients of up to four components, 32 bits each
		}
	case "png":
		const interlace = 28 // the byte of the header that says so
		if len(file) > interlace && file[interlace] != 0 {
			pixel *= 2 // the passes are pictures of their own
		}
	case "webp":
		pixel *= 2 // planes of colour and of transparency, then both
	}
	return c.Width * c.Height * pixel
}

// checkWebP says why a WebP file is not the picture that its header announces. The frame
// has a size of its own, which is what decoding it takes.
func checkWebP(file []byte, c image.Config) error {
	_, chunks, err := riff.NewReader(bytes.NewReader(file))
	for err == nil {
		var id riff.FourCC
		var size uint32
		var data io.Reader
		if id, size, data, err = chunks.Next(); err != nil {
			break
		}
		var w, h int
		switch string(id[:]) {
		case "VP8 ":
			d := vp8.NewDecoder()
			d.Init(data, int(size))
			var head vp8.FrameHeader
			head, err = d.DecodeFrameHeader()
			w, h = head.Width, head.Height
		case "VP8L":
			var frame image.Config
			frame, err = vp8l.DecodeConfig(data)
			w, h = frame.Width, frame.Height
		default:
			continue
		}
		if err == nil && (w != c.Width || h != c.Height) {
			err = fmt.Errorf("server: a frame of %d by %d pixels in a picture of %d by %d", w, h, c.Width, c.Height)
		}
		return err
	}
	return err
}

// progressive reports whether a JPEG file comes in several scans. Segments before the
// frame have a marker of two bytes and a length.
func progressive(file []byte) bool {
	for at := 2; at+3 < len(file) && file[at] == 0xff; {
		switch marker := file[at+1]; {
		case marker == 0xff: // padding
			at++
			continue
		case marker == 0xc0 || marker == 0xc1:
			return false
		case marker == 0xc2:
			return true
		}
		at += 2 + int(file[at+2])<<8 + int(file[at+3])
	}
	return true // what cannot be followed is taken for the worst
}

// reduced returns a picture whose sides have at most MaxSide pixels. Each step at most
// halves it, so that every pixel has a say.
func reduced(m image.Image) image.Image {
	for {
		w, h := m.Bounds().Dx(), m.Bounds().Dy()
		long := max(w, h)
		if long <= MaxSide {
			return m
		}
		to := max(MaxSide, (long+1)/2)
		small := image.NewRGBA(image.Rect(0, 0, max(1, (w*to+long/2)/long), max(1, (h*to+long/2)/long)))
		draw.ApproxBiLinear.Scale(small, small.Bounds(), m, m.Bounds(), draw.Src, nil)
		m = small
	}
}
