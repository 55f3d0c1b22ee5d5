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
	beat      = 15 * time.Second // between signs of life of a silent stream
	writeTime = 30 * time.Second // in which a reader must take something
)

// mostPiece bounds the text of an event, in bytes: readers of lines have bounds, and pages show a text as it comes.
const mostPiece = 2 << 10

// pieces cuts a text, or none, at the borders of words.
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
	err   error // of the first write that failed
	quiet chan struct{}
	beats sync.WaitGroup
}

// newStream opens a stream: its head is sent.
func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	s := &stream{w: w, control: http.NewResponseController(w), quiet: make(chan struct{})}
	_ = s.write(nil) // the next event has the error
	s.beats.Go(s.live)
	return s
}

// live sends a comment now and then, so that nobody between the two takes the connection for dead.
func (s *stream) live() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = s.write([]byte(": \n\n")) // the next event has the error
		case <-s.quiet:
			return
		}
	}
}

// close ends the stream.
func (s *stream) close() {
	close(s.quiet)
	s.beats.Wait()
	_ = s.control.SetWriteDeadline(time.Time{}) // the connection goes on
}

// event sends an event, by a name if it has one.
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

// errSent says that a request was answered with what is wrong with it.
var errSent = errors.New("the failure was sent")

// fail sends why there is no answer, in the form of a kind of request, and closes the stream.
func (s *stream) fail(kind string, err error) {
	defer s.close()
	f := failureOf(err)
	if kind == "resp_" {
		o := f.object()
		_ = s.event("error", map[string]any{"type": "error", "sequence_number": 0, "code": o.Code, "message": o.Message, "param": o.Param})
		return
	}
	_ = s.event("", f.body()) // nobody is left to be told
}

func (s *stream) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // a recorder in a test has none
	if _, s.err = s.w.Write(b); s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err
}
