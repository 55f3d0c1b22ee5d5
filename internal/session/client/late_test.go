package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/session"
)

// server answers requests without a network, so that the test can use a fake clock.
type server func(*http.Request) (*http.Response, error)

func (s server) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// source returns parts of a file, each after a delay.
type source struct {
	parts int
	after time.Duration
}

func (s *source) Read(p []byte) (int, error) {
	if s.parts == 0 {
		return 0, io.EOF
	}
	s.parts--
	time.Sleep(s.after) // on the fake clock
	return copy(p, "part"), nil
}

// A stream without events is reported if it also lacks the regular signs of life, and not otherwise.
func TestAStreamThatIsSilent(t *testing.T) {
	t.Parallel()
	for name, beats := range map[string]int{"silent from the start": 0, "silent later": 3, "quiet": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := New("http://127.0.0.1:1", "")
				require.NoError(t, err)
				said := 0
				c.Late = func() { said++ }
				c.http.Transport = server(func(r *http.Request) (*http.Response, error) {
					body, sent := io.Pipe()
					context.AfterFunc(r.Context(), func() { _ = sent.CloseWithError(io.EOF) })
					go func() {
						for range beats {
							time.Sleep(QuietTime / 2)
							if _, err := io.WriteString(sent, ":\n\n"); err != nil {
								return
							}
						}
					}()
					return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
				})
				ctx, cancel := context.WithTimeout(t.Context(), 20*QuietTime)
				defer cancel()
				for _, err := range c.Events(ctx, "x", session.EventOptions{}) {
					require.NoError(t, err)
				}
				time.Sleep(QuietTime)
				synctest.Wait()
				require.Equal(t, beats < 100, said > 0)
				require.LessOrEqual(t, said, 1, "once for one silence")
			})
		})
	}
}

// A server that does not read an upload, or read it and does not answer, is reported as late; a server that
// waits for the client is not.
func TestAServerThatIsLateWithAnUpload(t *testing.T) {
	t.Parallel()
	taken := func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	answer := func() (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
	for name, tt := range map[string]struct {
		source source
		server server
		late   bool
	}{
		"takes nothing": {source{parts: 1}, func(r *http.Request) (*http.Response, error) {
			time.Sleep(2 * LateTime)
			taken(r)
			return answer()
		}, true},
		"stops within": {source{parts: 9}, func(r *http.Request) (*http.Response, error) {
			_, _ = r.Body.Read(make([]byte, 1))
			time.Sleep(2 * LateTime)
			taken(r)
			return answer()
		}, true},
		"took all and is silent": {source{parts: 1}, func(r *http.Request) (*http.Response, error) {
			taken(r)
			time.Sleep(2 * LateTime)
			return answer()
		}, true},
		"waits for a slow pipe": {source{parts: 3, after: time.Hour}, func(r *http.Request) (*http.Response, error) {
			taken(r)
			return answer()
		}, false},
		"answers before the end": {source{parts: 9}, func(r *http.Request) (*http.Response, error) {
			go func() { time.Sleep(LateTime / 2); taken(r) }()
			return answer()
		}, false},
		"is gone": {source{parts: 9}, func(*http.Request) (*http.Response, error) {
			return nil, errors.New("gone")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := New("http://127.0.0.1:1", "")
				require.NoError(t, err)
				said := 0
				c.Late = func() { said++ }
				c.http.Transport = tt.server
				_, err = c.Upload(t.Context(), "x",
					func(add func(string, io.Reader) error) error { return add("file", &tt.source) })
				require.Equal(t, name == "is gone", err != nil, err)
				time.Sleep(time.Hour)
				synctest.Wait()
				require.Equal(t, tt.late, said > 0)
			})
		})
	}
}
