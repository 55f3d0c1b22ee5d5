package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// quiet is how long a connection may be silent before its answer is sent as a whole. Proxies close silent
// connections after a minute.
const quiet = 45 * time.Second

// whole sends the answer of a run as a whole. During a long run, white space before the JSON keeps the connection
// open; then the status has already been sent.
func (r *run) whole(w http.ResponseWriter, req *http.Request, answer func() any) error {
	first := time.NewTimer(quiet)
	defer first.Stop()
	select {
	case <-first.C:
	case <-r.ended:
		if f := r.failure(); f != nil {
			return f
		}
		send(w, http.StatusOK, answer())
		return nil
	case <-req.Context().Done():
		return context.Cause(req.Context())
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var out any
	if !r.outwait(w, req, tick.C) {
		f := lostAccess(req.Context())
		if f == nil {
			return nil // the client is gone
		}
		out = f.body()
	} else if f := r.failure(); f == nil {
		out = answer()
	} else if out = f.body(); r.ask.sdk {
		panic(http.ErrAbortHandler) // the client retries at no cost, and gets the failure with its status
	}
	b, err := json.Marshal(out)
	if err == nil {
		_, _ = w.Write(append(b, '\n')) // fails only if the client is gone
	}
	return nil
}

// outwait sends white space at each tick until the run has ended. It reports false if the client is gone before.
func (r *run) outwait(w http.ResponseWriter, req *http.Request, tick <-chan time.Time) bool {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(writeTime)) // test recorders have no deadlines
		if _, err := w.Write([]byte(" ")); err != nil || control.Flush() != nil {
			return false
		}
		select {
		case <-tick:
		case <-r.ended:
			_ = control.SetWriteDeadline(time.Time{})
			return true
		case <-req.Context().Done():
			return false
		}
	}
}
