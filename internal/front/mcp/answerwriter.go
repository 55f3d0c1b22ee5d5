package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// beat is how long an HTTP stream may be silent: after a longer time proxies would consider it dead.
const beat = 15 * time.Second

// answerWriter writes the response to a client's request. While a stream is silent, it sends comments.
type answerWriter struct {
	http.ResponseWriter
	numbers *numbers
	header  http.Header // header set by the SDK, sent with the first write

	mu     sync.Mutex
	begun  bool
	stream bool
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(w.header, status)
}

// begin sends the header, if it has not been sent. The caller holds mu.
func (w *answerWriter) begin(header http.Header, status int) {
	if w.begun {
		return
	}
	w.begun = true
	to := w.ResponseWriter.Header()
	maps.Copy(to, header)
	if w.stream = strings.HasPrefix(to.Get("Content-Type"), "text/event-stream"); w.stream {
		to.Set("X-Accel-Buffering", "no")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(w.header, http.StatusOK)
	if _, err := w.ResponseWriter.Write(w.numbers.out(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// FlushError is for http.ResponseController.
func (w *answerWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// cutOff is the code of the errors that end the requests of a person who may not go on.
const cutOff = -32000

// end ends the response before its time: requests are answered with an error, and a stream that answers none says
// why in a message of the log.
func (w *answerWriter) end(requests []json.RawMessage, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, _ := json.Marshal(why) // a text can always be encoded
	var messages []string
	for _, id := range requests {
		messages = append(messages, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`,
			id, cutOff, text))
	}
	switch {
	case !w.begun && len(messages) > 0:
		w.begin(http.Header{"Content-Type": {"application/json"}}, http.StatusOK)
		_, _ = io.WriteString(w.ResponseWriter, messages[0]) // the client may be gone
	case w.stream && len(messages) == 0:
		messages = []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":` + string(text) + `}}`,
		}
		fallthrough
	case w.stream:
		for _, m := range messages {
			_, _ = fmt.Fprintf(w.ResponseWriter, "event: message\ndata: %s\n\n", m) // the client may be gone
		}
	}
}

// beats sends a comment at each tick until done is closed. A response that has not begun at the first tick becomes
// a stream.
func (w *answerWriter) beats(tick <-chan time.Time, done <-chan struct{}) {
	for {
		select {
		case <-tick:
			w.mu.Lock()
			w.begin(http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache, no-transform"}},
				http.StatusOK)
			if w.stream {
				_, _ = w.ResponseWriter.Write([]byte(": \n\n")) // the next event returns the error
				_ = http.NewResponseController(w.ResponseWriter).Flush()
			}
			w.mu.Unlock()
		case <-done:
			return
		}
	}
}
