package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	mostEvent  = 32 << 20 // bytes of one event
	mostStream = 1 << 30  // bytes of all events of a reply, with what stands around its text

	afterFinish = 3 * time.Second // silence after which a finished reply is taken as it is
)

// errBroken is a reply that ended before it was complete.
var errBroken = errors.New("the stream ended before the reply was complete")

// normalise makes the body of a 200 a stream of data lines, whatever the endpoint sent: events with
// keep-alives, one JSON object (from an endpoint that does not stream, or on our request), or an error in
// spite of its status, which becomes one.
func (a *call) normalise(resp *http.Response, silence *watch) error {
	in := a.c.reader(resp.Body)
	first, err := firstByte(in)
	if err == nil && (first == '{' || first == '<' || first == '[') {
		whole, err := io.ReadAll(io.LimitReader(in, 2*mostReply+1))
		a.c.keep(in)
		resp.Body.Close()
		if err != nil {
			return fmt.Errorf("reading the reply: %w", err)
		}
		if len(whole) > 2*mostReply { // escaped, a text can be twice as long
			return &midStreamError{tooLong()}
		}
		return a.normaliseWhole(resp, first, whole)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		resp.Body.Close()
		return fmt.Errorf("reading the reply: %w", err)
	}
	silence.stop() // the stream watches over itself
	a.body = newStream(in, resp.Body, a.c.cfg.Stall)
	a.body.after = func() { a.c.keep(in) }
	return nil
}

// reader returns a buffered reader, one that was used before where there is one: a call in flight needs one for a moment.
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
func (a *call) normaliseWhole(resp *http.Response, first byte, whole []byte) error {
	set := func(status int, text []byte) {
		resp.StatusCode, resp.Status = status, fmt.Sprintf("%d %s", status, http.StatusText(status))
		resp.ContentLength = -1
		resp.Body = io.NopCloser(bytes.NewReader(text))
	}
	if first == '<' {
		set(http.StatusNotFound, []byte(`{"error":{"message":"the endpoint answered with a web page (is the base URL right? it usually ends in /v1)"}}`))
		return nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, whole); err != nil {
		return fmt.Errorf("reading the reply: %w", errBroken)
	}
	if f, isError := errorIn(line.Bytes()); isError {
		status := f.status
		if status < 400 || status > 599 {
			status = http.StatusBadGateway
		}
		set(status, whole)
		return nil
	}
	events := io.MultiReader(bytes.NewReader([]byte("data: ")), &line, bytes.NewReader([]byte("\n\ndata: [DONE]\n\n")))
	a.body = newStream(bufio.NewReader(events), resp.Body, a.c.cfg.Stall)
	return nil
}

// firstByte skips blanks, which some endpoints send to keep a connection alive.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' && b != 0xEF && b != 0xBB && b != 0xBF {
			return b, in.UnreadByte()
		}
	}
}

// stream is the body of a streamed reply: data lines and nothing else. It sees whether [DONE] came, whether the connection broke, and
// whether nothing came for too long.
type stream struct {
	in    *bufio.Reader
	body  io.Closer
	stall time.Duration
	watch *time.Timer
	after func() // when the stream was closed and nothing reads any more; may be nil

	done    bool
	ended   error
	stalled atomic.Bool
	size    int64 // bytes read
}

func newStream(in *bufio.Reader, body io.Closer, stall time.Duration) *stream {
	s := &stream{in: in, body: body, stall: stall}
	s.watch = time.AfterFunc(stall, s.stalledOut)
	return s
}

// event is the data of the next line that has any, io.EOF after the last one. It is good until the next one is asked for.
func (s *stream) event() ([]byte, error) {
	for s.ended == nil {
		if data := s.next(); data != nil {
			return data, nil
		}
	}
	return nil, s.ended
}

// next reads one line and returns its data, nil if it has none. The last one counts without a line break too, if the stream ended normally.
func (s *stream) next() []byte {
	line, err := s.readLine()
	s.watch.Reset(s.stall)
	if err != nil {
		s.ended = err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	data, isData := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	data = bytes.TrimSpace(data)
	switch {
	case !isData || len(data) == 0:
		return nil
	case bytes.Equal(data, []byte("[DONE]")):
		s.finish()
		return nil
	}
	return data
}

// finish ends a stream whose reply has said that it is over.
func (s *stream) finish() {
	s.done = true
	s.ended = io.EOF
	s.drain()
}

// complete says that the reply is there: what may follow (usage, [DONE], the end) comes at once or never.
func (s *stream) complete() {
	s.stall = min(s.stall, afterFinish)
	s.watch.Reset(s.stall)
}

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
			return nil, &midStreamError{tooLong()}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > mostEvent {
			return nil, &midStreamError{tooLong()}
		}
	}
}

// drain reads what follows [DONE], so that the connection can be used again. An endpoint that does not end
// the reply loses the connection.
func (s *stream) drain() {
	s.watch.Reset(100 * time.Millisecond)
	io.Copy(io.Discard, io.LimitReader(s.in, 16<<10))
}

func (s *stream) stalledOut() {
	s.stalled.Store(true)
	s.body.Close()
}

// Close ends the reply. Nothing may be read afterwards.
func (s *stream) Close() error {
	s.watch.Stop()
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
	case s.stalled.Load():
		return fmt.Errorf("the stream stood still for %v", s.stall)
	case errors.Is(err, io.EOF):
		return errBroken
	default:
		return err
	}
}
