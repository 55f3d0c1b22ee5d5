package client

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// await has Late called when the server is silent, until the function that it returns is called.
func (c *Client) await(req *http.Request) (answered func()) {
	w := &wait{late: time.AfterFunc(LateTime, c.Late)}
	if req.Body != nil && req.GetBody == nil { // a stream
		req.Body = &requestBody{ReadCloser: req.Body, wait: w}
	}
	return w.end
}

// wait is the time in which a server has to do something.
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

// requestBody is the body of a request. While the next part is read for the server, it waits for us: what is streamed takes its time.
type requestBody struct {
	io.ReadCloser
	wait *wait
}

func (s *requestBody) Read(p []byte) (int, error) {
	s.wait.late.Stop()
	defer s.wait.again()
	return s.ReadCloser.Read(p)
}

// again restarts the time, unless the answer is there: what is left of a body may still be read then.
func (w *wait) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.late.Reset(LateTime)
	}
}
