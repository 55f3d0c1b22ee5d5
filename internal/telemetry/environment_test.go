package telemetry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/telemetry"
)

// Exports are tested in the separate module in the folder collector.

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

func TestNothingIsSentUnlessTheEnvironmentSaysWhere(t *testing.T) {
	for _, env := range [][]string{
		nil,
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:1", "OTEL_SDK_DISABLED=true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:1", "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"},
	} {
		tel, err := telemetry.Start(t.Context(), telemetry.Config{Getenv: environment(env...)})
		require.NoError(t, err)
		require.Nil(t, tel)
		require.NoError(t, tel.Close(t.Context()))
	}
}

func TestVariablesThatMakeNoSenseAreNamed(t *testing.T) {
	for env, says := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318": "OTEL_EXPORTER_OTLP_ENDPOINT is not the address",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc":           "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=soon":     "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=soon",
		"OTEL_EXPORTER_OTLP_COMPRESSION=zip":         "OTEL_EXPORTER_OTLP_COMPRESSION=zip",
		"OTEL_TRACES_EXPORTER=zipkin":                "OTEL_TRACES_EXPORTER=zipkin",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere":    "OTEL_EXPORTER_OTLP_CERTIFICATE",
	} {
		_, err := telemetry.Start(t.Context(),
			telemetry.Config{Getenv: environment(env, "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318")})
		require.ErrorContains(t, err, says)
	}
	_, err := telemetry.Start(t.Context(), telemetry.Config{Getenv: environment(
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS=sk-secret")})
	require.ErrorContains(t, err, "header 1 must be written as name=value")
	require.NotContains(t, err.Error(), "sk-secret")
}
