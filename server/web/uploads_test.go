package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"palate/ingest"
	"palate/server"
	"palate/store"
)

// repeated is a reader of so many bytes of a text, again and again.
func repeated(text string, bytes int) io.Reader {
	return io.LimitReader(&cycle{text: text}, int64(bytes))
}

type cycle struct {
	text string
	at   int
}

func (c *cycle) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = c.text[c.at]
		c.at = (c.at + 1) % len(c.text)
	}
	return len(p), nil
}

// damaged are uploads that are broken, or that unpack to far more than they are, by the
// operation that they are sent to and by what is wrong with them.
func damaged(t *testing.T) map[string]map[string]io.Reader {
	var zipped, bomb, huge bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.Copy(z, io.MultiReader(strings.NewReader("winner,loser\n"), repeated("soup,pie\n", 96<<20)))
	z.Close()
	e, err := zstd.NewWriter(&bomb)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(e, io.MultiReader(strings.NewReader("winner,loser\n"), repeated("soup,pie\n", 96<<20)))
	e.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&huge, image.NewNRGBA64(image.Rect(0, 0, 6000, 5000))); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	sheet, err := ingest.NewSheet(&table, "parquet", []string{"winner", "loser"})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if err := sheet.Row("soup", "pie"); err != nil {
			t.Fatal(err)
		}
	}
	if err := sheet.Close(); err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(table.Bytes())
	broken = append(broken[:len(broken)/2], broken[len(broken)/2+7:]...)
	return map[string]map[string]io.Reader{
		"/import?name=v": {
			"a gzip bomb": &zipped, "a zstd bomb": &bomb, "a broken Parquet file": bytes.NewReader(broken), "a cut gzip file": bytes.NewReader(zipped.Bytes()[:100]),
			"JSON that never closes": strings.NewReader("[" + strings.Repeat("[", 1<<20)), "one endless line": repeated("x", 32<<20), "no votes at all": repeated("\x00", 1<<20),
		},
		"/images?name=p": {
			"a picture of 16 bits": bytes.NewReader(huge.Bytes()), "half of it": bytes.NewReader(huge.Bytes()[:huge.Len()/2]), "a JPEG header": strings.NewReader("\xff\xd8\xff\xc2"), "noise": repeated("noise", 9<<20),
		},
		"/items": {
			"empty objects": io.MultiReader(strings.NewReader(`{"items":[`), repeated("{},", 3<<20)), "nested lists": repeated("[", 3<<20), "a list of lists": io.MultiReader(strings.NewReader(`{"items":[`), repeated("[],", 3<<20)),
		},
	}
}

// unpacks: what is broken, or would unpack to too much, is refused with a reason, and
// nothing comes of it.
func unpacks(t *testing.T) {
	s := setScene(t, server.Options{})
	for path, files := range damaged(t) {
		for name, file := range files {
			if code, text := s.send(t, path, file); code < 400 || code >= 500 || text == "" {
				t.Errorf("%s: %d %.200s", name, code, text)
			}
		}
	}
	if votes := s.votes(t, s.board); len(votes) != 0 {
		t.Errorf("%d votes came of that", len(votes))
	}
}

// send sends a file in the owner's name.
func (s *scene) send(t *testing.T, path string, file io.Reader) (int, string) {
	r, err := http.NewRequest("POST", s.URL+s.api(path), file)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	r.Header.Set("Content-Type", "application/octet-stream")
	if strings.HasPrefix(path, "/items") {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 499, err.Error() // the server had seen enough of it
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	var i ImportJSON
	if res.StatusCode == http.StatusOK && strings.HasPrefix(path, "/import") && json.Unmarshal(text, &i) == nil { // it goes on in the background
		if end, err := s.svc.AwaitImport(t.Context(), s.board, i.ID, time.Hour); err == nil && end.State == store.Failed {
			return http.StatusUnprocessableEntity, end.Says
		}
	}
	return res.StatusCode, string(text)
}

// TestHostileUploads sends a hundred uploads at once, each as bad as it can be: memory
// stays below a gigabyte. PALATE_UPLOADS=N sends N of them.
func TestHostileUploads(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about memory, which the race detector takes, too")
	}
	s := setScene(t, server.Options{})
	var kinds []func() (string, io.Reader)
	for path, files := range damaged(t) {
		for _, file := range files {
			content, err := io.ReadAll(file)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, func() (string, io.Reader) { return path, bytes.NewReader(content) })
		}
	}
	uploads := 100
	if text := os.Getenv("PALATE_UPLOADS"); text != "" {
		if _, err := fmt.Sscan(text, &uploads); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak uint64
	done := make(chan struct{})
	var watch, work sync.WaitGroup
	watch.Go(func() {
		for {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapInuse+now.StackInuse)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	for k := range uploads {
		work.Go(func() {
			path, file := kinds[k%len(kinds)]()
			s.send(t, path, file)
		})
	}
	work.Wait()
	close(done)
	watch.Wait()
	t.Logf("%d uploads: %d MB at the most, %d MB of them before", uploads, peak>>20, before.HeapInuse>>20)
	if peak-before.HeapInuse > 1<<30 {
		t.Errorf("%d uploads took %d MB", uploads, (peak-before.HeapInuse)>>20)
	}
}

// TestLimitTable holds the table of limits to that of docs/security.md, and every limit of
// bytes to its word.
func TestLimitTable(t *testing.T) {
	doc, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	s := setScene(t, server.Options{})
	alone := httptest.NewServer(aModel(t))
	defer alone.Close()
	for _, l := range Limits() {
		took := "a stream"
		if l.Time > 0 {
			took = fmt.Sprintf("%.0f s", l.Time.Seconds())
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", l.Pattern, size(l.Bytes), took, size(min(l.Bytes*l.Memory, BodyMemory)))
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/security.md lacks %s", row)
		}
		method, path, ok := strings.Cut(l.Pattern, " ")
		if !ok {
			method, path = "POST", "/api/boards/{board}/tell"
		}
		if method == "GET" || !strings.HasPrefix(path, "/api/") {
			continue // pages have a test of their own
		}
		at := s.URL
		if strings.HasPrefix(path, "/api/model/") {
			at = alone.URL
		}
		r, err := http.NewRequest(method, at+strings.Replace(path, "{board}", s.board, 1), repeated(" ", int(l.Bytes)+1))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.secret)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with a byte too many: %d", l.Pattern, res.StatusCode)
		}
	}
	if rows := strings.Count(string(doc), " s | ") + strings.Count(string(doc), "| a stream |"); rows != len(Limits()) {
		t.Errorf("%d limits are documented, %d there", rows, len(Limits()))
	}
}

// size is a number of bytes as the table says it.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}
