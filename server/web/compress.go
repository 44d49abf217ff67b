package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// squeezed are the answers that are sent compressed, by pattern. Only what holds no
// secret is: the size of a compressed page that has a secret and words of somebody
// else's choice tells something of the secret (BREACH). Streams are not, as every
// message is to leave at once.
var squeezed = map[string]bool{
	"GET /b/{board}/board":           true,
	"GET /b/{board}/rows":            true,
	"GET /static/{version}/{file}":   true,
	"GET /api/boards/{board}/board":  true,
	"GET /api/boards/{board}/items":  true,
	"GET /api/boards/{board}/export": true,
	"GET /api/openapi.json":          true,
	"GET /api/openapi.yaml":          true,
	"GET /api/docs":                  true,
}

// TakesGzip reports whether whoever made a request reads gzip.
func TakesGzip(r *http.Request) bool {
	for _, list := range r.Header.Values("Accept-Encoding") {
		for _, part := range strings.Split(list, ",") {
			name, weight, weighed := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
			if strings.EqualFold(name, "gzip") && (!weighed || strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "") {
				return true
			}
		}
	}
	return false
}

// Gzip returns text compressed.
func Gzip(text []byte) []byte {
	var out bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&out)
	z.Write(text) // a buffer takes all
	z.Close()
	return out.Bytes()
}

// zippers are used again: each takes some hundred kilobytes.
var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is such a level
	}
	return z
}}

// zipped compresses an answer that is worth it, which is found out when it begins.
type zipped struct {
	http.ResponseWriter
	r     *http.Request
	begun bool
	z     *gzip.Writer // nil: it is sent as it is
}

// compressed returns a writer that may compress the answer to a request, and what is to
// be called when that is over.
func compressed(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	if !TakesGzip(r) || r.Method == http.MethodHead {
		return w, func() {}
	}
	z := &zipped{ResponseWriter: w, r: r}
	return z, z.end
}

func (z *zipped) WriteHeader(status int) {
	if !z.begun && status >= 200 {
		z.begun = true
		h := z.Header()
		if squeezed[z.r.Pattern] && h.Get("Content-Encoding") == "" && status != http.StatusNoContent && status != http.StatusNotModified {
			h.Set("Content-Encoding", "gzip")
			h.Add("Vary", "Accept-Encoding")
			h.Del("Content-Length")
			z.z = zippers.Get().(*gzip.Writer)
			z.z.Reset(z.ResponseWriter)
		}
	}
	z.ResponseWriter.WriteHeader(status)
}

func (z *zipped) Write(b []byte) (int, error) {
	if !z.begun {
		if z.Header().Get("Content-Type") == "" {
			z.Header().Set("Content-Type", http.DetectContentType(b))
		}
		z.WriteHeader(http.StatusOK)
	}
	if z.z != nil {
		return z.z.Write(b)
	}
	return z.ResponseWriter.Write(b)
}

// FlushError is for http.ResponseController.
func (z *zipped) FlushError() error {
	if z.z != nil {
		if err := z.z.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(z.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (z *zipped) Unwrap() http.ResponseWriter { return z.ResponseWriter }

func (z *zipped) end() {
	if z.z != nil {
		z.z.Close() // an error means that the reader has gone
		z.z.Reset(nil)
		zippers.Put(z.z)
	}
}
