package telemetry

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// writePrometheus writes the metrics of a reader in the text format, version 0.0.4, with the names from
// OpenTelemetry's specification of compatibility with Prometheus. The official exporter needs protobuf; see
// spanExporter.
func writePrometheus(ctx context.Context, w io.Writer, reader *metric.ManualReader) error {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		return fmt.Errorf("collect the metrics: %w", err)
	}
	out := bufio.NewWriter(w)
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			writeMetric(out, m)
		}
	}
	return out.Flush()
}

// units are the suffixes of names, by OpenTelemetry's unit.
var units = map[string]string{"s": "_seconds"}

func writeMetric(w *bufio.Writer, m metricdata.Metrics) {
	name := identifier(m.Name) + units[m.Unit]
	head := func(kind string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, m.Description, name, kind) }
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		if data.IsMonotonic {
			name += "_total"
			head("counter")
		} else {
			head("gauge")
		}
		for _, p := range data.DataPoints {
			fmt.Fprintf(w, "%s%s %d\n", name, labels(p.Attributes), p.Value)
		}
	case metricdata.Histogram[float64]:
		head("histogram")
		for _, p := range data.DataPoints {
			var sum uint64
			for i, n := range p.BucketCounts {
				sum += n
				bound := "+Inf"
				if i < len(p.Bounds) {
					bound = number(p.Bounds[i])
				}
				fmt.Fprintf(w, "%s_bucket%s %d\n", name, labels(p.Attributes, `le="`+bound+`"`), sum)
			}
			fmt.Fprintf(w, "%s_sum%s %s\n%s_count%s %d\n", name, labels(p.Attributes), number(p.Sum), name,
				labels(p.Attributes), p.Count)
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// identifier converts a name to one that Prometheus accepts.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// escape escapes a value in the format.
var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func labels(set attribute.Set, more ...string) string {
	var list []string
	for _, a := range set.ToSlice() {
		list = append(list, identifier(string(a.Key))+`="`+escape.Replace(a.Value.String())+`"`)
	}
	if list = append(list, more...); len(list) == 0 {
		return ""
	}
	return "{" + strings.Join(list, ",") + "}"
}
