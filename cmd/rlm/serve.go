package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
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

	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

const serveHelp = `Show sessions and runs in a browser, and work at them there: the same notebook as 'rlm chat', for several people and pages at once.

One address is printed; its token lets a browser in once and then leaves the address. The server listens on this machine only. New
sessions are over PATH…; a page can add files below these folders and no others. Port and token are kept, so that an open page goes on
by itself after a restart; --new-token replaces the token and locks out all that it let in.

Batches of 'rlm batch' are shown live under "Batches", with --nats those of a fleet; they are seen by who started the server, not by its users.

Programs speak to the same server with the token as their key: OpenAI's API below /v1, its own below /api/v1, by requests or a WebSocket, and
agents the Model Context Protocol at /mcp.

Without a model cells run and what is recorded can be read.`

// serving is how a server is started.
type serving struct {
	listen           string
	hosts            []string
	insecure         bool
	newToken, noOpen bool
	json, demo       bool
	maxRuns          int
	cert, key        string
	at               string // the page to open, below the address
	queue            elsewhere
	logging          logging
	log              *slog.Logger // nil: nothing is logged
}

func (a *app) serveCommand() *cobra.Command {
	var how serving
	cmd := &cobra.Command{
		Use:     "serve [PATH…]",
		Short:   "Show sessions in a browser and work at them there",
		Long:    serveHelp,
		Example: "  rlm serve logs/\n  rlm serve --json --no-open --listen 127.0.0.1:0",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.serve(cmd, how, args) },
	}
	f := cmd.Flags()
	f.StringVar(&how.listen, "listen", "", "address to listen on, port 0 for any free one (default the loopback, with the port of the last time)")
	f.StringArrayVar(&how.hosts, "host", nil, "another name of this server, besides those of the loopback (repeatable)")
	f.BoolVar(&how.insecure, "insecure", false, "allow an address that others can reach, without encryption")
	f.BoolVar(&how.newToken, "new-token", false, "replace the token and lock out all that it let in")
	f.BoolVar(&how.noOpen, "no-open", false, "do not open a browser")
	f.BoolVar(&how.json, "json", false, `print one line {"url":…,"token":…} instead of the address`)
	f.BoolVar(&how.demo, "demo", false, "open the recorded demo and play it: no model, no key")
	f.IntVar(&how.maxRuns, "max-runs", 4, "questions that are answered at once; others wait")
	f.StringVar(&how.cert, "tls-cert", "", "file with the certificate for an address that others can reach")
	f.StringVar(&how.key, "tls-key", "", "file with the certificate's key")
	how.queue.flags(f)
	how.logging.flags(f)
	a.sessionFlags(cmd)
	cmd.AddCommand(a.usersCommand())
	return cmd
}

func (a *app) serve(cmd *cobra.Command, how serving, paths []string) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	inputs, err := sessionInputs(paths)
	if err != nil {
		return err
	}
	folders, err := foldersOf(paths)
	if err != nil {
		return err
	}
	log, closeLog, err := how.logging.open(a.err)
	if err != nil {
		return err
	}
	how.log = log
	s, err := a.server(cmd.Context(), how, inputs, folders)
	if err != nil {
		return errors.Join(err, closeLog())
	}
	if how.demo {
		how.at = "demo"
	}
	if err := a.tellAddress(how, s); err != nil {
		return errors.Join(err, closeLog())
	}
	return errors.Join(s.Serve(cmd.Context()), closeLog())
}

// server makes a server that listens.
func (a *app) server(ctx context.Context, how serving, inputs []runner.Input, folders []string) (*server.Server, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	if err := how.queue.check(); err != nil {
		return nil, err
	}
	secured, err := how.secure(server.OpenUsers(data))
	if err != nil {
		return nil, err
	}
	cfg := server.Config{
		Models: a.served(), DataDir: data, Version: version(), Inputs: inputs, Folders: folders, Demo: a.servedDemo(),
		Batches: newServedBatches(data, how.queue), Hosts: how.hosts, NewToken: how.newToken, TLS: secured, Insecure: how.insecure, MaxRuns: how.maxRuns, Log: how.log,
	}
	cfg.Budgets, cfg.System = a.set.budgets(), a.set.System
	cfg.Call, cfg.SubCall = a.set.callSettings()
	var named sync.Mutex // of what the settings know of models
	cfg.Model = func(ctx context.Context, name string) (llm.Model, error) {
		named.Lock()
		defer named.Unlock()
		return a.otherModel(ctx, name)
	}
	a.observation.keep = true
	if t := a.observed(); t != nil {
		cfg.Metrics = t.WriteMetrics
	}
	cfg.Runner, err = a.runner(ctx, asking{})
	if missing := (*noModelError)(nil); errors.As(err, &missing) {
		cfg.NoModel = missing.Error()
		cfg.Runner, err = a.modelless(ctx, nil)
	} else {
		cfg.ModelName = a.set.Model
	}
	if err != nil {
		return nil, err
	}
	s, err := server.New(cfg)
	if err != nil {
		return nil, err
	}
	return s, s.Listen(how.listen)
}

// secure loads the certificate of an address that others can reach, and wants named users there.
func (how serving) secure(users *server.Users) (*tls.Config, error) {
	secured, err := how.certificate()
	if err != nil {
		return nil, err
	}
	reachable, err := how.reachable()
	if err != nil || !reachable {
		return secured, err
	}
	if secured == nil && !how.insecure {
		return nil, wrongUsage("others can reach %s, and what they send can be read on the way: use 127.0.0.1 and a tunnel (ssh -L), or --tls-cert and --tls-key, or say --insecure", how.listen)
	}
	all, err := users.List()
	if err == nil && len(all) == 0 {
		err = wrongUsage("others can reach %s: name who may come with 'rlm serve users add NAME' first", how.listen)
	}
	return secured, err
}

// certificate loads what the flags name; nil without them.
func (how serving) certificate() (*tls.Config, error) {
	if how.cert == "" && how.key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(how.cert, how.key)
	if err != nil {
		return nil, wrongUsage("--tls-cert and --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// reachable reports whether others can reach the address.
func (how serving) reachable() (bool, error) {
	if how.listen == "" {
		return false, nil
	}
	host, _, err := net.SplitHostPort(how.listen)
	if err != nil {
		return false, wrongUsage("--listen is HOST:PORT, for instance 127.0.0.1:8080: %w", err)
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback()), nil
}

// servedDemo is the recorded demo for pages.
func (a *app) servedDemo() *server.Demo {
	ex := examples()["incidents"]
	return &server.Demo{Question: strings.TrimSpace(ex.question), Begin: func(ctx context.Context) (*runner.Session, error) {
		r, err := a.demoRunner(ex)
		if err != nil {
			return nil, err
		}
		return r.NewSession(ctx, ex.inputs()...)
	}}
}

// foldersOf are the folders that a page may add files from: those that were named, and those of files that were.
func foldersOf(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(full)
		if err != nil {
			return nil, wrongUsage("%w", err)
		}
		if info.IsDir() {
			out = append(out, full)
		}
	}
	return out, nil
}

// served are the models that a page can choose from: those that the settings name.
func (a *app) served() []string {
	var out []string
	for _, name := range append([]string{a.set.Model, a.set.SubModel}, slices.Sorted(maps.Keys(a.set.Models))...) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// tellAddress prints where the server is, and opens a browser where there is one.
func (a *app) tellAddress(how serving, s *server.Server) error {
	if how.json {
		line, err := json.Marshal(struct {
			URL   string `json:"url"`
			Token string `json:"token"`
		}{s.URL(), s.Token()})
		if err == nil {
			_, err = fmt.Fprintln(a.out, string(line))
		}
		return err
	}
	address := s.URL() + how.at + "?token=" + url.QueryEscape(s.Token())
	if _, err := fmt.Fprintln(a.out, address); err != nil {
		return err
	}
	if !how.noOpen && a.err.Terminal() {
		openBrowser(address)
	}
	fmt.Fprintln(a.err, "Ctrl-C ends the server; sessions are kept")
	return nil
}

// openBrowser asks the desktop to show a page. Where there is none, the address that was printed is enough.
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
		go func() { _ = cmd.Wait() }() // it says what it has to say by itself
	}
}
