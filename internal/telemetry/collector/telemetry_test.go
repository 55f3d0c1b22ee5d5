// Package collector_test reads the output of telemetry with OpenTelemetry's own collector and with Prometheus. It
// is a separate module because these bring in gRPC and protobuf.
package collector_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/gorlm/rlm/internal/telemetry"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// collector receives requests as OpenTelemetry's own collector does.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []ptrace.Span
	metrics map[string]pmetric.Metric
	about   map[string]any
	headers http.Header
	refuse  int // number of requests to answer with 503 first
	err     error
}

func newCollector(t *testing.T) *collector {
	c := &collector{metrics: map[string]pmetric.Metric{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse > 0 {
		c.refuse--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	c.headers = r.Header
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, c.err = gzip.NewReader(r.Body)
	}
	text, err := io.ReadAll(body)
	switch r.URL.Path {
	case "/v1/traces":
		traces := ptraceotlp.NewExportRequest()
		if err == nil {
			err = traces.UnmarshalJSON(text)
		}
		for _, rs := range traces.Traces().ResourceSpans().All() {
			c.about = rs.Resource().Attributes().AsRaw()
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					c.spans = append(c.spans, s)
				}
			}
		}
	case "/v1/metrics":
		metrics := pmetricotlp.NewExportRequest()
		if err == nil {
			err = metrics.UnmarshalJSON(text)
		}
		for _, rm := range metrics.Metrics().ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					c.metrics[m.Name()] = m
				}
			}
		}
	}
	if err != nil {
		c.err = err
		w.WriteHeader(http.StatusBadRequest)
	}
}

// named returns the spans with the given name.
func (c *collector) named(name string) (out []ptrace.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name() == name {
			out = append(out, s)
		}
	}
	return out
}

// one returns the only span with the given name.
func (c *collector) one(t *testing.T, name string) ptrace.Span {
	t.Helper()
	all := c.named(name)
	require.Len(t, all, 1, name)
	return all[0]
}

// script is a model that answers turns from a list, and all sub-calls with the same text.
type script struct {
	turns []string
	mu    sync.Mutex
	next  int
}

func (*script) Name() string { return "openai/gpt-test" }

func (s *script) Generate(_ context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	reply := "the sub-reply"
	if req.Messages[0].Role == "system" && len(req.Messages) > 1 {
		s.mu.Lock()
		reply = s.turns[s.next]
		s.next++
		s.mu.Unlock()
	}
	if reply == "fail" {
		return llm.Response{}, &llm.Error{Kind: llm.ErrAuth, Message: "the key is wrong"}
	}
	if on != nil {
		on(llm.Delta{Content: reply})
	}
	return llm.Response{
		Content: reply, Model: "gpt-test-2", FinishReason: "stop",
		Usage: llm.Usage{Prompt: 120, Completion: 30, Cached: 100},
	}, nil
}

// environment returns a replacement of os.Getenv with these "name=value" pairs.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if n, v, _ := strings.Cut(p, "="); n == name {
				return v
			}
		}
		return ""
	}
}

// starter is shared by all runners, so that a runner can use the spare worker of an earlier one.
var starter = sandbox.NewStarter()

// observe runs one question with telemetry, and then closes the telemetry.
func observe(t *testing.T, c telemetry.Config, turns []string, opts ...runner.Option) {
	t.Helper()
	tel, err := telemetry.Start(t.Context(), c)
	require.NoError(t, err)
	ask(t, tel, turns, opts...)
	require.NoError(t, tel.Close(t.Context()))
}

func ask(t *testing.T, tel *telemetry.Telemetry, turns []string, opts ...runner.Option) {
	t.Helper()
	r, err := runner.New(&script{turns: turns},
		append([]runner.Option{
			runner.WithDataDir(t.TempDir()), runner.WithEvents(tel.Read), host.Starter(starter),
		}, opts...)...)
	require.NoError(t, err)
	_, err = r.Answer(t.Context(), "what is the secret question", runner.Text("notes", "some text"))
	if turns[len(turns)-1] != "fail" {
		require.NoError(t, err)
	}
}

var working = []string{
	"```go\nfmt.Println(\"looking\")\n```",
	"```go\nr := llm_query_batched([]string{\"a\", \"b\"})\n```",
	"```go\npanic(\"no\")\n```",
	"```go\nFINAL(r[0])\n```",
}

func TestARunIsATrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	observe(t, telemetry.Config{
		Version: "v1.2.3", Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL),
		Provider: func(string) string { return "openai" },
		Address:  func(string) string { return "https://models.test/v1" },
	}, working)
	require.NoError(t, c.err)
	require.Equal(t, "rlm", c.about["service.name"])
	require.Equal(t, "v1.2.3", c.about["service.version"])

	top := c.one(t, "invoke_agent rlm")
	require.True(t, top.ParentSpanID().IsEmpty())
	require.Equal(t, "completed", top.Attributes().AsRaw()["rlm.run.status"])
	require.EqualValues(t, 4, top.Attributes().AsRaw()["rlm.run.turns"])
	for _, s := range c.spans {
		require.Equal(t, top.TraceID(), s.TraceID(), s.Name())
		require.GreaterOrEqual(t, s.EndTimestamp(), s.StartTimestamp(), s.Name())
		require.GreaterOrEqual(t, s.StartTimestamp(), top.StartTimestamp(), s.Name())
		require.LessOrEqual(t, s.EndTimestamp(), top.EndTimestamp(), s.Name())
	}
	turn := c.one(t, "turn 2")
	require.Equal(t, top.SpanID(), turn.ParentSpanID())
	cells := c.named("execute_tool cell")
	require.Len(t, cells, 4)
	require.Equal(t, turn.SpanID(), cells[1].ParentSpanID())
	require.Equal(t, ptrace.StatusCodeError, cells[2].Status().Code())
	require.Equal(t, ptrace.StatusCodeUnset, cells[1].Status().Code())

	chats := c.named("chat gpt-test")
	require.Len(t, chats, 6, "four turns and two sub-calls")
	below := 0
	for _, s := range chats {
		require.Equal(t, ptrace.SpanKindClient, s.Kind())
		a := s.Attributes().AsRaw()
		require.Equal(t, "chat", a["gen_ai.operation.name"])
		require.Equal(t, "openai", a["gen_ai.provider.name"])
		require.Equal(t, "models.test", a["server.address"])
		require.EqualValues(t, 443, a["server.port"])
		require.Equal(t, "gpt-test", a["gen_ai.request.model"])
		require.Equal(t, "gpt-test-2", a["gen_ai.response.model"])
		require.EqualValues(t, 120, a["gen_ai.usage.input_tokens"])
		require.EqualValues(t, 30, a["gen_ai.usage.output_tokens"])
		require.EqualValues(t, 100, a["gen_ai.usage.cache_read.input_tokens"])
		require.Equal(t, []any{"stop"}, a["gen_ai.response.finish_reasons"])
		if s.ParentSpanID() == cells[1].SpanID() {
			below++
		}
	}
	require.Equal(t, 2, below, "sub-calls are below the cell that made them")

	tokens := c.metrics["gen_ai.client.token.usage"].Histogram().DataPoints()
	require.Equal(t, 2, tokens.Len(), "input and output")
	require.EqualValues(t, 6, tokens.At(0).Count())
	require.EqualValues(t, 6*120+6*30, tokens.At(0).Sum()+tokens.At(1).Sum())
	require.EqualValues(t, 1, c.metrics["rlm.run.duration"].Histogram().DataPoints().At(0).Count())
	require.EqualValues(t, 4, c.metrics["gen_ai.client.operation.time_to_first_chunk"].Histogram().DataPoints().At(
		0).Count(), "replies of turns are streamed")
	require.EqualValues(t, 0, c.metrics["rlm.run.active"].Sum().DataPoints().At(0).IntValue())
	require.EqualValues(t, 2, c.metrics["rlm.sub_calls"].Sum().DataPoints().At(0).IntValue())
}

func TestNothingOfWhatIsSaidIsSentUnlessAskedFor(t *testing.T) {
	t.Parallel()
	words := []string{"secret question", "looking", "sub-reply", "llm_query_batched"}
	for _, sent := range []bool{false, true} {
		c := newCollector(t)
		observe(t, telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL,
			fmt.Sprint("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=", sent))}, working)
		var all strings.Builder
		for _, s := range c.spans {
			fmt.Fprintln(&all, s.Name(), s.Attributes().AsRaw(), s.Status().Message())
			for _, ev := range s.Events().All() {
				fmt.Fprintln(&all, ev.Name(), ev.Attributes().AsRaw())
			}
		}
		for _, w := range words {
			require.Equal(t, sent, strings.Contains(all.String(), w), w)
		}
	}
}

func TestAChildRunIsBelowTheCallThatItAnswers(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	observe(t, telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + c.URL + "/v1/traces")},
		[]string{
			"```go\nx := rlm_query(\"look\", context)\n```", "```go\nFINAL(\"child\")\n```",
			"```go\nFINAL(x)\n```",
		})
	runs := c.named("invoke_agent rlm")
	require.Len(t, runs, 2)
	call := c.one(t, "rlm_query")
	require.Equal(t, call.SpanID(), runs[0].ParentSpanID(), "the child ends first")
	require.NotContains(t, runs[0].Attributes().AsRaw(), "gen_ai.usage.input_tokens",
		"what it used is a part of the root's")
	require.EqualValues(t, 3*120, runs[1].Attributes().AsRaw()["gen_ai.usage.input_tokens"])
	require.Equal(t, c.named("execute_tool cell")[1].SpanID(), call.ParentSpanID())
	require.Empty(t, c.metrics)
}

func TestAToolOfAnMCPServerNamesIt(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	tools := func(context.Context) ([]runner.OutsideTool, error) {
		return []runner.OutsideTool{{
			Server: "weather", Name: "forecast", Doc: "says how it will be", Input: []byte(`{"type":"object"}`),
			Call: func(context.Context, json.RawMessage, runner.DocumentReader) (runner.OutsideResult, error) {
				return runner.OutsideResult{Value: []byte(`"rain"`)}, nil
			},
		}}, nil
	}
	observe(t, telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL)},
		[]string{"```go\nfmt.Println(forecast())\n```", "```go\nFINAL(1)\n```"}, runner.WithOutsideTools(tools))
	call := c.one(t, "execute_tool forecast").Attributes().AsRaw()
	require.Equal(t, "weather", call["rlm.mcp.server"])
	require.Equal(t, "tools/call", call["mcp.method.name"])
	require.NotContains(t, c.named("execute_tool cell")[0].Attributes().AsRaw(), "mcp.method.name")
}

func TestAFailedRunIsAnError(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	observe(t, telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL)}, []string{"fail"})
	top := c.one(t, "invoke_agent rlm")
	require.Equal(t, ptrace.StatusCodeError, top.Status().Code())
	require.Equal(t, "auth", top.Attributes().AsRaw()["error.type"])
}

func TestARunBelongsToTheTraceThatAsksForIt(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, c := range map[string]struct {
		env  string
		opts []runner.Option
	}{
		"environment": {"TRACEPARENT=" + parent, nil},
		"metadata":    {"X=", []runner.Option{runner.WithMetadata([]byte(`{"traceparent":"` + parent + `"}`))}},
		"request": {
			"TRACEPARENT=00-11111111111111111111111111111111-2222222222222222-01",
			[]runner.Option{runner.WithMetadata([]byte(`{"span":{"traceparent":"` + parent +
				`"},"traceparent":"00-33333333333333333333333333333333-4444444444444444-01"}`))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := newCollector(t)
			observe(t, telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT="+to.URL, c.env)},
				[]string{"```go\nFINAL(1)\n```"}, c.opts...)
			top := to.one(t, "invoke_agent rlm")
			require.Equal(t, "0af7651916cd43dd8448eb211c80319c", top.TraceID().String())
			require.Equal(t, "b7ad6b7169203331", top.ParentSpanID().String())
		})
	}
}

func TestACollectorThatIsBusyIsAskedAgain(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	c.refuse = 1
	observe(t, telemetry.Config{
		Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
			"OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b,x=y"),
	}, []string{"```go\nFINAL(1)\n```"})
	c.one(t, "invoke_agent rlm")
	require.Equal(t, "a b", c.headers.Get("api-key"))
	require.Equal(t, "gzip", c.headers.Get("Content-Encoding"))
}

func TestACollectorThatIsNotThereCostsNoRun(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	tel, err := telemetry.Start(
		t.Context(), telemetry.Config{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT=" + gone.URL)})
	require.NoError(t, err)
	ask(t, tel, []string{"```go\nFINAL(1)\n```"})
	require.ErrorContains(t, tel.Close(t.Context()), "sending traces or metrics to "+gone.URL)
}

func TestMetricsArePrometheus(t *testing.T) {
	t.Parallel()
	tel, err := telemetry.Start(t.Context(), telemetry.Config{Metrics: true, Getenv: environment()})
	require.NoError(t, err)
	ask(t, tel, working)
	var page bytes.Buffer
	require.NoError(t, tel.WriteMetrics(t.Context(), &page))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&page)
	require.NoError(t, err)
	calls := families["gen_ai_client_operation_duration_seconds"]
	require.NotNil(t, calls, page.String())
	require.EqualValues(t, 6, calls.Metric[0].Histogram.GetSampleCount())
	require.EqualValues(t, 2, families["rlm_sub_calls_total"].Metric[0].Counter.GetValue())
	require.EqualValues(t, 0, families["rlm_run_active"].Metric[0].Gauge.GetValue())
	require.NoError(t, tel.Close(t.Context()))
}
