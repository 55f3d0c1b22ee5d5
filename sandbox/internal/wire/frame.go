// Package wire is the language that a host and its worker speak: frames over one socket.
//
// A frame is
//
//	u32 length of what follows | u16 length of the header | header (JSON) | meta (JSON) | body (raw bytes)
//
// in network byte order. The body is raw so that a prompt that is not UTF-8 arrives as it was sent. A reader
// believes nothing: every length is checked before anything is allocated for it, because the worker on the
// other end may have been taken over by the code it runs.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Op says what a frame is.
type Op string

// What a host sends.
const (
	Init    Op = "init"    // the notebook's contents; context file attached
	Run     Op = "run"     // one cell
	Reply   Op = "reply"   // the answer to a call
	Context Op = "context" // another context for the cells to come; file attached
	Vars    Op = "vars"    // list the variables (also the worker's answer)
	Members Op = "members" // list what can stand behind an operand and a dot (also the worker's answer)
	Assist  Op = "assist"  // help a person who writes a cell or reads the context (also the worker's answer)
	Stop    Op = "stop"    // end the cell, so that what it has set stays
	Peek    Op = "peek"    // what are the goroutines doing, and what was printed last (also the worker's answer)
	Probe   Op = "probe"   // try an attack (also the worker's answer)
)

// What a worker sends.
const (
	Locked Op = "locked" // started and locked in, before it knows anything
	Ready  Op = "ready"  // initialised; also the answer to Context
	Began  Op = "began"  // the engine has taken the cell, and it runs
	Print  Op = "print"  // a piece of output
	Marks  Op = "marks"  // passages that were given marks, packed; of earlier workers from the host
	Call   Op = "call"   // a host function is called
	Final  Op = "final"  // the answer
	Result Op = "result" // the cell is over
)

const (
	maxHeader = 4 << 10       // bytes of a header
	maxFrame  = math.MaxInt32 // bytes of a frame, from either side
)

// Header is what every frame starts with.
type Header struct {
	Op Op `json:"op"`
	// ID numbers calls; a worker's calls have strictly increasing ids.
	ID uint64 `json:"id,omitempty"`
	// Cell is the cell that the frame belongs to.
	Cell int `json:"cell,omitempty"`
	// Meta is the length of the JSON that precedes the raw body.
	Meta int `json:"meta,omitempty"`
	// Files is the number of open files that travel with the frame.
	Files int `json:"files,omitempty"`
	// Handle is, on Windows, the handle in the worker of a file that was duplicated into it instead.
	Handle uint64 `json:"handle,omitempty"`
}

// Frame is one message.
type Frame struct {
	Header
	// JSON is the meta part, to be decoded by the one who knows what Op means.
	JSON []byte
	// Body is raw.
	Body []byte
	// Attached are open files; the receiver owns them.
	Attached []*os.File
	// Release says that the frame's bytes are not used any more. It may be called more than once, and need not be kept with the frame.
	Release func()
}

// Errors of a peer that breaks the rules. What they wrap says how.
var (
	ErrTooLarge  = errors.New("frame too large")
	ErrMalformed = errors.New("malformed frame")
)

// DecodeFew is Decode for a peer that is not trusted: a meta part of more than n values is refused before anything is made of it,
// because a value of two bytes ("{}") can take hundreds in memory.
func (f Frame) DecodeFew(v any, n int) error {
	if values(f.JSON) > n {
		return fmt.Errorf("%w: %s with more than %d values", ErrTooLarge, f.Op, n)
	}
	return f.Decode(v)
}

// values counts the values in JSON, or rather what begins or separates them outside of strings.
func values(p []byte) int {
	n, text, escaped := 0, false, false
	for _, c := range p {
		if escaped { // it ends no string; outside of one this is no JSON
			escaped = false
			continue
		}
		switch c {
		case '"':
			text = !text
		case '\\':
			escaped = true
		case ',', '[', '{':
			if !text {
				n++
			}
		}
	}
	return n
}

// Decode fills v from the frame's meta part.
func (f Frame) Decode(v any) error {
	if err := json.Unmarshal(f.JSON, v); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrMalformed, f.Op, err)
	}
	return nil
}

// encode returns everything of a frame that precedes its raw body of n bytes.
func encode(h Header, meta any, n int) ([]byte, error) {
	var m []byte
	if meta != nil {
		var err error
		if m, err = json.Marshal(meta); err != nil {
			return nil, fmt.Errorf("encode %s: %w", h.Op, err)
		}
	}
	h.Meta = len(m)
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", h.Op, err)
	}
	size := 2 + len(head) + len(m) + n
	if len(head) > maxHeader || size > maxFrame {
		return nil, fmt.Errorf("encode %s: %w", h.Op, ErrTooLarge)
	}
	lengths := binary.BigEndian.AppendUint32(nil, uint32(size))
	lengths = binary.BigEndian.AppendUint16(lengths, uint16(len(head)))
	return slices.Concat(lengths, head, m), nil
}

// read reads one frame. What follows the header is read when it is admitted.
func read(r io.Reader, admit Admit) (Frame, error) {
	var word [6]byte
	if _, err := io.ReadFull(r, word[:]); err != nil {
		return Frame{}, err // io.EOF between frames is the orderly end
	}
	size := int64(binary.BigEndian.Uint32(word[:4]))
	if size > maxFrame {
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	head := int(binary.BigEndian.Uint16(word[4:]))
	rest := int(size) - 2 - head
	if head > maxHeader || rest < 0 {
		return Frame{}, fmt.Errorf("%w: header of %d bytes in a frame of %d", ErrMalformed, head, size)
	}
	raw := make([]byte, head)
	if _, err := io.ReadFull(r, raw); err != nil {
		return Frame{}, cut(err)
	}
	var f Frame
	if err := json.Unmarshal(raw, &f.Header); err != nil {
		return Frame{}, fmt.Errorf("%w: header: %v", ErrMalformed, err)
	}
	if f.Meta < 0 || f.Meta > rest || f.Files < 0 || f.Files > maxFiles || f.Cell < 0 {
		return Frame{}, fmt.Errorf("%w: header out of range", ErrMalformed)
	}
	release, err := admit(f.Header, f.Meta, rest-f.Meta)
	if err != nil {
		return Frame{}, err
	}
	f.Release = func() {}
	if release != nil {
		f.Release = release
	}
	body, err := readBody(r, rest)
	if err != nil {
		f.Release()
		return Frame{}, cut(err)
	}
	f.JSON, f.Body = body[:f.Meta:f.Meta], body[f.Meta:]
	return f, nil
}

// readBody reads n bytes. It takes the memory for all of them only when the first part has arrived, so that it costs a peer
// something to announce a large frame; and at once, because growing would need it twice.
func readBody(r io.Reader, n int) ([]byte, error) {
	const part = 1 << 20
	first := make([]byte, min(n, part))
	if _, err := io.ReadFull(r, first); err != nil || len(first) == n {
		return first, err
	}
	buf := make([]byte, n)
	_, err := io.ReadFull(r, buf[copy(buf, first):])
	return buf, err
}

// cut turns an end inside a frame into an error that is not mistaken for the orderly end.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
