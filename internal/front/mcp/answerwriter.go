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

	mu      sync.Mutex
	begun   bool
	stream  bool
	refused int    // status of the SDK's refusal in words, 0 if there is none
	words   []byte // of the refusal
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.begun && status >= http.StatusBadRequest && strings.HasPrefix(w.header.Get("Content-Type"), "text/plain") {
		w.refused = status
		return
	}
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
	if w.refused != 0 && !w.begun {
		w.words = append(w.words, b...)
		return len(b), nil
	}
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

// Codes of errors in JSON-RPC, and those of MCP.
const (
	codeInvalid   = -32600
	codeUnhandled = -32601
	codeNoSession = -32001
)

// refuse sends the SDK's refusal as an error in JSON-RPC. That a method is unknown answers its request.
func (w *answerWriter) refuse(requests []json.RawMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == 0 || w.begun {
		return
	}
	id, code, words := json.RawMessage("null"), codeInvalid, strings.TrimSpace(string(w.words))
	if len(requests) == 1 {
		id = requests[0]
	}
	switch {
	case w.refused == http.StatusNotFound:
		code = codeNoSession
	case strings.HasPrefix(words, notHandled) && len(requests) == 0: // a notification
		w.header.Del("Content-Type")
		w.begin(w.header, http.StatusAccepted)
		return
	case strings.HasPrefix(words, notHandled):
		w.refused, code = http.StatusOK, codeUnhandled
	}
	w.header.Set("Content-Type", "application/json")
	w.begin(w.header, w.refused)
	_, _ = io.WriteString(w.ResponseWriter, rpcError(id, code, words)) // the client may be gone
}

// notHandled begins the SDK's refusals of unknown methods.
const notHandled = "JSON RPC not handled"

func rpcError(id json.RawMessage, code int, message string) string {
	text, _ := json.Marshal(message) // a text can always be encoded
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

// cutOff is the code of the errors that end the requests of a person who may not go on.
const cutOff = -32000

// end ends the response before its time: requests are answered with an error, and a stream that answers none says
// why in a message of the log.
func (w *answerWriter) end(requests []json.RawMessage, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var messages []string
	for _, id := range requests {
		messages = append(messages, rpcError(id, cutOff, why))
	}
	switch {
	case !w.begun && len(messages) > 0:
		w.begin(http.Header{"Content-Type": {"application/json"}}, http.StatusOK)
		_, _ = io.WriteString(w.ResponseWriter, messages[0]) // the client may be gone
	case w.stream && len(messages) == 0:
		text, _ := json.Marshal(why)
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
