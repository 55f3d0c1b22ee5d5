package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/telemetry"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/spf13/pflag"
)

// launcher makes the runners for the settings, with their models, tools and workers.
type launcher struct {
	streams
	*modelSet
	starter     *sandbox.Starter // starts the workers of all runs
	observation telemetryFlags
	servers     *mcp.Servers     // servers whose tools cells can call; nil if there are none
	read        terminal.Reading // progress of reading the context
}

// close releases the resources of runs, and sends pending telemetry.
func (l *launcher) close() {
	if err := l.observation.of.Close(context.Background()); err != nil {
		fmt.Fprintf(l.err, "rlm: warning: %v\n", err)
	}
	l.starter.Close()
	if l.servers != nil {
		l.servers.Close()
	}
}

// telemetryFlags is the telemetry of the process, started with the first run.
type telemetryFlags struct {
	once sync.Once
	of   *telemetry.Telemetry // nil: nothing is observed
	keep bool                 // collect metrics even if none are sent
}

// options returns the runner's options for the settings, including telemetry.
func (l *launcher) options() []runner.Option {
	return append(append(l.set.options(), host.Starter(l.starter)), l.observing()...)
}

// observing returns the options for telemetry.
func (l *launcher) observing() []runner.Option {
	if t := l.observed(); t != nil {
		return []runner.Option{runner.WithEvents(t.Read)}
	}
	return nil
}

// underSpan returns a context below the span in the environment, for work that other processes do for this command.
func underSpan(ctx context.Context) context.Context {
	return host.UnderSpan(ctx, os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE"))
}

// observed returns the telemetry that the environment asks for; nil if there is none. If a variable is invalid, it
// prints a warning, and nothing is sent.
func (l *launcher) observed() *telemetry.Telemetry {
	o := &l.observation
	o.once.Do(func() {
		c := telemetry.Config{
			Version: version(), Metrics: o.keep, Provider: providerOf, Address: l.addressOf, Getenv: os.Getenv,
		}
		t, err := telemetry.Start(context.Background(), c)
		if err != nil {
			fmt.Fprintf(l.err, "rlm: warning: no traces or metrics are sent: %v\n", err)
			c.Getenv = func(string) string { return "" }
			t, err = telemetry.Start(context.Background(), c)
		}
		if err == nil {
			o.of = t
		}
	})
	return o.of
}

// providerOf returns the provider in a model's name; "" if there is none.
func providerOf(model string) string {
	name, _, ok := strings.Cut(model, "/")
	if !ok {
		return ""
	}
	for _, p := range llm.Providers() {
		if p.Name == name {
			return name
		}
	}
	return ""
}

// displayFlags control how a run is shown.
type displayFlags struct {
	quiet, verbose, json, events bool
}

func (s *displayFlags) flags(f *pflag.FlagSet) {
	inGroup(f, groupShow, func() {
		f.BoolVarP(&s.quiet, "quiet", "q", false, "no progress on stderr")
		f.BoolVarP(&s.verbose, "verbose", "v", false,
			"show the model's cells and what they print on stderr, as they run")
		f.BoolVar(&s.json, "json", false, "print one JSON object with the result instead of the answer")
		f.BoolVar(&s.events, "events", false,
			"print every event as a line of JSON as it happens, instead of the answer")
	})
}

func (s displayFlags) check() error {
	switch {
	case s.quiet && s.verbose:
		return wrongUsage("--quiet and --verbose cannot be used together")
	case s.json && s.events:
		return wrongUsage("--json prints one object, --events one per event: choose one")
	}
	return nil
}

// follow shows a run as it happens and prints its result. The error has the exit code.
func (l *launcher) follow(ctx context.Context, how displayFlags, events iter.Seq2[trajectory.Event, error]) error {
	runs, _ := runsDir() // without a folder, nothing is recorded
	return terminal.Follow(ctx, l.shown(how, runs), events)
}

// shown returns the options for showing a run. runs is the folder of the runs; "" for a run of a server.
func (l *launcher) shown(how displayFlags, runs string) terminal.Options {
	o := terminal.Options{
		Out: l.out, Err: l.err, Quiet: how.quiet, Verbose: how.verbose, Events: how.events, Reading: &l.read,
		RunsDir: runs,
		Resume:  func(run string) string { return "rlm resume " + run }, Key: l.set.keyAndPlace,
		Meant: func() string { return l.set.servedMeant(l.set.Model) },
	}
	if how.json {
		o.Result = func(res runner.Result) any {
			if session, _, _ := strings.Cut(res.RunID, "."); session != "" && runs != "" {
				res.Trajectory = logPath(filepath.Join(runs, session))
			}
			return resultOf(res)
		}
	}
	return o
}

// keyAndPlace describes where the model's key and endpoint come from.
func (s *settings) keyAndPlace() string {
	t, err := s.resolver().Resolve(context.Background(), s.Model)
	if err != nil || len(t.Provider.KeyEnv) == 0 || t.Provider.Name == "openai" {
		return "OPENAI_API_KEY and --base-url"
	}
	return cmp.Or(t.KeyFrom, t.Provider.KeyEnv[0])
}
