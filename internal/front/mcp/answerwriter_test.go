package mcp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestASilentStreamGetsComments: a stream gets them whether its response has begun or not; a response in one piece
// gets none.
func TestASilentStreamGetsComments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin func(http.ResponseWriter)
		want  string
	}{
		"not begun": {func(http.ResponseWriter) {}, ": \n\n: \n\n"},
		"begun": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: 1\n\n"))
		}, "data: 1\n\n: \n\n: \n\n"},
		"whole": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{}"))
		}, "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := httptest.NewRecorder()
			w := &answerWriter{ResponseWriter: rec, numbers: newNumbers(), header: http.Header{}}
			c.begin(w)
			tick, done, over := make(chan time.Time), make(chan struct{}), make(chan struct{})
			go func() { w.beats(tick, done); close(over) }()
			tick <- time.Time{}
			tick <- time.Time{}
			close(done)
			<-over
			require.Equal(t, c.want, rec.Body.String())
			if name != "whole" {
				require.Equal(t, "no", rec.Header().Get("X-Accel-Buffering"))
			}
		})
	}
}
