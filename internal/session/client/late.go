package client

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// await calls Late if the server stays silent for LateTime, until answered is called.
func (c *Client) await(req *http.Request) (answered func()) {
	w := &wait{late: time.AfterFunc(LateTime, c.Late)}
	if req.Body != nil && req.GetBody == nil { // a stream: reading from it may be slow
		req.Body = &requestBody{ReadCloser: req.Body, wait: w}
	}
	return w.end
}

// wait is the timer of a request.
type wait struct {
	mu    sync.Mutex
	late  *time.Timer
	ended bool
}

func (w *wait) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.late.Stop()
}

// requestBody is the body of a request. The timer is stopped during each Read: the server then waits for this
// client, because the source of the body may be slow.
type requestBody struct {
	io.ReadCloser
	wait *wait
}

func (s *requestBody) Read(p []byte) (int, error) {
	s.wait.late.Stop()
	defer s.wait.again()
	return s.ReadCloser.Read(p)
}

// again restarts the timer, unless the response has arrived: the rest of the body may be read after that.
func (w *wait) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.late.Reset(LateTime)
	}
}
