package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime"
	"strings"
	"testing"
)

// pictures are pictures of a size in every form that Go can write.
func pictures(t testing.TB, w, h int) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	add := func(name string, encode func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	at := image.Rect(0, 0, w, h)
	opaque := image.NewNRGBA(at)
	for k := 3; k < len(opaque.Pix); k += 4 {
		opaque.Pix[k] = 255
	}
	add("opaque png", func(b *bytes.Buffer) error { return png.Encode(b, opaque) })
	add("png", func(b *bytes.Buffer) error { return png.Encode(b, image.NewNRGBA(at)) })
	add("16-bit png", func(b *bytes.Buffer) error { return png.Encode(b, image.NewNRGBA64(at)) })
	add("grey png", func(b *bytes.Buffer) error { return png.Encode(b, image.NewGray16(at)) })
	add("jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, opaque, nil) })
	add("gif", func(b *bytes.Buffer) error {
		return gif.Encode(b, image.NewPaletted(at, color.Palette{color.Black, color.White}), nil)
	})
	return all
}

// webp is a WebP file whose header says that a picture has so many pixels a side, with a frame
// of one colour, which may have more.
func webp(says, has uint32) []byte {
	le := binary.LittleEndian
	head := append(le.AppendUint32([]byte{0, 0, 0, 0}, says-1)[:7], le.AppendUint32(nil, says-1)[:3]...)
	frame := append(le.AppendUint32([]byte{0x2f}, (has-1)|(has-1)<<14|1<<28), 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)
	body := append(le.AppendUint32([]byte("WEBPVP8X"), uint32(len(head))), head...)
	body = append(le.AppendUint32(append(body, "VP8L"...), uint32(len(frame))), frame...)
	return append(le.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// TestPictureMemory: decoding takes no more than what is predicted from the header.
func TestPictureMemory(t *testing.T) {
	for name, file := range pictures(t, 1024, 1024) {
		c, kind, err := image.DecodeConfig(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := image.Decode(bytes.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		const beside = 1 << 20 // tables and buffers of the decoder
		if took, predicted := after.TotalAlloc-before.TotalAlloc, decodedBytes(c, kind, file); took > uint64(predicted)+beside {
			t.Errorf("%s: %d bytes, %d were predicted", name, took, predicted)
		}
	}
}

// TestPictures: large ones are kept reduced, those that would take too much memory are
// refused by their header, and a reader who has gone does not wait for a turn.
func TestPictures(t *testing.T) {
	s := &Service{turns: make(chan struct{}, 1)}
	for name, file := range pictures(t, 1700, 425) {
		m, err := s.reencode(t.Context(), file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, _, err := image.DecodeConfig(bytes.NewReader(m.Bytes))
		if err != nil || got.Width != MaxSide || got.Height != MaxSide/4 {
			t.Errorf("%s of 1700 × 425 became %d × %d (%v)", name, got.Width, got.Height, err)
		}
	}
	for name, file := range pictures(t, 64, 64) {
		if m, err := s.reencode(t.Context(), file); err != nil || m.Digest == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	var huge bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&huge, image.NewNRGBA64(image.Rect(0, 0, 8000, 3200))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.reencode(t.Context(), huge.Bytes()); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "8000 by 3200 pixels") {
		t.Errorf("26 million pixels of 16 bits: %v", err)
	}
	// A file that ends after a header of many scans, and one of a single scan.
	const size = 5000
	head := func(frame byte) []byte {
		return []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, frame, 0, 17, 8, size >> 8, size & 0xff, size >> 8, size & 0xff, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 12}
	}
	for frame, want := range map[byte]string{0xc0: "broken jpeg", 0xc2: "more than"} {
		if _, err := s.reencode(t.Context(), head(frame)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("frame %x: %v, not %q", frame, err, want)
		}
	}
	// A WebP file of a small picture, and one whose frame is another picture than its header says.
	for side, want := range map[uint32]string{8: "", 16384: "not a PNG"} {
		if _, err := s.reencode(t.Context(), webp(8, side)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("a WebP file of 8 pixels a side with a frame of %d: %v", side, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.turns <- struct{}{}
	if _, err := s.reencode(gone, pictures(t, 8, 8)["gif"]); !errors.Is(err, context.Canceled) {
		t.Errorf("a reader who has gone: %v", err)
	}
}
