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

	"github.com/gorlm/rlm/internal/session"
)

const (
	patience = time.Minute            // how long to wait for an unreachable server to return
	pause    = 200 * time.Millisecond // between two attempts, at first
)

// Events yields what happens in a session until ctx is done, and then ends without an error. It reconnects when the
// connection breaks and continues where it was; it fails if the server remains unreachable or refuses.
func (c *Client) Events(ctx context.Context, id string, f session.EventOptions) iter.Seq2[session.StreamItem, error] {
	return func(yield func(session.StreamItem, error) bool) {
		tried, wait := time.Now(), pause
		for {
			came, more, err := c.stream(ctx, id, &f, yield)
			if !more || ctx.Err() != nil {
				return
			}
			if came {
				tried, wait = time.Now(), pause
			}
			if refused := (*Error)(nil); errors.As(err, &refused) && refused.Status < 500 ||
				time.Since(tried) > c.patience || c.patience == 0 {
				yield(session.StreamItem{}, err)
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

// message is one message of the stream.
type message struct {
	Session string          `json:"session"`
	Event   json.RawMessage `json:"event"`
}

// stream yields the messages of one connection. came reports whether there were any, and more whether the reader
// wants more.
func (c *Client) stream(
	ctx context.Context, id string, f *session.EventOptions, yield func(session.StreamItem, error) bool) (
	came, more bool, err error,
) {
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
		line, err := c.line(lines)
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

// line reads a line of a stream, and calls Late if none arrives for QuietTime.
func (c *Client) line(lines *bufio.Reader) ([]byte, error) {
	if c.Late != nil {
		defer time.AfterFunc(QuietTime, c.Late).Stop()
	}
	return lines.ReadBytes('\n')
}

// happening decodes a message and fetches its long texts.
func (c *Client) happening(ctx context.Context, id string, data []byte, texts bool) (session.StreamItem, error) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return session.StreamItem{}, fmt.Errorf("read an event from the server: %w", err)
	}
	h, gone, err := session.Heard(m.Event)
	if gone != nil {
		return h, &Error{Status: http.StatusNotFound, Code: string(gone.Code), Message: gone.Message}
	}
	// A text was left out if the message has this member. It cannot be part of a text, where quotes are escaped.
	if err == nil && texts && h.Event.Data != nil && bytes.Contains(m.Event, []byte(`{"sha256":`)) {
		h.Event, err = c.Event(ctx, id, h.Event.Seq)
	}
	return h, err
}
