package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"palate/store"
	"palate/store/storetest"
)

// place makes a schema of its own within the database to test with, and returns
// its address.
func place(t *testing.T) string {
	t.Helper()
	dsn := os.Getenv("PALATE_POSTGRES")
	if dsn == "" {
		t.Skip("PALATE_POSTGRES is not set: no server to test with")
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := connect(u.String())
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("palate_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

func opened(t *testing.T, at string) (store.Store, string) {
	if at == "" {
		at = place(t)
	}
	st, err := Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return st, at
}

func TestStore(t *testing.T) { storetest.Run(t, opened) }

func TestMigrations(t *testing.T) {
	entries, err := files.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Migrations(t, len(entries), func(t *testing.T, version int) (*sql.DB, string) {
		at := place(t)
		db, err := connect(at)
		if err == nil {
			err = migrate(t.Context(), db, int64(version))
		}
		if err != nil {
			t.Fatal(err)
		}
		return db, at
	}, opened)
}

// TestVersion3 opens tables that were written before there were ballots.
func TestVersion3(t *testing.T) {
	at := place(t)
	script, err := os.ReadFile("testdata/version3.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.PgConn().Exec(t.Context(), string(script)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	st, _ := opened(t, at)
	defer st.Close()
	storetest.Version3(t, st)
}

// TestStartTogether opens one empty place several times at once.
func TestStartTogether(t *testing.T) {
	at := place(t)
	errs := make(chan error)
	for range 3 {
		go func() {
			st, err := Open(t.Context(), at)
			if err == nil {
				err = st.Close()
			}
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestReadOnly makes the transactions of a database read-only for a while. It is a
// database of its own: tests of other packages use the server at the same time.
func TestReadOnly(t *testing.T) {
	at := place(t)
	admin, err := connect(at)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	name := fmt.Sprintf("palate_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	do("CREATE DATABASE " + name)
	defer do("DROP DATABASE " + name + " WITH (FORCE)")
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	u.Path, u.RawQuery = name, ""
	st, err := Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	set := func(only string) func() {
		return func() {
			do("ALTER DATABASE " + name + " SET default_transaction_read_only = " + only)
			do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'") // so that they connect anew
		}
	}
	storetest.Outage(t, st, set("on"), set("off"))
}

// TestAway puts a relay before the server and takes it away for a while.
func TestAway(t *testing.T) {
	at := place(t)
	c, err := pgx.ParseConfig(at)
	if err != nil {
		t.Fatal(err)
	}
	if c.Host[0] == '/' {
		t.Skip("the server is on a socket")
	}
	r := &relay{to: net.JoinHostPort(c.Host, fmt.Sprint(c.Port)), address: "127.0.0.1:0"}
	r.start(t)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = r.address
	st, err := Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	defer r.stop()
	storetest.Outage(t, st, r.stop, func() { r.start(t) })
}

// relay passes connections on to a server.
type relay struct {
	to, address string
	mu          sync.Mutex
	listener    net.Listener
	open        []net.Conn
}

func (r *relay) start(t *testing.T) {
	l, err := net.Listen("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.listener, r.address = l, l.Addr().String()
	r.mu.Unlock()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", r.to)
			if err != nil {
				in.Close()
				continue
			}
			r.mu.Lock()
			r.open = append(r.open, in, out)
			r.mu.Unlock()
			go io.Copy(in, out)
			go io.Copy(out, in)
		}
	}()
}

func (r *relay) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener.Close()
	for _, c := range r.open {
		c.Close()
	}
	r.open = nil
}
