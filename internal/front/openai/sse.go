package openai

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	beat      = 15 * time.Second // interval of heartbeats of a silent stream
	writeTime = 30 * time.Second // maximum time for a reader to receive a write
)

// mostPiece is the maximum number of bytes of text in an event: clients limit the length of lines, and show a text
// piece by piece.
const mostPiece = 2 << 10

// pieces splits a text into pieces, at word boundaries where possible. nil yields nothing.
func pieces(text *string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if text == nil {
			return
		}
		for rest := *text; rest != ""; {
			n := len(rest)
			if n > mostPiece {
				n = mostPiece
				for n > 0 && !utf8.RuneStart(rest[n]) {
					n--
				}
				if i := strings.LastIndexAny(rest[:n], " \n\t"); i > mostPiece/2 {
					n = i + 1
				}
			}
			if !yield(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// stream sends server-sent events. Close it.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu    sync.Mutex
	err   error // the first write error
	quiet chan struct{}
	beats sync.WaitGroup
}

const streamType = "text/event-stream; charset=utf-8"

// newStream opens a stream and sends its header.
func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", streamType)
	w.Header().Set("X-Accel-Buffering", "no")
	s := &stream{w: w, control: http.NewResponseController(w), quiet: make(chan struct{})}
	_ = s.write(nil) // the next event returns the error
	s.beats.Go(s.live)
	return s
}

// live regularly sends a comment, so that no proxy considers the connection dead.
func (s *stream) live() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = s.write([]byte(": \n\n")) // the next event returns the error
		case <-s.quiet:
			return
		}
	}
}

// close ends the stream.
func (s *stream) close() {
	close(s.quiet)
	s.beats.Wait()
	_ = s.control.SetWriteDeadline(time.Time{}) // the connection may serve further requests
}

// event sends an event, with a name if that is not empty.
func (s *stream) event(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	head := ""
	if name != "" {
		head = "event: " + name + "\n"
	}
	return s.write([]byte(head + "data: " + string(b) + "\n\n"))
}

// errSent means that the failure has already been sent to the client.
var errSent = errors.New("the failure was sent")

// fail sends a failure in the form for a kind of request, and closes the stream.
func (s *stream) fail(kind string, err error) {
	defer s.close()
	f := failureOf(err)
	if kind == "resp_" {
		o := f.object()
		_ = s.event("error", map[string]any{
			"type": "error", "sequence_number": 0, "code": o.Code, "message": o.Message, "param": o.Param,
		})
		return
	}
	_ = s.event("", f.body()) // fails only if the client is gone
}

func (s *stream) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // test recorders have no deadlines
	if _, s.err = s.w.Write(b); s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err
}
