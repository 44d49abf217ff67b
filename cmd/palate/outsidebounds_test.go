package main

import (
	"encoding/binary"
	"fmt"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
)

// outsideMistakes: what is wrong with a body is said without the body.
func outsideMistakes(t *testing.T) {
	o := serveOutside(t).make(2)
	var members []string
	for k := range 1000 {
		members = append(members, fmt.Sprintf(`"a%d":1`, k))
	}
	body := "{" + strings.Join(members, ",") + "}"
	if code, text := o.call("POST", "/api/boards", body, nil); code != 422 || len(text) > len(body) {
		t.Errorf("a body of %d bytes: %d and %d bytes", len(body), code, len(text))
	}
}

// outsideFrame: a picture takes no more memory than its header says.
func outsideFrame(t *testing.T) {
	o := serveOutside(t).make(2)
	const says, has = 8, 8192
	le := binary.LittleEndian
	head := append(le.AppendUint32([]byte{0, 0, 0, 0}, says-1)[:7], le.AppendUint32(nil, says-1)[:3]...)
	frame := append(le.AppendUint32([]byte{0x2f}, (has-1)|(has-1)<<14|1<<28), 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)
	body := append(le.AppendUint32([]byte("WEBPVP8X"), uint32(len(head))), head...)
	body = append(le.AppendUint32(append(body, "VP8L"...), uint32(len(frame))), frame...)
	file := append(le.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
	before := o.peak()
	code, text := o.call("POST", o.of("/images?name=x"), string(file), nil)
	if after := o.peak(); code != 422 || after-before > 200 {
		t.Errorf("a picture of %d bytes took %d MB: %d %.200s", len(file), after-before, code, text)
	}
}

// outsideCells: a page does not grow with the square of an item's text.
func outsideCells(t *testing.T) {
	o := serveOutside(t).make(2)
	text := strings.Repeat("|a", 400) + "|\\n" + strings.Repeat("|-", 400) + "|\\n" + strings.Repeat("b\\n", 4000)
	var made struct {
		Board  struct{ ID string }
		Secret string
	}
	o.call("POST", "/api/boards", fmt.Sprintf(`{"items":[{"id":"a","kind":"markdown","body":"%s"},{"id":"b"}]}`, text), &made)
	ann := visitor("127.0.0.1")
	o.posted(ann, "/b/"+made.Board.ID+"/join", nil)
	if res, page := o.do(ann, "GET", "/b/"+made.Board.ID+"/vote", nil); res.StatusCode != 200 || len(page) > 1<<20 {
		t.Errorf("a text of %d bytes: %d and %d bytes", len(text), res.StatusCode, len(page))
	}
}

// outsideSlowBody: whoever announces a large body and sends little of it keeps nobody waiting.
func outsideSlowBody(t *testing.T) {
	o := serveOutside(t).make(2)
	conn, err := net.Dial("tcp", strings.TrimPrefix(o.at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/boards HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4194303\r\nExpect: 100-continue\r\n\r\n")
	if _, err := conn.Read(make([]byte, 100)); err != nil { // that the body is being read
		t.Fatal(err)
	}
	c := visitor("127.0.0.1")
	c.Timeout = 10e9
	r, err := http.NewRequest("POST", o.at+"/api/boards", strings.NewReader(`{"items":[{"body":"a"},{"body":"`+strings.Repeat("b", 10_000)+`"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusCreated {
		t.Errorf("beside a slow body: %d", res.StatusCode)
	}
}

// outsideWords: a table of words that come to many features is refused before there is room
// made for them.
func outsideWords(t *testing.T) {
	o := serveOutside(t)
	var form strings.Builder
	w := multipart.NewWriter(&form)
	table, err := w.CreateFormFile("table", "items.csv")
	if err != nil {
		t.Fatal(err)
	}
	const columns, words, rows = 40, 50, 4000
	fmt.Fprint(table, "id")
	for j := range columns {
		fmt.Fprintf(table, ",c%d", j)
	}
	for k := range rows {
		fmt.Fprintf(table, "\n%d%s", k, strings.Repeat(fmt.Sprintf(",w%d", k%words), columns))
	}
	w.Close()
	before := o.peak()
	res, _ := o.do(visitor("127.0.0.1"), "POST", "/boards", strings.NewReader(form.String()), "Content-Type: "+w.FormDataContentType(), "Sec-Fetch-Site: same-origin")
	if after := o.peak(); res.StatusCode != 422 || after-before > 200 {
		t.Errorf("a table of %d KB took %d MB: %d", form.Len()>>10, after-before, res.StatusCode)
	}
}

// outsideTimes: a vote of a time that JSON has no word for does not spoil the list of voters.
func outsideTimes(t *testing.T) {
	o := serveOutside(t).make(2)
	o.call("POST", o.of("/import?name=v.csv"), "user,left,right,winner,time\nann,i0,i1,left,-99999999999\n", nil)
	if code, text := o.call("GET", o.of("/voters"), "", nil); code != 200 || !strings.HasPrefix(text, "[") {
		t.Errorf("voters: %d %.200s", code, text)
	}
}

// outsideKept: votes are kept by no cache.
func outsideKept(t *testing.T) {
	o := serveOutside(t).make(2)
	res, _ := o.do(http.DefaultClient, "GET", o.of("/export"), nil, "Authorization: Bearer "+o.token)
	if got := res.Header.Get("Cache-Control"); res.StatusCode != 200 || got != "no-store" {
		t.Errorf("an export: %d, Cache-Control: %s", res.StatusCode, got)
	}
}
