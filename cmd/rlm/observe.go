package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/telemetry"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// observation is the telemetry of the program, begun with the first run.
type observation struct {
	once sync.Once
	of   *telemetry.Telemetry // nil: nothing is observed
	keep bool                 // keep metrics, also where none are sent
}

// options are those of the settings, for runs that can be observed from outside.
func (a *app) options() []runner.Option {
	return append(append(a.set.options(), runner.WithStarter(a.starter)), a.observing()...)
}

// observing are the options that let runs be observed.
func (a *app) observing() []runner.Option {
	if t := a.observed(); t != nil {
		return []runner.Option{runner.WithEvents(t.Read)}
	}
	return nil
}

// underSpan is a context below the span that the environment names, for what is run elsewhere on behalf of this command.
func underSpan(ctx context.Context) context.Context {
	return runner.UnderSpan(ctx, os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE"))
}

// observed is the telemetry that the environment asks for; nil for none. A variable that makes no sense is told, and nothing is sent.
func (a *app) observed() *telemetry.Telemetry {
	o := &a.observation
	o.once.Do(func() {
		c := telemetry.Config{Version: version(), Metrics: o.keep, Provider: providerOf, Getenv: os.Getenv}
		t, err := telemetry.Start(context.Background(), c)
		if err != nil {
			fmt.Fprintf(a.err, "rlm: warning: no traces and metrics are sent: %v\n", err)
			c.Getenv = func(string) string { return "" }
			t, err = telemetry.Start(context.Background(), c)
		}
		if err == nil {
			o.of = t
		}
	})
	return o.of
}

// closeObserved sends what waits to be sent.
func (a *app) closeObserved() {
	if err := a.observation.of.Close(context.Background()); err != nil {
		fmt.Fprintf(a.err, "rlm: warning: %v\n", err)
	}
}

// providerOf is who a model is asked from, as far as its name tells.
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
