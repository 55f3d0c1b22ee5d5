// Package telemetry converts the events of runs to OpenTelemetry: a trace for each run, with a span for each turn,
// call of a model, cell and tool, and metrics over all runs. Names follow OpenTelemetry's conventions for
// generative AI; other names begin with "rlm.".
//
// Nothing is sent unless OTEL_EXPORTER_OTLP_ENDPOINT (or the variable for traces or for metrics alone) names a
// collector. The contents of runs (questions, prompts, replies, cells and their output) are sent only if
// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is "true".
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/gorlm/rlm/runner/trajectory"
)

// scope identifies the creator of the spans and metrics.
const scope = "github.com/gorlm/rlm"

// Config configures telemetry beyond the environment.
type Config struct {
	// Version is the version of the program.
	Version string
	// Metrics enables WriteMetrics.
	Metrics bool
	// Provider returns the conventions' name for the provider of a model, such as "openai". If it is nil, or
	// returns "", the provider is omitted.
	Provider func(model string) string
	// Address returns the base URL of a model's endpoint. If it is nil, or returns "", the server is omitted.
	Address func(model string) string
	// Getenv reads the environment.
	Getenv func(string) string
}

// Telemetry observes runs. It is safe for concurrent use. A nil one observes nothing.
type Telemetry struct {
	tracer   trace.Tracer
	parent   trace.SpanContext // parent of all runs, from the environment
	content  bool              // the contents of runs are sent, too
	provider func(string) string
	address  func(string) string
	metrics  *instruments

	// Functions keep the types of the SDK out of this one: the compiler would compile the SDK's generic code again
	// in each package that imports this one.
	stop  []func(context.Context) error          // send what remains; the senders have the errors
	pages func(context.Context, io.Writer) error // for WriteMetrics; nil: no metrics are collected
	sent  []*sender
}

// Start observes runs as configured by the environment and c. It returns nil if there is nothing to observe. The
// error is for a variable with an invalid value. The caller must close the result.
func Start(ctx context.Context, c Config) (*Telemetry, error) {
	env, err := readEnvironment(c.Getenv)
	if err != nil {
		return nil, err
	}
	if env.traces == nil && env.metrics == nil && !c.Metrics {
		return nil, nil
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "rlm"), attribute.String("service.version", c.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("reading OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &Telemetry{
		parent: env.parent, content: env.content, provider: c.Provider, address: c.Address, tracer: noop.Tracer{},
	}
	if env.traces != nil {
		to := newSender(*env.traces)
		t.sent = append(t.sent, to)
		traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spanExporter{to}), sdktrace.WithResource(about))
		t.stop = append(t.stop, traces.Shutdown)
		t.tracer = traces.Tracer(scope, trace.WithInstrumentationVersion(c.Version))
	}
	options := []metric.Option{metric.WithResource(about)}
	if env.metrics != nil {
		to := newSender(*env.metrics)
		t.sent = append(t.sent, to)
		options = append(options, metric.WithReader(metric.NewPeriodicReader(metricExporter{to})))
	}
	if c.Metrics {
		pages := metric.NewManualReader()
		options = append(options, metric.WithReader(pages))
		t.pages = func(ctx context.Context, w io.Writer) error { return writePrometheus(ctx, w, pages) }
	}
	if len(options) > 1 {
		meters := metric.NewMeterProvider(options...)
		t.stop = append(t.stop, meters.Shutdown)
		if t.metrics, err = newInstruments(meters, c.Version); err != nil {
			return nil, errors.Join(fmt.Errorf("making the metrics: %w", err), t.Close(ctx))
		}
	}
	// The SDK would print errors to stderr; Close returns them.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	return t, nil
}

// Read observes one session through its events, until they end; see runner.WithEvents.
func (t *Telemetry) Read(session string, events iter.Seq[trajectory.Event]) {
	if t == nil {
		return
	}
	o := &observer{
		t: t, session: session, runs: map[string]*run{}, calls: map[trajectory.CallKey]*call{},
		children: map[string]context.Context{},
	}
	for ev := range events {
		o.add(ev)
	}
	o.close()
}

// WriteMetrics writes all metrics in Prometheus's text format.
func (t *Telemetry) WriteMetrics(ctx context.Context, w io.Writer) error {
	if t == nil || t.pages == nil {
		return errors.New("no metrics are collected")
	}
	return t.pages(ctx, w)
}

// closing bounds how long a collector that does not answer can delay the end of the program.
const closing = 3 * time.Second

// Close sends the remaining data. The error describes what could not be sent, now or earlier; it is no reason for a
// program to fail.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	for _, stop := range t.stop {
		_ = stop(ctx)
	}
	var errs []error
	for _, s := range t.sent {
		errs = append(errs, s.failure())
	}
	return errors.Join(errs...)
}

// remote returns the span in a "traceparent"; the zero value if there is none.
func remote(traceparent, tracestate string) trace.SpanContext {
	carrier := propagation.MapCarrier{"traceparent": traceparent, "tracestate": tracestate}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
}
