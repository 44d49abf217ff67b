package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestFromOutside tries faults that a stranger can see on a server in a process of its
// own. It uses nothing of the server's code, so that PALATE_BINARY can name any other
// version of the command: a row that is of use fails on one that has the fault.
func TestFromOutside(t *testing.T) {
	for _, row := range []struct {
		name string
		test func(*testing.T)
	}{
		{"form of our own on another host", outsideOwnForm},
		{"refusal without a way on", outsideRefusal},
		{"many questions for one voter", outsideStuffed},
		{"undo that shows another pair", outsideUndo},
		{"file that votes again", outsideFileVotesAgain},
		{"NUL in a reason", outsidePoison},
		{"NUL among the votes of others", outsidePoisonShared},
		{"body read before the admin word", outsideWorkBeforeTrust},
		{"lines in quadratic time", outsideLines},
		{"picture of 16 bits", outsidePicture},
		{"file that unpacks", outsideUnpacks},
		{"votes beside an import", outsideImport},
		{"health of a damaged database", outsideHealth},
		{"files for others to read", outsideModes},
		{"link that changes who one is", outsideLink},
		{"formula in an export", outsideFormula},
		{"ranking of a small group", outsideGroup},
		{"owner locked out by strangers", outsideLockOut},
		{"own ranking fitted in the request", outsideOwnRanking},
		{"ranks without votes", outsideNoVotes},
		{"closed board that forgets one's votes", outsideClosed},
		{"error far from its form", outsideError},
		{"board closed by one click", outsideConfirm},
		{"mistakes that bring their body along", outsideMistakes},
		{"picture of another size than its header says", outsideFrame},
		{"table of empty cells", outsideCells},
		{"slow body that keeps others waiting", outsideSlowBody},
		{"words that come to many features", outsideWords},
		{"time that cannot be written", outsideTimes},
		{"export that a cache keeps", outsideKept},
	} {
		t.Run(row.name, row.test)
	}
}

// outsideServer is a server in a process of its own.
type outsideServer struct {
	t            *testing.T
	at, dir      string
	process      *os.Process
	board, token string // of the board made last
}

// serveOutside starts a server. Variables of the environment are given as NAME=VALUE,
// all else are arguments.
func serveOutside(t *testing.T, more ...string) *outsideServer {
	t.Helper()
	dir := t.TempDir()
	address := filepath.Join(dir, "address")
	cmd := exec.Command(cmp.Or(os.Getenv("PALATE_BINARY"), "palate"), "serve", "--addr", "127.0.0.1:0", "--address-file", address, "--quiet")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	for _, m := range more {
		if strings.HasPrefix(m, "PALATE_") {
			cmd.Env = append(cmd.Env, m)
		} else {
			cmd.Args = append(cmd.Args, m)
		}
	}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the server says:\n%.2000s", &log)
		}
	})
	o := &outsideServer{t: t, dir: dir, process: cmd.Process}
	for o.at == "" {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the server ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		text, _ := os.ReadFile(address)
		o.at = string(text)
	}
	return o
}

// visitor returns somebody with cookies, who comes from an address of this machine.
func visitor(from string) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return &http.Client{Jar: jar, Transport: &http.Transport{DialContext: dialer.DialContext}, Timeout: time.Minute}
}

// do sends a request, with headers as NAME: VALUE, and returns what comes back.
func (o *outsideServer) do(c *http.Client, method, path string, body io.Reader, header ...string) (*http.Response, string) {
	o.t.Helper()
	r, err := http.NewRequest(method, o.at+path, body)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	res, err := c.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return res, string(text)
}

// call is an operation of the JSON interface by the board's owner; it returns the status
// and what was said.
func (o *outsideServer) call(method, path, body string, out any) (int, string) {
	o.t.Helper()
	res, text := o.do(http.DefaultClient, method, path, strings.NewReader(body), "Authorization: Bearer "+o.token, "Content-Type: application/json")
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); res.StatusCode >= 300 || err != nil {
			o.t.Fatalf("%s %s: %d %.300s", method, path, res.StatusCode, text)
		}
	}
	return res.StatusCode, text
}

// of is the path of an operation on the board.
func (o *outsideServer) of(what string) string { return "/api/boards/" + o.board + what }

// make makes a board of items i0, i1 and so on, everybody may see.
func (o *outsideServer) make(n int) *outsideServer {
	o.t.Helper()
	var items []string
	for k := range n {
		items = append(items, fmt.Sprintf(`{"id":"i%d","body":"i%d"}`, k, k))
	}
	var made struct {
		Board  struct{ ID string }
		Secret string
	}
	o.call("POST", "/api/boards", `{"title":"Teas","public":true,"items":[`+strings.Join(items, ",")+`]}`, &made)
	o.board, o.token = made.Board.ID, made.Secret
	return o
}

// outsideQuestion is what a voter is asked.
type outsideQuestion struct {
	Question    string
	Left, Right struct{ ID string }
}

func (o *outsideServer) ask(voter string) (q outsideQuestion) {
	o.t.Helper()
	o.call("POST", o.of("/ask"), fmt.Sprintf(`{"voter":%q}`, voter), &q)
	return q
}

// votes is how many votes count.
func (o *outsideServer) votes() int {
	o.t.Helper()
	_, text := o.call("GET", o.of("/export?format=jsonl"), "", nil)
	return strings.Count(text, "\n")
}

// posted is the answer to a form of our own pages.
func (o *outsideServer) posted(c *http.Client, path string, form url.Values) (*http.Response, string) {
	o.t.Helper()
	return o.do(c, "POST", path, strings.NewReader(form.Encode()), "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin")
}

// enter follows a link, and presses the button that is there.
func (o *outsideServer) enter(c *http.Client, link string) {
	o.t.Helper()
	if _, page := o.do(c, "GET", link, nil); strings.Contains(page, `action="`+link+`"`) {
		o.posted(c, link, nil)
	}
}

// processor is how much processor time the server has taken.
func (o *outsideServer) processor() time.Duration {
	o.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", o.process.Pid))
	if err != nil {
		o.t.Skip("processor times are read from /proc")
	}
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// peak is the most memory that the server has had, in megabytes.
func (o *outsideServer) peak() int {
	o.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.process.Pid))
	if err != nil {
		o.t.Skip("memory is read from /proc")
	}
	var kb int
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "VmHWM: %d kB", &kb)
	}
	return kb >> 10
}

// outsideOwnForm: a browser on a host that is neither local nor HTTPS says where a form is
// from by Origin alone, and by null if the page forbids referrers.
func outsideOwnForm(t *testing.T) {
	o, ann := serveOutside(t).make(2), visitor("127.0.0.1")
	res, _ := o.do(ann, "GET", "/b/"+o.board, nil, "Host: board.example")
	origin := "http://board.example"
	if res.Header.Get("Referrer-Policy") == "no-referrer" {
		origin = "null"
	}
	ann.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, text := o.do(ann, "POST", "/b/"+o.board+"/join", nil, "Host: board.example", "Origin: "+origin)
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) == 0 {
		t.Errorf("joined from our own page: %d %.200s", res.StatusCode, text)
	}
}

func outsideRefusal(t *testing.T) {
	o := serveOutside(t).make(2)
	res, text := o.do(http.DefaultClient, "POST", "/b/"+o.board+"/join", nil, "Origin: http://evil.example")
	if res.StatusCode != 403 || !strings.Contains(text, "<h1>") || !strings.Contains(text, `href="/`) {
		t.Errorf("a form of another site: %d %.200s", res.StatusCode, text)
	}
}

func outsideStuffed(t *testing.T) {
	o := serveOutside(t).make(2)
	questions := map[string]bool{}
	for range 20 {
		questions[o.ask("ann").Question] = true
	}
	for q := range questions {
		o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"ann","question":%q,"outcome":"left"}`, q), nil)
	}
	for k := range 5 { // and without being asked
		o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"ann","left":"i0","right":"i1","key":"%d","outcome":"left"}`, k), nil)
	}
	if n := o.votes(); n != 1 {
		t.Errorf("%d questions; %d votes of one voter on one pair", len(questions), n)
	}
}

func outsideUndo(t *testing.T) {
	o := serveOutside(t).make(12)
	for range 4 {
		q := o.ask("ann")
		o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"ann","question":%q,"outcome":"left"}`, q.Question), nil)
		o.call("POST", o.of("/undo"), `{"voter":"ann"}`, nil)
		again := o.ask("ann")
		if q.Left != again.Left || q.Right != again.Right {
			t.Errorf("after %s or %s was taken back: %s or %s", q.Left.ID, q.Right.ID, again.Left.ID, again.Right.ID)
		}
		o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"ann","question":%q,"outcome":"left"}`, again.Question), nil)
	}
}

func outsideFileVotesAgain(t *testing.T) {
	o := serveOutside(t).make(2)
	o.call("POST", o.of("/tell"), `{"voter":"ann","left":"i0","right":"i1","key":"1","outcome":"left"}`, nil)
	for _, winner := range []string{"left", "right"} {
		if code, text := o.call("POST", o.of("/import?name=v.csv"), "user,left,right,winner\nann,i0,i1,"+winner+"\n", nil); code != 200 {
			t.Fatalf("import: %d %s", code, text)
		}
	}
	_, text := o.call("GET", o.of("/export?format=csv"), "", nil)
	if n := o.votes(); n != 1 || !strings.Contains(text, ",right") {
		t.Errorf("%d votes of one voter on one pair, the last by a file for the right:\n%s", n, text)
	}
}

const outsideNUL = `{"voter":"eve","left":"i0","right":"i1","key":"%d","outcome":"skip","reason":"a\u0000b"}`

func outsidePoison(t *testing.T) {
	o := serveOutside(t).make(2)
	if code, text := o.call("POST", o.of("/tell"), fmt.Sprintf(outsideNUL, 1), nil); code != 422 {
		t.Errorf("a NUL in a reason: %d %s", code, text)
	}
}

// outsidePoisonShared: on PostgreSQL, which refuses a NUL, votes that share a write with
// one must not suffer.
func outsidePoisonShared(t *testing.T) {
	dsn := os.Getenv("PALATE_POSTGRES")
	if dsn == "" {
		t.Skip("PALATE_POSTGRES is not set")
	}
	db, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.Background())
	schema := fmt.Sprintf("palate_outside_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := db.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the server has ended
		if db, err := pgx.Connect(context.Background(), dsn); err == nil {
			db.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
			db.Close(context.Background())
		}
	})
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	o := serveOutside(t, "--db", u.String(), "--votes-per-minute", "-1", "--requests-per-minute", "-1").make(2)
	eve := *o
	o.make(2) // another board
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
					eve.call("POST", eve.of("/tell"), fmt.Sprintf(outsideNUL, c<<20+k), nil)
				}
			}
		})
	}
	refused := 0
	const votes = 150
	for k := range votes {
		if code, _ := o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"v%d","left":"i0","right":"i1","key":"1","outcome":"left"}`, k), nil); code != 200 {
			refused++
		}
	}
	close(stop)
	wg.Wait()
	if refused > 0 {
		t.Errorf("%d of %d votes on another board were refused", refused, votes)
	}
}

// waiting is a body that has a beginning, and then does not come.
type waiting struct {
	io.Reader
	ended <-chan struct{}
}

func (w waiting) Read(b []byte) (int, error) {
	if n, err := w.Reader.Read(b); err == nil {
		return n, nil
	}
	<-w.ended
	return 0, io.ErrUnexpectedEOF
}

// outsideWorkBeforeTrust: whoever does not know the server's word is told so before the
// body is there.
func outsideWorkBeforeTrust(t *testing.T) {
	o := serveOutside(t, "PALATE_ADMIN=a word of the server")
	ended := make(chan struct{})
	head := "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nTeas\r\n--x\r\nContent-Disposition: form-data; name=\"lines\"\r\n\r\n"
	r, err := http.NewRequest("POST", o.at+"/boards", waiting{strings.NewReader(head + strings.Repeat("line\n", 20_000)), ended})
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = 1 << 20
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer := make(chan error, 1)
	go func() {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			if res.Body.Close(); res.StatusCode != 403 {
				err = fmt.Errorf("status %d", res.StatusCode)
			}
		}
		answer <- err
	}()
	select {
	case err := <-answer:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a stranger's board is waited for")
	}
	close(ended)
}

// outsideLines compares what eight times as many lines take of a processor: 64 times as
// much where each is compared with all others.
func outsideLines(t *testing.T) {
	o := serveOutside(t)
	take := func(n int) time.Duration {
		before := o.processor()
		var lines strings.Builder
		for k := range n {
			fmt.Fprintf(&lines, "a line of some length, number %d\n", k)
		}
		var body bytes.Buffer
		fmt.Fprintf(&body, "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nTeas\r\n--x\r\nContent-Disposition: form-data; name=\"lines\"\r\n\r\n%s\r\n--x--\r\n", &lines)
		o.do(http.DefaultClient, "POST", "/boards", &body, "Content-Type: multipart/form-data; boundary=x", "Sec-Fetch-Site: same-origin")
		return o.processor() - before
	}
	few := max(take(6_000), 50*time.Millisecond)
	if many := take(48_000); many > 24*few {
		t.Errorf("6,000 lines take %v of a processor, 48,000 take %v", few, many)
	}
}

// outsidePNG is an empty picture of 16 bits a channel, which is small as a file.
func outsidePNG(side uint32) []byte {
	var out, pixels bytes.Buffer
	chunk := func(name string, body []byte) {
		binary.Write(&out, binary.BigEndian, uint32(len(body)))
		out.WriteString(name)
		out.Write(body)
		binary.Write(&out, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(name), body...)))
	}
	out.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	chunk("IHDR", append(header, 16, 6, 0, 0, 0)) // colours and transparency
	z := zlib.NewWriter(&pixels)
	line := make([]byte, 1+8*side)
	for range side {
		z.Write(line)
	}
	z.Close()
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return out.Bytes()
}

func outsidePicture(t *testing.T) {
	o := serveOutside(t).make(2)
	before := o.peak()
	file := outsidePNG(6300)
	code, text := o.call("POST", o.of("/images?name=x"), string(file), nil)
	if after := o.peak(); after-before > 230 {
		t.Errorf("a picture of %d KB took %d MB: %d %.200s", len(file)>>10, after-before, code, text)
	}
}

// outsideUnpacks: a file that is small as it comes is not read for ever. Its last row is
// bad, so that nothing of it is stored.
func outsideUnpacks(t *testing.T) {
	o := serveOutside(t).make(2)
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	io.WriteString(z, "left,right,winner\n")
	rows := bytes.Repeat([]byte("i0,i1,left\n"), 1<<16)
	for range 160 {
		z.Write(rows)
	}
	io.WriteString(z, "i0,nothing,left\n")
	z.Close()
	before := o.peak()
	code, text := o.call("POST", o.of("/import?name=v.csv"), file.String(), nil)
	var i outsideProgress
	for json.Unmarshal([]byte(text), &i); code == 200 && i.State == "running"; { // it is read in the background
		o.call("GET", o.of("/imports/"+i.ID), "", &i)
		time.Sleep(20 * time.Millisecond)
	}
	if after := o.peak(); code == 200 && i.State != "failed" || after-before > 1000 {
		t.Errorf("a file of %d KB took %d MB: %d %.200s %+v", file.Len()>>10, after-before, code, text, i)
	}
}

// outsideProgress is how far an import is.
type outsideProgress struct{ ID, State string }

// outsideImport: votes elsewhere are taken while a file is imported.
func outsideImport(t *testing.T) {
	o := serveOutside(t, "--votes-per-minute", "-1", "--requests-per-minute", "-1").make(60)
	board := *o
	var file strings.Builder
	file.WriteString("user,left,right,winner\n")
	for k := range 40_000 {
		fmt.Fprintf(&file, "v%d,i%d,i%d,left\n", k%300, k%60, (k+1+k/60%59)%60)
	}
	began, failed := make(chan outsideProgress, 1), make(chan struct{})
	go func() {
		var i outsideProgress
		if code, text := board.call("POST", board.of("/import?name=v.csv"), file.String(), nil); code != 200 || json.Unmarshal([]byte(text), &i) != nil {
			t.Errorf("import: %d %.200s", code, text)
			close(failed)
			return
		}
		began <- i
	}()
	o.make(2)
	var i outsideProgress
	votes, refused := 0, 0
	for over := false; !over && refused == 0; votes++ {
		if code, _ := o.call("POST", o.of("/tell"), fmt.Sprintf(`{"voter":"v%d","left":"i0","right":"i1","key":"1","outcome":"left"}`, votes), nil); code != 200 {
			refused++
		}
		select {
		case <-failed:
			return
		case i = <-began:
		default:
		}
		if i.ID != "" {
			board.call("GET", board.of("/imports/"+i.ID), "", &i)
		}
		over = i.State == "done"
	}
	if refused > 0 || votes < 20 {
		t.Errorf("beside an import %d votes, of which %d were refused", votes, refused)
	}
}

// outsideHealth overwrites the database while the server runs.
func outsideHealth(t *testing.T) {
	o := serveOutside(t).make(2)
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		if res, _ := o.do(http.DefaultClient, "GET", path, nil); res.StatusCode != 200 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	for _, name := range []string{"palate.db", "palate.db-wal"} {
		path := filepath.Join(o.dir, name)
		if s, err := os.Stat(path); err == nil {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(bytes.Repeat([]byte{7}, int(s.Size()))); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
	if code, text := o.call("POST", o.of("/tell"), `{"voter":"ann","left":"i0","right":"i1","key":"1","outcome":"left"}`, nil); code < 500 {
		t.Fatalf("a vote in a damaged database: %d %s", code, text)
	}
	for path, want := range map[string]int{"/livez": 200, "/readyz": 503, "/healthz": 503} {
		got := 0
		for range 300 { // it is looked at once a second
			res, _ := o.do(http.DefaultClient, "GET", path, nil)
			if got = res.StatusCode; got == want || got == 404 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != want {
			t.Errorf("%s of a damaged database: %d, want %d", path, got, want)
		}
	}
}

func outsideModes(t *testing.T) {
	o := serveOutside(t).make(2)
	for _, name := range []string{"palate.db", "palate.db-wal", "config/palate/key"} {
		if s, err := os.Stat(filepath.Join(o.dir, name)); err != nil || s.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	key, err := os.ReadFile(filepath.Join(o.dir, "config/palate/key"))
	if err != nil || len(key) < 32 {
		t.Fatalf("a key of %d bytes, %v", len(key), err)
	}
	for _, name := range []string{"palate.db", "palate.db-wal"} {
		if file, err := os.ReadFile(filepath.Join(o.dir, name)); err != nil || bytes.Contains(file, key) {
			t.Errorf("%s holds the key that signs cookies (%v)", name, err)
		}
	}
}

// invited returns the paths of private links.
func (o *outsideServer) invited(group string, names ...string) (links []string) {
	o.t.Helper()
	in, err := json.Marshal(map[string]any{"group": group, "names": names})
	if err != nil {
		o.t.Fatal(err)
	}
	var made []struct{ Link string }
	o.call("POST", o.of("/invitations"), string(in), &made)
	for _, m := range made {
		links = append(links, strings.TrimPrefix(m.Link, o.at))
	}
	return links
}

func outsideLink(t *testing.T) {
	o := serveOutside(t).make(2)
	for _, link := range append(o.invited("", "ann"), "/b/"+o.board+"/own/"+o.token) {
		eve := visitor("127.0.0.1")
		o.do(eve, "GET", link, nil)
		if u, _ := url.Parse(o.at + link); len(eve.Jar.Cookies(u)) > 0 {
			t.Errorf("whoever looks at a page with the picture %.8s… is somebody else", link)
		}
	}
}

func outsideFormula(t *testing.T) {
	o := serveOutside(t).make(2)
	o.call("POST", o.of("/items"), `{"items":[{"id":"=HYPERLINK(A1)","body":"x"}]}`, nil)
	o.call("POST", o.of("/tell"), `{"voter":"ann","left":"=HYPERLINK(A1)","right":"i1","key":"1","outcome":"left"}`, nil)
	for _, format := range []string{"csv", "tsv"} {
		if _, text := o.call("GET", o.of("/export?format="+format), "", nil); regexp.MustCompile(`[,\t\n]"?=HYPERLINK`).MatchString(text) || !strings.Contains(text, "HYPERLINK") {
			t.Errorf("%s:\n%s", format, text)
		}
	}
}

func outsideGroup(t *testing.T) {
	o := serveOutside(t).make(2)
	for _, link := range o.invited("team", "ann", "bob") {
		c := visitor("127.0.0.1")
		o.enter(c, link)
		_, page := o.do(c, "GET", "/b/"+o.board+"/vote", nil)
		question := regexp.MustCompile(`name="question" value="([^"]*)"`).FindStringSubmatch(page)
		if question == nil {
			t.Fatalf("no question:\n%.500s", page)
		}
		o.posted(c, "/b/"+o.board+"/tell", url.Values{"question": {question[1]}, "outcome": {"left"}})
	}
	if n := o.votes(); n != 2 {
		t.Fatalf("%d votes", n)
	}
	var k struct{ Token string }
	o.call("POST", o.of("/tokens"), `{"name":"reader","scopes":["read"]}`, &k)
	o.token = k.Token
	if code, text := o.call("GET", o.of("/board?group=team"), "", nil); code != 403 {
		t.Errorf("the ranking of two people: %d %.100s", code, text)
	}
}

func outsideLockOut(t *testing.T) {
	o := serveOutside(t)
	var made struct{ Board struct{ ID string } }
	o.call("POST", "/api/boards", `{"password":"correct horse","items":[{"id":"a"},{"id":"b"}]}`, &made)
	login := func(from, password string) int {
		res, _ := o.posted(visitor(from), "/b/"+made.Board.ID+"/login", url.Values{"password": {password}})
		return res.StatusCode
	}
	// Strangers guess all the time, as tries come back with it.
	stop, refused := make(chan struct{}), make(chan struct{}, 1)
	var wg sync.WaitGroup
	defer func() { close(stop); wg.Wait() }()
	for range 12 {
		wg.Go(func() {
			for {
				if login("127.0.0.3", "wrong horse") == 429 {
					select {
					case refused <- struct{}{}:
					default:
					}
				}
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	<-refused
	if code := login("127.0.0.2", "correct horse"); code != 200 {
		t.Errorf("the owner, from elsewhere: %d", code)
	}
}

// outsideOwnRanking: a voter's own ranking is learnt in the background, and says so: nobody
// waits for a fit of all votes.
func outsideOwnRanking(t *testing.T) {
	o := serveOutside(t).make(40)
	var file strings.Builder
	file.WriteString("user,left,right,winner\n")
	for k := range 2_000 {
		fmt.Fprintf(&file, "v%d,i%d,i%d,%s\n", k/20, k%40, (k+1+k/40%39)%40, []string{"left", "right"}[k/7%2])
	}
	if code, text := o.call("POST", o.of("/import?name=v.csv"), file.String(), nil); code != 200 {
		t.Fatalf("import: %d %s", code, text)
	}
	for {
		var b struct {
			Waiting bool
			Until   time.Time
		}
		o.call("GET", o.of("/board?voter=v1"), "", &b)
		if !b.Waiting {
			if b.Until.IsZero() {
				t.Error("a voter's own ranking does not say until when votes are in")
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func outsideNoVotes(t *testing.T) {
	o := serveOutside(t).make(3)
	_, page := o.do(http.DefaultClient, "GET", "/b/"+o.board+"/board", nil)
	if strings.Contains(page, `class="rank"`) || strings.Contains(page, "<progress") || !strings.Contains(page, "i2") {
		t.Errorf("a board without votes shows ranks and chances:\n%.2000s", page)
	}
}

func outsideClosed(t *testing.T) {
	o, ann := serveOutside(t).make(3), visitor("127.0.0.1")
	_, page := o.posted(ann, "/b/"+o.board+"/join", nil)
	question := regexp.MustCompile(`name="question" value="([^"]*)"`).FindStringSubmatch(page)
	if question == nil {
		t.Fatalf("no question:\n%.500s", page)
	}
	o.posted(ann, "/b/"+o.board+"/tell", url.Values{"question": {question[1]}, "outcome": {"left"}})
	o.call("PATCH", o.of(""), `{"closed":true}`, nil)
	_, page = o.do(ann, "GET", "/b/"+o.board+"/vote", nil)
	if count := regexp.MustCompile(`id="count">(\d+)<`).FindStringSubmatch(page); count == nil || count[1] != "1" {
		t.Errorf("after one vote the closed board says %v:\n%.2000s", count, page)
	}
}

func outsideError(t *testing.T) {
	o := serveOutside(t)
	body := "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nMy own title\r\n--x\r\nContent-Disposition: form-data; name=\"lines\"\r\n\r\nonly one\r\n--x--\r\n"
	res, page := o.do(http.DefaultClient, "POST", "/boards", strings.NewReader(body), "Content-Type: multipart/form-data; boundary=x", "Sec-Fetch-Site: same-origin")
	if res.StatusCode != 422 || !strings.Contains(page, `value="My own title"`) || !strings.Contains(page, ">only one<") {
		t.Errorf("a form with one line comes back as %d:\n%.2000s", res.StatusCode, page)
	}
}

func outsideConfirm(t *testing.T) {
	o, owner := serveOutside(t).make(2), visitor("127.0.0.1")
	o.enter(owner, "/b/"+o.board+"/own/"+o.token)
	_, page := o.do(owner, "GET", "/b/"+o.board+"/owner", nil)
	if at := strings.Index(page, "/owner/close"); at < 0 || strings.LastIndex(page[:at], "<details") <= strings.LastIndex(page[:at], "</details") {
		t.Errorf("the button that closes the board is not behind another:\n%.2000s", page)
	}
}
