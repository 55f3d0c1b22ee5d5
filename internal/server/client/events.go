package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Happening is what a stream tells: an event of the session, or else one of the others.
type Happening struct {
	Event  trajectory.Event // its Data is nil if this is none
	State  *State           // the session does something else now
	Failed *Failed          // something that was begun did not work
}

// Failed says what did not work.
type Failed struct {
	Doing   string `json:"doing"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

const (
	patience = time.Minute            // for a server that is gone to come back
	pause    = 200 * time.Millisecond // between two tries, at first
)

// Following says what is wanted of a session's events: those behind After. Brief leaves out sub-calls and child runs; Texts fetches the long
// texts, which are left out otherwise (replies of up to 64 KiB are always there).
type Following struct {
	After        int64
	Brief, Texts bool
}

// Events yields what happens in a session until ctx is done: then it just ends. A connection that breaks is made again and goes on where it
// was; the error says that the server stays away or refuses.
func (c *Client) Events(ctx context.Context, id string, f Following) iter.Seq2[Happening, error] {
	return func(yield func(Happening, error) bool) {
		tried, wait := time.Now(), pause
		for {
			came, more, err := c.stream(ctx, id, &f, yield)
			if !more || ctx.Err() != nil {
				return
			}
			if came {
				tried, wait = time.Now(), pause
			}
			if refused := (*Error)(nil); errors.As(err, &refused) && refused.Status < 500 || time.Since(tried) > patience {
				yield(Happening{}, err)
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			wait = min(2*wait, 5*time.Second)
		}
	}
}

// message is one of the stream.
type message struct {
	Session string          `json:"session"`
	Event   json.RawMessage `json:"event"`
}

// stream yields what one connection brings. came says that something did, more that the reader wants more.
func (c *Client) stream(ctx context.Context, id string, f *Following, yield func(Happening, error) bool) (came, more bool, err error) {
	req, err := c.request(ctx, http.MethodGet, "events", nil)
	if err != nil {
		return false, true, err
	}
	q := url.Values{"session": {fmt.Sprintf("%s:%d", id, f.After)}}
	if f.Brief {
		q.Set("detail", "brief")
	}
	req.URL.RawQuery = q.Encode()
	res, err := c.send(req)
	if err != nil {
		return false, true, err
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server ended the stream of events")
			}
			return came, true, err
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		came = true
		h, err := c.happening(ctx, id, data, f.Texts)
		if err != nil {
			return came, true, err
		}
		f.After = max(f.After, h.Event.Seq)
		if !yield(h, nil) {
			return came, false, nil
		}
	}
}

// happening decodes a message, and fetches its long texts.
func (c *Client) happening(ctx context.Context, id string, data []byte, texts bool) (h Happening, err error) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return h, fmt.Errorf("read an event of the server: %w", err)
	}
	var head struct {
		Seq  int64
		Type string
		Data json.RawMessage
	}
	if err := json.Unmarshal(m.Event, &head); err != nil {
		return h, fmt.Errorf("read an event of the server: %w", err)
	}
	h.Event.Seq = head.Seq
	switch head.Type {
	case "state":
		return h, json.Unmarshal(head.Data, &h.State)
	case "failed":
		return h, json.Unmarshal(head.Data, &h.Failed)
	case "gone":
		refused := &Error{Status: http.StatusNotFound}
		if err := json.Unmarshal(head.Data, refused); err != nil {
			return h, err
		}
		return h, refused
	case "calls", "spent", "passed":
		return h, nil
	}
	if texts && bytes.Contains(head.Data, []byte(`{"sha256":`)) { // a text that is left out; within a text the quotes are escaped
		h.Event, err = c.Event(ctx, id, head.Seq)
		return h, err
	}
	return h, json.Unmarshal(m.Event, &h.Event)
}
