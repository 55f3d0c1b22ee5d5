package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// target is a collector that receives OTLP over HTTP.
type target struct {
	url     string
	shown   string // url without a password
	headers map[string]string
	timeout time.Duration // timeout of one request
	gzip    bool
	tls     *tls.Config // nil: the system's
}

// environment is the configuration in OpenTelemetry's variables.
type environment struct {
	traces, metrics *target // nil: not sent
	content         bool
	parent          trace.SpanContext
}

// readEnvironment reads the variables that OpenTelemetry defines for exporters (SDK configuration and OTLP
// exporter, version 1.40 of the specification). The SDK itself reads those for samplers, batches, limits and the
// resource.
func readEnvironment(getenv func(string) string) (environment, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return environment{}, nil
	}
	traces, err := targetOf(getenv, "TRACES", "v1/traces")
	if err != nil {
		return environment{}, err
	}
	metrics, err := targetOf(getenv, "METRICS", "v1/metrics")
	if err != nil {
		return environment{}, err
	}
	return environment{
		traces: traces, metrics: metrics,
		content: strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true"),
		parent:  remote(getenv("TRACEPARENT"), getenv("TRACESTATE")),
	}, nil
}

// targetOf returns the target of one signal; nil if it is not sent.
func targetOf(getenv func(string) string, signal, path string) (*target, error) {
	switch exporter := getenv("OTEL_" + signal + "_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return nil, nil
	default:
		return nil, fmt.Errorf("OTEL_%s_EXPORTER=%s: rlm supports otlp and none", signal, exporter)
	}
	// get reads the variable for the signal, or the one for all signals.
	get := func(name string) (value, variable string) {
		for _, variable = range []string{"OTEL_EXPORTER_OTLP_" + signal + "_" + name, "OTEL_EXPORTER_OTLP_" + name} {
			if value = strings.TrimSpace(getenv(variable)); value != "" {
				return value, variable
			}
		}
		return "", variable
	}
	endpoint, variable := get("ENDPOINT")
	if endpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is not the address of a collector, such as http://HOST:4318", variable)
	}
	if !strings.Contains(variable, signal) {
		u = u.JoinPath(path)
	}
	t := &target{url: u.String(), shown: u.Redacted(), timeout: 10 * time.Second}
	if protocol, variable := get("PROTOCOL"); protocol == "grpc" {
		return nil, fmt.Errorf("%s=grpc: rlm speaks OTLP over HTTP (port 4318 of most collectors)", variable)
	}
	if text, variable := get("TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%s=%s is not a number of milliseconds", variable, text)
		}
		t.timeout = time.Duration(n) * time.Millisecond
	}
	if text, variable := get("COMPRESSION"); text != "" && text != "none" && text != "gzip" {
		return nil, fmt.Errorf("%s=%s: use gzip or none", variable, text)
	} else {
		t.gzip = text == "gzip"
	}
	if text, variable := get("HEADERS"); text != "" {
		if t.headers, err = headersOf(text); err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
	}
	if t.tls, err = certificates(get); err != nil {
		return nil, err
	}
	return t, nil
}

// headersOf parses "name=value,name=value" with URL-encoded values. An error does not contain a value, which may
// be a key.
func headersOf(text string) (map[string]string, error) {
	headers := map[string]string{}
	for i, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("header %d must be written as name=value", i+1)
		}
		headers[name] = value
	}
	return headers, nil
}

// certificates returns the TLS configuration with trusted and client certificates from files.
func certificates(get func(string) (value, variable string)) (*tls.Config, error) {
	ca, caVariable := get("CERTIFICATE")
	cert, certVariable := get("CLIENT_CERTIFICATE")
	key, _ := get("CLIENT_KEY")
	if ca == "" && cert == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", caVariable, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %w", caVariable, errors.New("the file contains no certificate"))
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", certVariable, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
