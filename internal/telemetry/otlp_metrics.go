package telemetry

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

type otlpMetrics struct {
	Resources []otlpResourceMetrics `json:"resourceMetrics"`
}

type otlpResourceMetrics struct {
	Resource otlpResource       `json:"resource"`
	Scopes   []otlpScopeMetrics `json:"scopeMetrics"`
}

type otlpScopeMetrics struct {
	Scope   otlpScope    `json:"scope"`
	Metrics []otlpMetric `json:"metrics"`
}

// otlpMetric has a sum or a histogram.
type otlpMetric struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Unit        string    `json:"unit,omitempty"`
	Sum         *otlpData `json:"sum,omitempty"`
	Histogram   *otlpData `json:"histogram,omitempty"`
}

type otlpData struct {
	Points      []otlpPoint `json:"dataPoints"`
	Temporality int         `json:"aggregationTemporality"`
	Monotonic   bool        `json:"isMonotonic,omitempty"`
}

type otlpPoint struct {
	Attributes []otlpAttribute `json:"attributes,omitempty"`
	Start      string          `json:"startTimeUnixNano"`
	Time       string          `json:"timeUnixNano"`
	Int        string          `json:"asInt,omitempty"`
	Count      string          `json:"count,omitempty"`
	Sum        *float64        `json:"sum,omitempty"`
	Buckets    []string        `json:"bucketCounts,omitempty"`
	Bounds     []float64       `json:"explicitBounds,omitempty"`
	Min        *float64        `json:"min,omitempty"`
	Max        *float64        `json:"max,omitempty"`
}

// cumulative is OTLP's number for the temporality of all metrics here.
const cumulative = 2

// metricExporter sends metrics; see spanExporter.
type metricExporter struct{ to *sender }

// Temporality is cumulative, from the start of the process.
func (metricExporter) Temporality(k metric.InstrumentKind) metricdata.Temporality {
	return metric.DefaultTemporalitySelector(k)
}

// Aggregation is the SDK's default: instruments define their bounds.
func (metricExporter) Aggregation(k metric.InstrumentKind) metric.Aggregation {
	return metric.DefaultAggregationSelector(k)
}

// Export sends metrics.
func (e metricExporter) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	out := otlpResourceMetrics{Resource: resourceOf(all.Resource), Scopes: []otlpScopeMetrics{}}
	for _, s := range all.ScopeMetrics {
		list := otlpScopeMetrics{Scope: scopeOf(s.Scope), Metrics: []otlpMetric{}}
		for _, m := range s.Metrics {
			if one, ok := metricOf(m); ok {
				list.Metrics = append(list.Metrics, one)
			}
		}
		out.Scopes = append(out.Scopes, list)
	}
	if len(out.Scopes) == 0 {
		return nil
	}
	return e.to.send(ctx, otlpMetrics{[]otlpResourceMetrics{out}})
}

// ForceFlush does nothing: nothing is buffered.
func (metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing.
func (metricExporter) Shutdown(context.Context) error { return nil }

// metricOf converts a metric of the kinds that this package uses.
func metricOf(m metricdata.Metrics) (out otlpMetric, ok bool) {
	out = otlpMetric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		out.Sum = &otlpData{Temporality: cumulative, Monotonic: data.IsMonotonic}
		for _, p := range data.DataPoints {
			out.Sum.Points = append(out.Sum.Points, otlpPoint{
				Attributes: setOf(p.Attributes), Start: nanos(p.StartTime), Time: nanos(p.Time),
				Int: strconv.FormatInt(p.Value, 10),
			})
		}
		return out, true
	case metricdata.Histogram[float64]:
		out.Histogram = &otlpData{Temporality: cumulative}
		for _, p := range data.DataPoints {
			out.Histogram.Points = append(out.Histogram.Points, histogramOf(p))
		}
		return out, true
	}
	return out, false
}

func histogramOf(p metricdata.HistogramDataPoint[float64]) otlpPoint {
	point := otlpPoint{
		Attributes: setOf(p.Attributes), Start: nanos(p.StartTime), Time: nanos(p.Time),
		Count: strconv.FormatUint(p.Count, 10), Sum: &p.Sum, Bounds: p.Bounds,
	}
	for _, n := range p.BucketCounts {
		point.Buckets = append(point.Buckets, strconv.FormatUint(n, 10))
	}
	if v, ok := p.Min.Value(); ok {
		point.Min = &v
	}
	if v, ok := p.Max.Value(); ok {
		point.Max = &v
	}
	return point
}

func setOf(s attribute.Set) []otlpAttribute { return attributesOf(s.ToSlice()) }
