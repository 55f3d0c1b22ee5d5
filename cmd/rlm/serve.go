package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/examples/recorded"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/terminal/setup"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const serveHelp = `View sessions and runs in a browser and work on them: the same notebook as 'rlm chat', for several people and
pages at once.

It prints one address with a token, which logs a browser in once and is then removed from the address bar. By
default the server listens on this machine only. New sessions use PATH…; pages can add files only from below
these folders. The port and token are kept, so open pages reconnect after a restart; --new-token replaces the
token and locks out every browser that it let in.

Batches of 'rlm batch' are shown live under "Batches" (with --nats, a fleet's). Only the person who started
the server sees them, not its users.

Programs use the same server with the token as API key: the OpenAI API at /v1, rlm's own API at /api/v1 (HTTP
or WebSocket), and MCP at /mcp.

Without a model, you can still run cells and read recorded runs.`

// serveFlags are the flags of a server.
type serveFlags struct {
	listen           string
	hosts            []string
	basePath         string
	insecure         bool
	newToken, noOpen bool
	json, demo       bool
	maxRuns          int
	cert, key        string
	at               string                   // path of the page to open
	setUp            func(setup.Choice) error // stores the first model and restarts the server; nil if not allowed
	queue            fleetConn
	logging          logFlags
	log              *slog.Logger // nil: nothing is logged
}

func (l *launcher) serveCommand() *cobra.Command {
	var how serveFlags
	cmd := &cobra.Command{
		Use:     "serve [PATH…]",
		Short:   "View and work on sessions in a browser",
		Long:    serveHelp,
		Example: "  rlm serve logs/\n  rlm serve --json --no-open --listen 127.0.0.1:0",
		RunE:    func(cmd *cobra.Command, args []string) error { return l.serve(cmd, how, args) },
	}
	f := cmd.Flags()
	f.StringVar(&how.listen, "listen", "",
		"address to listen on, port 0 for any free one (default: loopback, with the port used last time)")
	f.StringArrayVar(&how.hosts, "host", nil, "additional host name of this server (repeatable)")
	f.StringVar(&how.basePath, "base-path", "",
		"path below which a proxy serves this server, such as /rlm (default: the proxy's X-Forwarded-Prefix)")
	f.BoolVar(&how.insecure, "insecure", false, "allow an address that others can reach, without encryption")
	f.BoolVar(&how.newToken, "new-token", false, "replace the token and lock out every browser that it let in")
	f.BoolVar(&how.noOpen, "no-open", false, "do not open a browser")
	f.BoolVar(&how.json, "json", false, `print one line {"url":…,"token":…} instead of the address`)
	f.BoolVar(&how.demo, "demo", false, "open the recorded demo and play it: no model, no key")
	f.IntVar(&how.maxRuns, "max-runs", 4, "maximum number of questions answered concurrently; others wait")
	f.StringVar(&how.cert, "tls-cert", "", "certificate file, for an address that others can reach")
	f.StringVar(&how.key, "tls-key", "", "private key file for --tls-cert")
	how.queue.flags(f)
	how.logging.flags(f)
	l.set.sessionFlags(cmd)
	cmd.AddCommand(l.usersCommand())
	return cmd
}

func (l *launcher) serve(cmd *cobra.Command, how serveFlags, paths []string) error {
	if err := l.set.ready(); err != nil {
		return err
	}
	inputs, err := sessionInputs(paths)
	if err != nil {
		return err
	}
	folders, files, err := reachable(paths)
	if err != nil {
		return err
	}
	log, closeLog, err := how.logging.open(l.err)
	if err != nil {
		return err
	}
	how.log = log
	if how.basePath = strings.TrimSuffix(how.basePath, "/"); how.basePath != "" && !api.IsBasePath(how.basePath) {
		return errors.Join(wrongUsage("--base-path must be a path such as /rlm, not %q", how.basePath), closeLog())
	}
	for first := true; ; first = false {
		again, err := l.serveOnce(cmd.Context(), &how, first, inputs, folders, files)
		if !again || err != nil {
			return errors.Join(err, closeLog())
		}
	}
}

// serveOnce serves until ctx is done or a model has been set up. again means that another server should replace
// this one at the same address, so that open pages continue to work.
func (l *launcher) serveOnce(
	ctx context.Context, how *serveFlags, first bool, inputs []runner.Input, folders, files []string) (
	again bool, err error,
) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var kept atomic.Bool
	if others, err := how.reachable(); err == nil && !others {
		how.setUp = func(c setup.Choice) error {
			_, err := l.keep(c)
			if err == nil {
				kept.Store(true)
				end()
			}
			return err
		}
	}
	s, err := l.server(ctx, *how, inputs, folders, files)
	if err != nil {
		return false, err
	}
	if first {
		if how.demo {
			how.at = "demo"
		}
		if err := l.tellAddress(*how, s); err != nil {
			return false, err
		}
	}
	at, err := url.Parse(s.URL())
	if err != nil {
		return false, err
	}
	how.listen, how.newToken = at.Host, false
	err = s.Serve(ctx)
	return kept.Load(), err
}

// server makes a server that listens.
func (l *launcher) server(
	ctx context.Context, how serveFlags, inputs []runner.Input, folders, files []string,
) (*api.Server, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	if err := how.queue.check(); err != nil {
		return nil, err
	}
	secured, err := how.secure(api.OpenUsers(data))
	if err != nil {
		return nil, err
	}
	var named sync.Mutex // guards the models of the settings
	cfg := api.Config{
		Models: l.set.served(), DataDir: data, Version: version(), Inputs: inputs, Folders: folders, Files: files,
		Demo:    l.servedDemo(&named),
		Batches: newServedBatches(data, how.queue), Hosts: how.hosts, BasePath: how.basePath, NewToken: how.newToken,
		TLS: secured, Insecure: how.insecure, MaxRuns: how.maxRuns, Log: how.log,
	}
	cfg.Budgets, cfg.System = l.set.budgets(), l.set.System
	cfg.Call, cfg.SubCall = l.set.callSettings()
	cfg.Model = func(ctx context.Context, name string) (llm.Model, error) {
		named.Lock()
		defer named.Unlock()
		return l.otherModel(ctx, name)
	}
	l.observation.keep = true
	if t := l.observed(); t != nil {
		cfg.Metrics = t.WriteMetrics
	}
	cfg.Runner, err = l.runner(ctx, askFlags{})
	if missing := (*noModelError)(nil); errors.As(err, &missing) {
		cfg.NoModel = missing.Error()
		if how.setUp != nil {
			cfg.SetUp, cfg.Offers = l.settingUp(how, &named), offered()
		}
		cfg.Runner, err = l.modelless(ctx, nil)
	} else {
		cfg.ModelName = l.set.Model
	}
	if err != nil {
		return nil, err
	}
	s, err := api.New(cfg)
	if err != nil {
		return nil, err
	}
	return s, s.Listen(how.listen)
}

// secure loads the certificate. An address that others can reach needs a certificate, unless --insecure is set, and
// named users.
func (how serveFlags) secure(users *api.Users) (*tls.Config, error) {
	secured, err := how.certificate()
	if err != nil {
		return nil, err
	}
	reachable, err := how.reachable()
	if err != nil || !reachable {
		return secured, err
	}
	if secured == nil && !how.insecure {
		return nil, wrongUsage("others can reach %s, and traffic to it is not encrypted: use 127.0.0.1 and a tunnel (ssh -L), --tls-cert and --tls-key, or --insecure", how.listen)
	}
	all, err := users.List()
	if err == nil && len(all) == 0 {
		err = wrongUsage("others can reach %s: first add the users who may connect with 'rlm serve users add NAME'", how.listen)
	}
	return secured, err
}

// certificate loads the certificate that the flags name; nil if they name none.
func (how serveFlags) certificate() (*tls.Config, error) {
	if how.cert == "" && how.key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(how.cert, how.key)
	if err != nil {
		return nil, wrongUsage("--tls-cert and --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// reachable reports whether other machines can reach the address.
func (how serveFlags) reachable() (bool, error) {
	if how.listen == "" {
		return false, nil
	}
	host, _, err := net.SplitHostPort(how.listen)
	if err != nil {
		return false, wrongUsage("--listen must be HOST:PORT, for example 127.0.0.1:8080: %w", err)
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback()), nil
}

// servedDemo returns the recorded demo that pages offer.
func (l *launcher) servedDemo(named *sync.Mutex) *api.Demo {
	ex := recorded.Examples()["incidents"]
	return &api.Demo{
		Question: strings.TrimSpace(ex.Question),
		Begin: func(ctx context.Context) (*runner.Session, error) {
			r, err := l.demoRunner(ex)
			if err != nil {
				return nil, err
			}
			return r.NewSession(ctx, ex.Inputs()...)
		}, Then: func(ctx context.Context) ([]runner.Option, error) {
			named.Lock()
			defer named.Unlock()
			m, err := l.models(ctx)
			if err != nil {
				return nil, nil // a question will report that there is no model
			}
			return []runner.Option{
				runner.WithModel(m.root), runner.WithSubModel(m.sub),
				runner.WithCallSettings(l.set.callSettings()),
			}, nil
		},
	}
}

// reachable returns the folders of paths, from which files can be added, and the files, which can be added too.
func reachable(paths []string) (folders, files []string, err error) {
	for _, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, nil, err
		}
		info, err := os.Stat(full)
		if err != nil {
			return nil, nil, wrongUsage("%w", err)
		}
		if info.IsDir() {
			folders = append(folders, full)
		} else {
			files = append(files, full)
		}
	}
	return folders, files, nil
}

// served returns the models to choose from on a page: those that the settings name.
func (s *settings) served() []string {
	var out []string
	for _, name := range append([]string{s.Model, s.SubModel}, slices.Sorted(maps.Keys(s.Models))...) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// tellAddress prints the server's address and, if allowed, opens a browser.
func (std streams) tellAddress(how serveFlags, s *api.Server) error {
	if how.json {
		line, err := json.Marshal(struct {
			URL   string `json:"url"`
			Token string `json:"token"`
		}{s.URL(), s.Token()})
		if err == nil {
			_, err = fmt.Fprintln(std.out, string(line))
		}
		return err
	}
	address := s.URL() + how.at + "?token=" + url.QueryEscape(s.Token())
	if _, err := fmt.Fprintln(std.out, address); err != nil {
		return err
	}
	if !how.noOpen && std.err.Terminal() {
		openBrowser(address)
	}
	fmt.Fprintln(std.err, "Ctrl-C ends the server; sessions are kept")
	return nil
}

// openBrowser opens a page in the desktop's browser. Without a desktop it does nothing: the address has been
// printed.
func openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // the browser reports its errors itself
	}
}

// logFlags are the flags for a server's log: destination, format and level. Without a destination, nothing is
// logged.
type logFlags struct {
	to, format, level string
}

func (l *logFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&l.to, "log", "",
		"log requests (who, which address and session, the outcome; never contents) to this file, or - for stderr (default: no log)")
	f.StringVar(&l.format, "log-format", "text", "text or json")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
}

// open makes the logger; nil without a destination. Call the function to close the log file.
func (l logFlags) open(stderr io.Writer) (*slog.Logger, func() error, error) {
	options := &slog.HandlerOptions{}
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, nil, wrongUsage("--log-level must be debug, info, warn or error, not %q", l.level)
	}
	options.Level = level
	if l.format != "text" && l.format != "json" {
		return nil, nil, wrongUsage("--log-format must be text or json, not %q", l.format)
	}
	to, closed := stderr, func() error { return nil }
	switch l.to {
	case "":
		return nil, closed, nil
	case "-":
	default:
		file, err := os.OpenFile(l.to, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log: %w", err)
		}
		to, closed = file, file.Close
	}
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(to, options)), closed, nil
	}
	return slog.New(slog.NewTextHandler(to, options)), closed, nil
}

// usersCommand manages the users of a server other than its owner.
func (std streams) usersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "users",
		Short: "Manage who else may use the server",
		Long: `Manage who else may use the server: each user has a token, and sees only their own sessions and those that are
shared. Tokens are shown once and stored as hashes. A running server notices changes.`,
		Args: noArgs, // otherwise "users remove bob" would print help and seem to succeed
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var limits api.Limits
	var diskMB int64
	add := &cobra.Command{
		Use: "add NAME", Short: "Add a user and print the token", Args: exactly(1),
		Example: "  rlm serve users add ann --max-cost-per-day 5 --max-runs 4",
		RunE: func(_ *cobra.Command, args []string) error {
			users, err := users()
			if err != nil {
				return err
			}
			limits.Disk = diskMB * 1_000_000
			token, err := users.Add(args[0], limits, time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.out, token)
			return err
		},
	}
	add.Flags().Float64Var(&limits.CostPerDay, "max-cost-per-day", 0,
		"USD that the user's questions may cost per UTC day, where prices are known (0: no limit)")
	add.Flags().IntVar(&limits.Runs, "max-runs", 0, "the user's questions at once, including waiting ones (0: no limit)")
	add.Flags().IntVar(&limits.Cells, "max-cells", 0, "the user's own cells at once; others wait (0: 4)")
	add.Flags().Int64Var(&diskMB, "max-disk", 0, "MB of disk space for the user's sessions and files (0: no limit)")
	cmd.AddCommand(add, &cobra.Command{
		Use: "ls", Short: "List the users", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			users, err := users()
			if err != nil {
				return err
			}
			all, err := users.List()
			for _, u := range all {
				if _, err := fmt.Fprintf(std.out, "%s\tadded %s%s\n", u.Name, u.Added.Local().Format(time.DateOnly),
					limited(u.Limits)); err != nil {
					return err
				}
			}
			return err
		},
	}, &cobra.Command{
		Use: "rm NAME", Short: "Remove a user; the token stops working, sessions stay", Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			users, err := users()
			if err != nil {
				return err
			}
			return users.Remove(args[0])
		},
	})
	return cmd
}

func users() (*api.Users, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	return api.OpenUsers(data), nil
}

// limited describes the limits of a user.
func limited(l api.Limits) (text string) {
	if l.CostPerDay > 0 {
		text += "\tat most " + units.Dollars(l.CostPerDay) + " a day"
	}
	if l.Runs > 0 {
		text += "\tat most " + units.Of(l.Runs, "question") + " at once"
	}
	if l.Cells > 0 {
		text += "\tat most " + units.Of(l.Cells, "cell") + " at once"
	}
	if l.Disk > 0 {
		text += "\tat most " + units.Bytes(l.Disk) + " on disk"
	}
	return text
}
