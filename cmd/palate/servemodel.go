package main

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"palate/internal/atomicfile"
	"palate/server"
	"palate/server/web"
)

// ofBoards are the flags of serve that are about boards.
func ofBoards() []string {
	return []string{"db", "admin", "sso-issuer", "sso-client", "sso-secret", "key", "key-file", "key-in-database", "frames", "webhooks", "webhooks-private", "votes-per-minute", "duty"}
}

// serveModel serves a model file alone.
func (s *serve) serveModel(cmd *cobra.Command, o server.Options) error {
	if err := without(cmd, ofBoards(), "with --model there are no boards"); err != nil {
		return err
	}
	file, err := server.OpenModel(cmd.Context(), s.model, server.ModelOptions{Log: o.Log, Tokens: s.tokens, RequestsPerMinute: s.requests})
	if err != nil {
		return err
	}
	listener, at, err := s.listener()
	if err != nil {
		return err
	}
	defer listener.Close()
	about := file.About()
	fmt.Fprintf(cmd.OutOrStdout(), "%s answers at %s/api/model: a %s model of %s. Ctrl-C stops.\n", s.model, at, about.Model, count(about.Items, "item"))
	host, _, _ := net.SplitHostPort(s.address)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	if len(s.tokens) == 0 && !local {
		fmt.Fprintln(cmd.OutOrStdout(), "Whoever reaches this address may ask; set PALATE_TOKENS to change that.")
	}
	if s.addressFile != "" {
		if err := atomicfile.Write(s.addressFile, []byte(at)); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(cmd.Context())
	var watching sync.WaitGroup
	watching.Go(func() { file.Watch(ctx) })
	defer watching.Wait()
	defer stop()
	return listen(ctx, listener, o.Log, web.ModelHandler(file, web.Options{Log: o.Log, URL: s.url, Proxies: s.proxies, TLS: s.certificate != "", Local: local && len(s.tokens) == 0 && s.url == ""}), func() {})
}
