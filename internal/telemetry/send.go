package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// sender posts data to a collector, as OTLP in JSON. Every collector that listens for OTLP over HTTP reads JSON
// besides protobuf.
type sender struct {
	to   target
	http *retryablehttp.Client

	mu     sync.Mutex
	failed error // the last failure
}

func newSender(to target) *sender {
	s := &sender{to: to, http: retryablehttp.NewClient()}
	c := s.http
	c.Logger = nil
	c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = 4, 500*time.Millisecond, 5*time.Second
	c.CheckRetry = s.retry
	c.HTTPClient.Timeout = to.timeout
	c.HTTPClient.Transport.(*http.Transport).TLSClientConfig = to.tls
	return s
}

// retry retries whatever the specification calls retryable. It records each failure, because the program may end
// before the last try.
func (s *sender) retry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		s.failing(err)
		return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		s.failing(fmt.Errorf("the collector answered %s", resp.Status))
		return true, nil
	}
	return false, nil
}

// send posts one message, and records whether that succeeded.
func (s *sender) send(ctx context.Context, message any) error {
	err := s.post(ctx, message)
	if err == nil || ctx.Err() == nil {
		s.failing(err)
	}
	return err
}

func (s *sender) failing(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed = err; err != nil {
		s.failed = fmt.Errorf("sending traces or metrics to %s: %w", s.to.shown, err)
	}
}

func (s *sender) post(ctx context.Context, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if s.to.gzip {
		var small bytes.Buffer
		z := gzip.NewWriter(&small)
		_, _ = z.Write(body) // writes to memory
		_ = z.Close()
		body = small.Bytes()
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, s.to.url, body)
	if err != nil {
		return err
	}
	for name, value := range s.to.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	if s.to.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	const most = 64 << 10
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, most)) // so that the connection is reused
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the collector answered %s", resp.Status)
	}
	return nil
}

// failure returns the last failure, nil if the last attempt succeeded.
func (s *sender) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
