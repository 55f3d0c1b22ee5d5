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
	mostStream = 1 << 30  // bytes of all events of a reply, with what stands around its text
)

// errBroken is a reply that ended before it was complete.
var errBroken = errors.New("the stream ended before the reply was complete")

// normalise makes the body of a 200 a stream of data lines, whatever the endpoint sent: events with
// keep-alives, one JSON object (from an endpoint that does not stream, or on our request), or an error in
// spite of its status, which becomes one.
func (a *call) normalise(resp *http.Response, silence *watchdog) error {
	in := a.c.reader(resp.Body)
	first, err := firstByte(in)
	if err == nil && (first == '{' || first == '<' || first == '[') {
		const most = 2 * mostReply // escaped, a text can be twice as long
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

// reader returns a buffered reader, one that was used before where there is one: a call in flight needs one
// for a moment.
func (c *Client) reader(of io.Reader) *bufio.Reader {
	if in, ok := c.readers.Get().(*bufio.Reader); ok {
		in.Reset(of)
		return in
	}
	return bufio.NewReaderSize(of, 16<<10)
}

// keep gives a reader back that nothing is read from any more.
func (c *Client) keep(in *bufio.Reader) {
	in.Reset(nil)
	c.readers.Put(in)
}

// normaliseWhole does the same for a reply that came in one piece.
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

// firstByte skips blanks, which some endpoints send to keep a connection alive.
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

// stream is the body of a streamed reply: data lines and nothing else. It sees whether [DONE] came and
// whether the connection broke.
type stream struct {
	in      *bufio.Reader
	body    io.Closer
	silence *watchdog // ends the stream when nothing comes for too long
	after   func()    // when the stream was closed and nothing reads any more; may be nil

	line, plain []byte // the event that was handed on last, as it came and as go-openai got it
	frame, rest []byte // the same with what stands around it, and what is not read of it
	renamed     bool   // it had a message in the place of a delta
	both        bool   // it has one beside it
	folded      []byte // the first lines of an event whose data has several
	stray       string // a line that belongs to no event, the first

	done  bool
	ended error
	size  int64 // bytes read
}

// event is the data of the next line that has any, io.EOF after the last one. It is good until the next one
// is asked for.
func (s *stream) event() ([]byte, error) {
	for s.ended == nil {
		if data := s.next(); data != nil {
			return data, nil
		}
	}
	return nil, s.ended
}

// next reads one line and returns the data of the event that it completes, nil if it completes none. The
// last one counts without a line break too, if the stream ended normally. Data over several lines is
// joined, as the standard of such events has it; where an endpoint leaves out the empty line behind an
// event, each line that is complete is one.
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

// unfold returns the event whose lines were gathered, nil if there is none.
func (s *stream) unfold() []byte {
	// A line break stands between tokens: a string holds none.
	event := bytes.ReplaceAll(bytes.TrimSpace(s.folded), []byte("\n"), []byte(" "))
	s.folded = nil
	if len(event) == 0 {
		return nil
	}
	return event
}

// finish ends a stream whose reply has said that it is over.
func (s *stream) finish() {
	s.done = true
	s.ended = io.EOF
	s.drain()
}

// complete says that the reply is there: what may follow (usage, [DONE], the end) comes at once or never.
func (s *stream) complete() { s.silence.atMost(3 * time.Second) }

func (s *stream) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if line == nil && err == nil {
			line = part // good until the next one is read
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

// drain reads what follows [DONE], so that the connection can be used again. An endpoint that does not end
// the reply loses the connection.
func (s *stream) drain() {
	s.silence.atMost(100 * time.Millisecond)
	io.Copy(io.Discard, io.LimitReader(s.in, 16<<10))
}

// Close ends the reply. Nothing may be read afterwards.
func (s *stream) Close() error {
	err := s.body.Close()
	if s.after != nil {
		s.after()
		s.after = nil
	}
	return err
}

// explain says why a stream ended before its reply was complete.
func (s *stream) explain(err error) error {
	switch {
	case s.silence.fired.Load():
		return fmt.Errorf("the stream stood still for %v", time.Duration(s.silence.after.Load()))
	case errors.Is(err, io.EOF) && s.stray != "":
		return fmt.Errorf("%w: %s", errBroken, s.stray)
	case errors.Is(err, io.EOF):
		return errBroken
	default:
		return err
	}
}
