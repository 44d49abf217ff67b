package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"palate/internal/atomicfile"
	"palate/internal/cli"
	"palate/server"
	"palate/server/ui"
	"palate/server/web"
	"palate/store"
	"palate/store/postgres"
	"palate/store/sqlite"
)

// serve is the command that runs the server.
type serve struct {
	address, database, url, addressFile string
	config, certificate, privateKey     string
	issuer, clientID, clientSecret      string
	admin                               string
	frames, hooks                       []string
	hooksPrivate                        bool
	votes, requests, proxies            int
	duty                                float64
	json, verbose, quiet                bool
	model                               string   // a file that is served alone
	tokens                              []string // of those who may ask it
	signing                             signing
}

func newServe() *cobra.Command {
	s := &serve{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a voting page and a live leaderboard",
		Long: `Serve boards: lists of things that people vote on in pairs. Open the address it
prints in a browser, paste a list, and share the link. Each voter is asked the most
useful pair; the leaderboard moves with every vote and says how sure it is.

Boards and votes are kept in the file of --db, which is created when it is not there,
or in PostgreSQL, which several servers can share. A vote is on disk before it is
acknowledged.

To let others reach it, put a proxy with HTTPS before it and say --url, or give it a
certificate of its own with --tls-cert and --tls-key. An --url with a path, as
https://example.org/vote, serves everything below that path.

Every flag is also a variable of the environment, as PALATE_VOTES_PER_MINUTE is
--votes-per-minute, and a line of the file of --config: votes-per-minute = 240. A flag
counts before a variable, and that before the file. Secrets belong there and not among
flags, which others on the machine can see: PALATE_ADMIN, which whoever makes a board must
then know, PALATE_SSO_SECRET, by which the identity provider knows this server, and
PALATE_KEY, by which cookies and private links are signed. Without it the key is a file
that only you can read, so that a copy of the database is not enough to sign. Servers that
share a database have the same key.

With --model, a model file answers programs over HTTP, and nothing else is served: chances
of pairs, what voters like best, both also for somebody new by a few votes. The file is
only read; when another is put in its place, that one answers from then on. PALATE_TOKENS
are the tokens, with commas between, of which a request must then have one.`,
		Example: `  palate serve
  palate serve --addr :80 --url https://vote.example.org --proxies 1
  palate serve --addr :443 --tls-cert cert.pem --tls-key key.pem
  palate serve --db postgres://palate@localhost/palate
  palate serve --config /etc/palate.conf
  palate serve --model tastes.palate`,
		Args:        cobra.NoArgs,
		RunE:        s.run,
		Annotations: map[string]string{cli.InOrder: "true"},
	}
	f := cmd.Flags()
	f.StringVar(&s.config, "config", "", "`FILE` of settings, a line each: name = value, by the names of flags")
	f.StringVar(&s.address, "addr", "127.0.0.1:8080", "listen on this `ADDRESS`")
	f.StringVar(&s.database, "db", "palate.db", "`FILE` to keep boards in, or the address of a PostgreSQL database")
	f.StringVar(&s.model, "model", "", "serve this model `FILE` alone, for programs: no boards, no database")
	f.StringSliceVar(&s.tokens, "tokens", nil, "with --model, the `TOKEN` that a request must have, or several with commas between (better as PALATE_TOKENS)")
	f.StringVar(&s.url, "url", "", "`ADDRESS` at which people reach the server, as https://vote.example.org or https://example.org/vote")
	f.StringVar(&s.certificate, "tls-cert", "", "`FILE` with the certificate, to serve HTTPS (and --tls-key)")
	f.StringVar(&s.privateKey, "tls-key", "", "`FILE` with the key of the certificate")
	f.StringSliceVar(&s.frames, "frames", nil, "`ADDRESSES` of sites that may show the pages in frames, as https://example.org (none)")
	f.StringSliceVar(&s.hooks, "webhooks", nil, "`ADDRESSES` of machines that boards may tell what happens, as hooks.example.org, *.example.org or * (none)")
	f.BoolVar(&s.hooksPrivate, "webhooks-private", false, "let webhooks reach this machine and private networks, and do without HTTPS")
	f.StringVar(&s.admin, "admin", "", "`TOKEN` without which nobody makes boards (better as PALATE_ADMIN)")
	f.IntVar(&s.proxies, "proxies", 0, "`NUMBER` of proxies before it, whose X-Forwarded-For is believed")
	f.StringVar(&s.issuer, "sso-issuer", "", "`ADDRESS` of an OpenID Connect provider, for boards with access by SSO")
	f.StringVar(&s.clientID, "sso-client", "", "`ID` of this server at the provider")
	f.StringVar(&s.clientSecret, "sso-secret", "", "`TOKEN` by which the provider knows this server (better as PALATE_SSO_SECRET)")
	f.StringVar(&s.signing.word, "key", "", "`TOKEN` that signs cookies, of at least 32 bytes (better as PALATE_KEY)")
	f.StringVar(&s.signing.file, "key-file", "", "`FILE` with the key that signs cookies, made when it is not there (else a file in your configuration folder)")
	f.BoolVar(&s.signing.inDatabase, "key-in-database", false, "keep the key in the database, for whoever can read that")
	f.IntVar(&s.votes, "votes-per-minute", 240, "`NUMBER` of times that one voter may ask and answer (-1: without limit)")
	f.IntVar(&s.requests, "requests-per-minute", 3000, "`NUMBER` of requests that one address may make (-1: without limit)")
	f.Float64Var(&s.duty, "duty", 0.25, "`SHARE` of one processor that fits in the background may take")
	f.StringVar(&s.addressFile, "address-file", "", "write the address to this `FILE` once it listens, for scripts")
	f.BoolVar(&s.json, "json", false, "write logs as JSON")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "log every request")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "log warnings only")
	return cmd
}

func (s *serve) log() *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch {
	case s.verbose:
		o.Level = slog.LevelDebug
	case s.quiet:
		o.Level = slog.LevelWarn
	}
	if s.json {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}

func (s *serve) options() (server.Options, error) {
	o := server.Options{
		Log: s.log(), Admin: s.admin, VotesPerMinute: s.votes, RequestsPerMinute: s.requests, Duty: s.duty,
	}
	switch {
	case !(s.duty > 0 && s.duty <= 1):
		return o, cli.Usage("--duty %g is not a share", s.duty)
	case s.proxies < 0:
		return o, cli.Usage("--proxies %d is negative", s.proxies)
	case s.votes == 0 || s.requests == 0:
		return o, cli.Usage("with --votes-per-minute %d and --requests-per-minute %d nobody could vote; -1 is without limit", s.votes, s.requests)
	}
	if (s.issuer == "") != (s.clientID == "") {
		return o, cli.Usage("--sso-issuer and --sso-client go together")
	}
	if s.issuer != "" {
		o.SSO = &server.SSO{Issuer: s.issuer, ClientID: s.clientID, ClientSecret: s.clientSecret}
	}
	if err := web.CheckURL(s.url); err != nil {
		return o, cli.Usage("--url %s: %v", s.url, err)
	}
	if (s.certificate == "") != (s.privateKey == "") {
		return o, cli.Usage("--tls-cert and --tls-key go together")
	}
	if len(s.hooks) > 0 {
		o.Webhooks = server.Webhooks{Hosts: s.hooks, Private: s.hooksPrivate}
		o.Webhooks.Send = web.Poster(o.Webhooks)
	}
	for _, host := range s.hooks {
		if err := server.CheckHost(host); err != nil {
			return o, cli.Usage("--webhooks %s: %v", host, err)
		}
	}
	for _, site := range s.frames {
		if err := web.CheckFrame(site); err != nil {
			return o, cli.Usage("--frames %s: %v", site, err)
		}
	}
	return o, nil
}

// isPostgres tells the address of a database from a file.
func isPostgres(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// openStore opens a file or a database.
func openStore(ctx context.Context, name string) (store.Store, error) {
	if isPostgres(name) {
		return postgres.Open(ctx, name)
	}
	return sqlite.Open(ctx, name)
}

func (s *serve) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	if err := settleServe(cmd); err != nil {
		return err
	}
	o, err := s.options()
	if err != nil {
		return err
	}
	if s.model != "" {
		return s.serveModel(cmd, o)
	}
	if err := without(cmd, []string{"tokens"}, "it is about --model; boards have tokens of their own"); err != nil {
		return err
	}
	// First, as it fails most often, and a database stays behind.
	listener, at, err := s.listener()
	if err != nil {
		return err
	}
	defer listener.Close()
	st, err := openStore(ctx, s.database)
	if err != nil {
		return err
	}
	defer st.Close()
	key, note, err := s.signing.key(ctx, st)
	if err != nil {
		return err
	}
	if o.Key = key; note != "" {
		o.Log.Info(note)
	}
	svc, err := server.New(ctx, st, o)
	if errors.Is(err, server.ErrKey) {
		return fmt.Errorf("%w; servers of one database have one key: see --key-file, --key-in-database and PALATE_KEY", err)
	}
	if err != nil {
		return err
	}
	defer svc.Close()
	front := web.New(svc, web.Options{Log: o.Log, URL: s.url, Proxies: s.proxies, Frames: s.frames, TLS: s.certificate != ""})
	pages, err := ui.New(svc, front, ui.Options{Log: o.Log})
	if err != nil {
		return err
	}
	s.greet(cmd.OutOrStdout(), at, o.Admin != "")
	if s.addressFile != "" {
		if err := atomicfile.Write(s.addressFile, []byte(at)); err != nil {
			return err
		}
	}
	return listen(ctx, listener, o.Log, front.Handler(pages), svc.EndStreams)
}

// listener listens, with TLS where there is a certificate, and returns the address at which
// this machine reaches it.
func (s *serve) listener() (net.Listener, string, error) {
	secure, err := s.tls()
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return nil, "", fmt.Errorf("cannot listen on %s: %w; name another address with --addr", s.address, cli.Reason(err))
	}
	if secure != nil {
		return tls.NewListener(listener, secure), "https://" + reachable(listener.Addr()), nil
	}
	return listener, "http://" + reachable(listener.Addr()), nil
}

// tls returns how to serve HTTPS, nil without a certificate. The files are read again when
// they have changed, so that a certificate can be renewed while the server runs.
func (s *serve) tls() (*tls.Config, error) {
	if s.certificate == "" {
		return nil, nil
	}
	pair := &keyPair{certificate: s.certificate, key: s.privateKey}
	if _, err := pair.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: pair.get}, nil
}

// reachable returns an address for a browser on this machine: one that listens
// everywhere names no place.
func reachable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return a.String()
}

func (s *serve) greet(w io.Writer, at string, admin bool) {
	if s.url != "" {
		at = s.url
	}
	fmt.Fprintf(w, "Open %s in a browser to make a board. Votes are kept in %s. Ctrl-C stops.\n", at, withoutPassword(s.database))
	host, _, _ := net.SplitHostPort(s.address)
	if ip := net.ParseIP(host); !admin && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		fmt.Fprintln(w, "Whoever reaches this address may make boards; set PALATE_ADMIN to a secret to change that.")
	}
}

// withoutPassword leaves the password out of a database's address.
func withoutPassword(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	if _, host, found := strings.Cut(rest, "@"); found {
		rest = host
	}
	return scheme + "://" + rest
}

// listen serves until the context ends, then lets requests under way finish.
func listen(ctx context.Context, l net.Listener, log *slog.Logger, h http.Handler, ending func()) error {
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: connectionLog(log),
	}
	srv.RegisterOnShutdown(ending)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("some requests took more than ten seconds to end")
	}
	return err
}
