package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/server"
	"palate/server/web"
)

// client is the command that talks to a server, with a subcommand for each verb.
type client struct {
	server, board, voter string
	json                 bool
	out                  string
}

func newClient() *cobra.Command {
	c := &client{}
	cmd := &cobra.Command{
		Use:   "client",
		Short: "Talk to a server of boards: create, ask, tell, board, export",
		Long: `Use a server that palate serve runs from a script. The server is that of --server
or PALATE_SERVER; the board that of --board or PALATE_BOARD; and the secret that
palate client create prints, or a token of the board, is taken from PALATE_TOKEN.`,
		Example: `  palate client create lunch.txt
  palate client ask --voter ann
  palate client tell QUESTION left --voter ann
  palate client board`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&c.server, "server", cmp.Or(os.Getenv("PALATE_SERVER"), "http://127.0.0.1:8080"), "`ADDRESS` of the server")
	f.StringVar(&c.board, "board", os.Getenv("PALATE_BOARD"), "`ID` of the board")
	for _, sub := range []*cobra.Command{c.create(), c.show(), c.ask(), c.tell(), c.undo(), c.rank(), c.predict(), c.export(), c.importing(), c.closing(true), c.closing(false), c.newToken()} {
		cmd.AddCommand(sub)
	}
	return cmd
}

func (c *client) remote() *remote { return newRemote(c.server, os.Getenv("PALATE_TOKEN")) }

// at returns the path of something of the board.
func (c *client) at(what string) (string, error) {
	if c.board == "" {
		return "", cli.Usage("which board? Say --board or set PALATE_BOARD")
	}
	return "/api/boards/" + url.PathEscape(c.board) + what, nil
}

// do calls the server about the board and prints what it says.
func (c *client) do(cmd *cobra.Command, method, what string, in any) error {
	path, err := c.at(what)
	if err != nil {
		return err
	}
	var out json.RawMessage
	if err := c.remote().call(cmd.Context(), method, path, in, &out); err != nil {
		return err
	}
	return printJSON(cmd.OutOrStdout(), out)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func (c *client) create() *cobra.Command {
	var in web.CreateJSON
	cmd := &cobra.Command{
		Use: "create ITEMS", Short: "Make a board of the lines, or the table, in a file", Args: cli.Needs(1, 1, "a file of items"),
		RunE: func(cmd *cobra.Command, args []string) error {
			items, err := readItems(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(items) < 2 {
				return fmt.Errorf("%s has %s: it takes two to compare", args[0], count(len(items), "item"))
			}
			for _, i := range items {
				in.Items = append(in.Items, web.ItemJSON{ID: i.ID, Kind: string(i.Kind), Body: i.Body, URL: i.URL, Image: i.Image, Features: i.Features})
			}
			var made web.CreatedJSON
			if err := c.remote().call(cmd.Context(), http.MethodPost, "/api/boards", in, &made); err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), made)
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.Title, "title", "", "`TITLE` of the board")
	f.StringVar(&in.Question, "question", "", "`QUESTION` that voters are asked; \"Which is better?\" when left out")
	f.StringVar(&in.Access, "access", "open", "`WHO` may vote: open, private, sso")
	completes(cmd, "access", "open", "private", "sso")
	f.BoolVar(&in.Public, "public", false, "let everybody see the leaderboard")
	f.StringVar(&in.Settings.Goal, "goal", "ranking", "`GOAL` of the votes: ranking, top-first, best, top-K, personal, coverage")
	goalFlag(cmd, "personal", "coverage")
	f.StringVar(&in.Settings.Ask, "ask", "pairs", "`HOW` voters are asked: pairs, choice, best-worst, ranking")
	completes(cmd, "ask", "pairs", "choice", "best-worst", "ranking")
	f.IntVar(&in.Settings.Size, "size", 4, "`NUMBER` of items at a time, 3 to 8, unless in pairs")
	f.Float64Var(&in.Settings.Explore, "explore", 0.1, "`SHARE` of random pairs")
	f.IntVar(&in.Settings.Novice, "novice", 0, "`NUMBER` of a voter's first votes that are spared near-ties")
	return cmd
}

// readItems reads lines, a table, or pictures: what the name says it is.
func readItems(ctx context.Context, path string) ([]server.NewItem, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return readPictures(path)
	}
	in, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	name := ""
	if ingest.FormatOf(in.path) != "" {
		name = in.path
	}
	items, err := server.ReadItems(ctx, name, in)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "server: "+server.ErrInvalid.Error()+": "))
	}
	return items, nil
}

func readPictures(folder string) ([]server.NewItem, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var items []server.NewItem
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		items = append(items, server.NewItem{ID: f.Name(), Kind: "image", Body: f.Name(), Image: b})
	}
	return items, nil
}

func (c *client) show() *cobra.Command {
	return &cobra.Command{Use: "show", Short: "Describe a board", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return c.do(cmd, http.MethodGet, "", nil)
	}}
}

func (c *client) ask() *cobra.Command {
	cmd := &cobra.Command{Use: "ask", Short: "Ask for the next question", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return c.do(cmd, http.MethodPost, "/ask", web.VoterJSON{Voter: c.voter})
	}}
	cmd.Flags().StringVar(&c.voter, "voter", "", "`NAME` of the voter it is for")
	return cmd
}

func (c *client) tell() *cobra.Command {
	var in web.AnswerJSON
	var order string
	cmd := &cobra.Command{
		Use: "tell QUESTION [left|right|tie|skip]", Short: "Tell the answer to a question", Args: cli.Needs(1, 2, "the question, or its answer,"),
		Long: `Tell the answer to a question: about two items left, right, tie or skip, about several skip,
or what is asked for, the best, the best and the worst, or the order.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Voter, in.Question = c.voter, args[0]
			if len(args) == 2 {
				in.Outcome = args[1]
			}
			if order != "" {
				var err error
				if in.Order, err = ingest.ReadSet(order); err != nil {
					return cli.Usage("--order: %w", err)
				}
			}
			return c.do(cmd, http.MethodPost, "/tell", in)
		},
	}
	cmd.Flags().StringVar(&c.voter, "voter", "", "`NAME` of the voter who answers")
	cmd.Flags().StringVar(&in.Best, "best", "", "`ITEM` that is the best of several")
	cmd.Flags().StringVar(&in.Worst, "worst", "", "`ITEM` that is the worst of several")
	cmd.Flags().StringVar(&order, "order", "", "several `ITEMS`, the best first, with | between")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "`WHY` it is skipped")
	return cmd
}

func (c *client) undo() *cobra.Command {
	cmd := &cobra.Command{Use: "undo", Short: "Take a voter's last answer back", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return c.do(cmd, http.MethodPost, "/undo", web.VoterJSON{Voter: c.voter})
	}}
	cmd.Flags().StringVar(&c.voter, "voter", "", "`NAME` of the voter")
	return cmd
}

func (c *client) rank() *cobra.Command {
	var group string
	cmd := &cobra.Command{Use: "board", Short: "Show the leaderboard", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		what := "/board?" + url.Values{"voter": {c.voter}, "group": {group}}.Encode()
		if c.json {
			return c.do(cmd, http.MethodGet, what, nil)
		}
		path, err := c.at(what)
		if err != nil {
			return err
		}
		var b web.LeaderboardJSON
		if err := c.remote().call(cmd.Context(), http.MethodGet, path, nil, &b); err != nil {
			return err
		}
		return writeLeaderboard(cmd.OutOrStdout(), b)
	}}
	cmd.Flags().StringVar(&c.voter, "voter", "", "the ranking of the voter with this `NAME`")
	cmd.Flags().StringVar(&group, "group", "", "the ranking of this `GROUP` of voters")
	cmd.Flags().BoolVar(&c.json, "json", false, "print JSON")
	return cmd
}

func writeLeaderboard(w io.Writer, b web.LeaderboardJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "rank\tscore\tlo\thi\tp_best\ttier\tvotes\t  item\n")
	for _, r := range b.Rows {
		fmt.Fprintf(t, "%d\t%+.2f\t%+.2f\t%+.2f\t%.2f\t%d\t%.0f\t  %s\n", r.Rank, r.Score, r.Lo, r.Hi, r.PBest, r.Tier, r.Votes, r.Item)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	waits := ""
	if b.Pending > 0 {
		waits = fmt.Sprintf(", %d of them since the last fit", b.Pending)
	}
	_, err := fmt.Fprintf(w, "%s by %s%s. %s\n", count(b.Votes, "vote"), count(b.Voters, "voter"), waits, b.Says)
	return err
}

func (c *client) predict() *cobra.Command {
	cmd := &cobra.Command{Use: "predict LEFT RIGHT", Short: "The chance that one item beats another", Args: cli.Needs(2, 2, "an item"), RunE: func(cmd *cobra.Command, args []string) error {
		return c.do(cmd, http.MethodGet, "/predict?"+url.Values{"left": {args[0]}, "right": {args[1]}, "voter": {c.voter}}.Encode(), nil)
	}}
	cmd.Flags().StringVar(&c.voter, "voter", "", "to the voter with this `NAME`")
	return cmd
}

func (c *client) export() *cobra.Command {
	var log bool
	var format string
	cmd := &cobra.Command{Use: "export", Short: "Export votes and skips", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if format == "" {
			format = cmp.Or(ingest.FormatOf(c.out), "csv")
		}
		path, err := c.at("/export?" + url.Values{"format": {format}, "log": {fmt.Sprint(log)}}.Encode())
		if err != nil {
			return err
		}
		out, err := cli.Create(c.out)
		if err != nil {
			return err
		}
		defer out.Discard()
		if err := c.fetch(cmd.Context(), path, out); err != nil {
			return err
		}
		return out.Commit(cmd.Context())
	}}
	f := cmd.Flags()
	f.StringVarP(&c.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&format, "format", "", "`FORMAT`, when the name does not tell: "+strings.Join(ingest.WriteFormats(), ", "))
	completes(cmd, "format", ingest.WriteFormats()...)
	f.BoolVar(&log, "log", false, "every record as it is stored, undone votes too")
	return cmd
}

func (c *client) fetch(ctx context.Context, path string, to io.Writer) error {
	body, err := c.remote().send(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(to, body)
	return err
}

func (c *client) importing() *cobra.Command {
	var skipBad bool
	var columns titles
	var format string
	cmd := &cobra.Command{Use: "import VOTES", Short: "Import a file of votes, and wait until they are stored", Args: cli.Needs(1, 1, "a file of votes"), RunE: func(cmd *cobra.Command, args []string) error {
		board, err := c.at("")
		if err != nil {
			return err
		}
		in, err := open(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.close()
		i, err := c.remote().importFile(cmd.Context(), board, url.Values{"name": {filepath.Base(args[0])}, "skip_bad": {fmt.Sprint(skipBad)}, "columns": {columns.String()}, "time_format": {format}}, in, nil)
		if err != nil {
			return err
		}
		return printJSON(cmd.OutOrStdout(), i)
	}}
	cmd.Flags().BoolVar(&skipBad, "skip-bad", false, "pass rows over that cannot be read, in place of taking nothing")
	columns.flags(cmd)
	timeFormatFlag(cmd, &format)
	return cmd
}

func (c *client) closing(closed bool) *cobra.Command {
	use, short := "open", "Open the voting again"
	if closed {
		use, short = "close", "End the voting"
	}
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return c.do(cmd, http.MethodPatch, "", map[string]bool{"closed": closed})
	}}
}

func (c *client) newToken() *cobra.Command {
	return &cobra.Command{Use: "token NAME SCOPE...", Short: "Make a token for a program, with the scopes vote, read, export, import", Args: cli.Needs(2, 10, "a name or a scope"), RunE: func(cmd *cobra.Command, args []string) error {
		return c.do(cmd, http.MethodPost, "/tokens", map[string]any{"name": args[0], "scopes": args[1:]})
	}}
}
