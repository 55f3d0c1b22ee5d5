package llm

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	mostEvent  = 32 << 20 // bytes of one event
	mostStream = 1 << 30  // bytes of all events of a reply, with framing
)

// errBroken is the error of a reply that ended before it was complete.
var errBroken = errors.New("the stream ended before the reply was complete")

// normalise turns the body of a 2xx response into a stream of data lines, whatever the endpoint sent: events with
// keep-alives, one JSON object (from an endpoint that does not stream, or on request), or an error despite the
// status, which becomes an error response.
func (a *call) normalise(resp *http.Response, silence *watchdog) error {
	in := a.c.reader(resp.Body)
	first, err := firstByte(in)
	if err == nil && (first == '{' || first == '<' || first == '[') {
		const most = 2 * mostReply // escaping can double the length of a text
		whole, err := io.ReadAll(http.MaxBytesReader(nil, io.NopCloser(in), most))
		a.c.keep(in)
		resp.Body.Close()
		if errors.As(err, new(*http.MaxBytesError)) {
			return tooLong()
		}
		if err != nil {
			return fmt.Errorf("reading the reply: %w", err)
		}
		return a.normaliseWhole(resp, silence, first, whole)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		resp.Body.Close()
		return fmt.Errorf("reading the reply: %w", err)
	}
	a.body = &stream{in: in, body: resp.Body, silence: silence, after: func() { a.c.keep(in) }}
	resp.Body = a.body
	return nil
}

// reader returns a buffered reader, a pooled one if possible: each call in flight needs one only briefly.
func (c *Client) reader(of io.Reader) *bufio.Reader {
	if in, ok := c.readers.Get().(*bufio.Reader); ok {
		in.Reset(of)
		return in
	}
	return bufio.NewReaderSize(of, 16<<10)
}

// keep returns an unused reader to the pool.
func (c *Client) keep(in *bufio.Reader) {
	in.Reset(nil)
	c.readers.Put(in)
}

// normaliseWhole is normalise for a reply in one piece.
func (a *call) normaliseWhole(resp *http.Response, silence *watchdog, first byte, whole []byte) error {
	set := func(status int, body []byte) {
		resp.StatusCode, resp.Status = status, fmt.Sprintf("%d %s", status, http.StatusText(status))
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	if first == '<' {
		const page = "the endpoint answered with a web page (is the base URL right? it usually ends in /v1)"
		set(http.StatusNotFound, []byte(`{"error":{"message":"`+page+`"}}`))
		return nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, whole); err != nil {
		return fmt.Errorf("reading the reply: %w", errBroken)
	}
	if f, isError := errorIn(line.Bytes()); isError {
		a.unsaid = f.status == 0
		set(cmp.Or(f.status, http.StatusBadGateway), whole)
		return nil
	}
	events := io.MultiReader(bytes.NewReader([]byte("data: ")), &line, bytes.NewReader([]byte("\n\ndata: [DONE]\n\n")))
	a.body = &stream{in: bufio.NewReader(events), body: resp.Body, silence: silence}
	resp.Body = a.body
	return nil
}

// firstByte skips blanks, which some endpoints send as a keep-alive.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\n', '\r', '\t', 0xEF, 0xBB, 0xBF:
		default:
			return b, in.UnreadByte()
		}
	}
}

// stream is the body of a streamed reply, reduced to data lines. It detects [DONE] and a broken connection.
type stream struct {
	in      *bufio.Reader
	body    io.Closer
	silence *watchdog // ends the stream when nothing arrives for too long
	after   func()    // called when the stream is closed and no longer read; may be nil

	line, plain []byte // the latest event, as received and as given to go-openai
	frame, rest []byte // the latest event with framing, and the part of it that is still unread
	renamed     bool   // the event had a message instead of a delta
	both        bool   // the event has a message and a delta
	folded      []byte // the first lines of an event with several data lines
	stray       string // the first line that belongs to no event

	done  bool
	ended error
	size  int64 // bytes read
}

// event returns the data of the next event, io.EOF after the last one. The data is valid until the next call.
func (s *stream) event() ([]byte, error) {
	for s.ended == nil {
		if data := s.next(); data != nil {
			return data, nil
		}
	}
	return nil, s.ended
}

// next reads one line and returns the data of the event that it completes, nil if it completes none. A last line
// without a line break counts if the stream ended normally. Data on several lines is joined, as the standard for
// server-sent events requires; if an endpoint omits the empty line after an event, each line that is complete JSON
// is an event.
func (s *stream) next() []byte {
	line, err := s.readLine()
	s.ended = err
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	line = bytes.TrimSpace(line)
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	switch {
	case isData && string(data) == "[DONE]":
		s.finish()
		return s.unfold()
	case isData && len(data) > 0 && (len(s.folded) > 0 || !json.Valid(data)):
		s.folded = append(append(s.folded, data...), '\n')
		if s.ended != nil || json.Valid(s.folded) {
			return s.unfold()
		}
		if len(s.folded) > mostEvent {
			s.ended = tooLong()
		}
		return nil
	case isData && len(data) > 0:
		return data
	case len(line) == 0:
		return s.unfold()
	}
	if s.stray == "" && !isField(line) {
		s.stray = text.Line(string(line), 300)
	}
	if s.ended != nil {
		return s.unfold()
	}
	return nil
}

// isField reports whether a line is a field of an event, or a comment.
func isField(line []byte) bool {
	for _, name := range []string{":", "data", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(name)) {
			return true
		}
	}
	return false
}

// unfold returns the event whose lines were collected, nil if there is none.
func (s *stream) unfold() []byte {
	// Line breaks occur only between tokens: no JSON string contains one.
	event := bytes.ReplaceAll(bytes.TrimSpace(s.folded), []byte("\n"), []byte(" "))
	s.folded = nil
	if len(event) == 0 {
		return nil
	}
	return event
}

// finish ends a stream whose reply has announced its end.
func (s *stream) finish() {
	s.done = true
	s.ended = io.EOF
	s.drain()
}

// complete records that the reply is complete: the rest (usage, [DONE], the end) follows immediately or never.
func (s *stream) complete() { s.silence.atMost(3 * time.Second) }

func (s *stream) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if line == nil && err == nil {
			line = part // valid until the next read
		} else {
			line = append(line, part...)
		}
		if s.size += int64(len(part)); s.size > mostStream {
			return nil, tooLong()
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > mostEvent {
			return nil, tooLong()
		}
	}
}

// drain reads what follows [DONE], so that the connection can be reused. If the endpoint does not end the response,
// the connection is closed.
func (s *stream) drain() {
	s.silence.atMost(100 * time.Millisecond)
	io.Copy(io.Discard, io.LimitReader(s.in, 16<<10))
}

// Close closes the reply, which must not be read afterwards.
func (s *stream) Close() error {
	err := s.body.Close()
	if s.after != nil {
		s.after()
		s.after = nil
	}
	return err
}

// explain returns the reason why a stream ended before its reply was complete.
func (s *stream) explain(err error) error {
	switch {
	case s.silence.fired.Load():
		return fmt.Errorf("the stream stalled for %v", time.Duration(s.silence.after.Load()))
	case errors.Is(err, io.EOF) && s.stray != "":
		return fmt.Errorf("%w: %s", errBroken, s.stray)
	case errors.Is(err, io.EOF):
		return errBroken
	default:
		return err
	}
}
