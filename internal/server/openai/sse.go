package openai

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const (
	beat      = 15 * time.Second // between signs of life of a silent stream
	writeTime = 30 * time.Second // in which a reader must take something
)

// stream sends server-sent events. Close it.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu    sync.Mutex
	err   error // of the first write that failed
	quiet chan struct{}
	beats sync.WaitGroup
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	s := &stream{w: w, control: http.NewResponseController(w), quiet: make(chan struct{})}
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
