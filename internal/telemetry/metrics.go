package telemetry

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Bounds of histograms. Those for calls of models are the conventions'.
var (
	tokenBounds = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	callBounds  = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	runBounds   = []float64{0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	costBounds  = []float64{0.0001, 0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100}
	turnsBounds = []float64{1, 2, 3, 5, 8, 13, 21, 34}
	cellBounds  = []float64{0.001, 0.01, 0.1, 1, 10, 60, 600}
)

// instruments are the metrics. A nil value measures nothing.
type instruments struct {
	tokens, calls, first     metric.Float64Histogram
	runs, turns, cost, cells metric.Float64Histogram
	active                   metric.Int64UpDownCounter
	subCalls                 metric.Int64Counter
}

func newInstruments(p metric.MeterProvider, version string) (*instruments, error) {
	m := p.Meter(scope, metric.WithInstrumentationVersion(version))
	var errs []error
	histogram := func(name, unit, what string, bounds []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(
			name, metric.WithUnit(unit), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(bounds...))
		errs = append(errs, err)
		return h
	}
	i := &instruments{
		tokens: histogram("gen_ai.client.token.usage", "{token}", "Tokens used by a model call.", tokenBounds),
		calls: histogram("gen_ai.client.operation.duration", "s", "Duration of a model call, including retries.",
			callBounds),
		first: histogram("gen_ai.client.operation.time_to_first_chunk", "s",
			"Time to the first piece of a streamed reply.", callBounds),
		runs:  histogram("rlm.run.duration", "s", "Duration of a run.", runBounds),
		turns: histogram("rlm.run.turns", "{turn}", "Turns in a run.", turnsBounds),
		cost: histogram("rlm.run.cost", "{USD}",
			"Cost of a run, including its sub-calls and child runs, where known.", costBounds),
		cells: histogram("rlm.cell.duration", "s", "Duration of a cell, including its sub-calls.", cellBounds),
	}
	var err error
	i.active, err = m.Int64UpDownCounter(
		"rlm.run.active", metric.WithUnit("{run}"), metric.WithDescription("Runs in progress, without child runs."))
	errs = append(errs, err)
	i.subCalls, err = m.Int64Counter(
		"rlm.sub_calls", metric.WithUnit("{call}"), metric.WithDescription("Calls that cells make to models and tools."))
	return i, errors.Join(append(errs, err)...)
}

func (i *instruments) started(root bool) {
	if i != nil && root {
		i.active.Add(context.Background(), 1)
	}
}

func (i *instruments) left(root bool) {
	if i != nil && root {
		i.active.Add(context.Background(), -1)
	}
}

func (i *instruments) ended(root bool, d trajectory.RunEnded, took time.Duration) {
	if i == nil || !root {
		return
	}
	i.left(true)
	by := metric.WithAttributes(
		attribute.String("rlm.run.status", d.Status), attribute.Bool("rlm.answered", d.HasAnswer))
	i.runs.Record(context.Background(), took.Seconds(), by)
	i.turns.Record(context.Background(), float64(d.Turns), by)
	if d.Cost != nil {
		i.cost.Record(context.Background(), *d.Cost, by)
	}
}

// called measures a call of a model; failed is the kind of its failure.
func (i *instruments) called(names []attribute.KeyValue, model, failed string, u trajectory.Usage, took time.Duration) {
	if i == nil {
		return
	}
	names = slices.Clone(names)
	if model != "" {
		names = append(names, attribute.String("gen_ai.response.model", model))
	}
	if failed == "" {
		for kind, n := range map[string]int64{"input": u.Prompt, "output": u.Completion} {
			i.tokens.Record(context.Background(), float64(n),
				metric.WithAttributes(append(slices.Clone(names), attribute.String("gen_ai.token.type", kind))...))
		}
	} else {
		names = append(names, attribute.String("error.type", failed))
	}
	i.calls.Record(context.Background(), took.Seconds(), metric.WithAttributes(names...))
}

func (i *instruments) firstToken(names []attribute.KeyValue, after time.Duration) {
	if i != nil {
		i.first.Record(context.Background(), after.Seconds(), metric.WithAttributes(names...))
	}
}

func (i *instruments) cell(ok, own bool, took time.Duration) {
	if i != nil {
		i.cells.Record(context.Background(), took.Seconds(),
			metric.WithAttributes(attribute.Bool("rlm.ok", ok), attribute.Bool("rlm.own", own)))
	}
}

func (i *instruments) subCall(impl string, cached, failed bool) {
	if i != nil {
		i.subCalls.Add(context.Background(), 1, metric.WithAttributes(attribute.String("rlm.builtin", impl),
			attribute.Bool("rlm.cached", cached), attribute.Bool("rlm.failed", failed)))
	}
}
