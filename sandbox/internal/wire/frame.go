// Package wire is the protocol between a host and its worker: frames over one socket.
//
// A frame is
//
//	u32 length of what follows | u16 length of the header | header (JSON) | meta (JSON) | body (raw bytes)
//
// in network byte order. The body is raw so that a prompt that is not UTF-8 arrives unchanged. A reader trusts
// nothing: every length is checked before anything is allocated for it, because the worker on the other end may
// have been taken over by the code it runs.
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

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// Op is the kind of a frame.
type Op string

// The frames that a host sends.
const (
	Init    Op = "init"    // the notebook's contents; context file attached
	Run     Op = "run"     // one cell
	Reply   Op = "reply"   // the reply to a call
	Context Op = "context" // another context for later cells; file attached
	Vars    Op = "vars"    // list the variables (the worker answers with the same kind)
	Members Op = "members" // list what may follow an operand and a dot (answered with the same kind)
	Assist  Op = "assist"  // help a person who writes a cell or reads the context (answered with the same kind)
	Stop    Op = "stop"    // end the cell, but keep its variables
	Peek    Op = "peek"    // report what the goroutines do and what was printed last (answered with the same kind)
	Probe   Op = "probe"   // try an attack (answered with the same kind)
)

// The frames that a worker sends.
const (
	Locked Op = "locked" // the worker has started and is locked in; sent before it receives anything
	Ready  Op = "ready"  // initialised, or the context is replaced: the answer to Init and Context
	Began  Op = "began"  // the engine has accepted the cell, and now runs it
	Print  Op = "print"  // a piece of output
	Marks  Op = "marks"  // passages that got marks, packed; a host sends a worker the marks of earlier ones
	Call   Op = "call"   // a call of a host function
	Final  Op = "final"  // the answer
	Result Op = "result" // the cell is over
)

const (
	maxHeader = 4 << 10       // bytes of a header
	maxFrame  = math.MaxInt32 // bytes of a frame, from either side
)

// Header starts every frame.
type Header struct {
	Op Op `json:"op"`
	// ID numbers calls; a worker's calls have strictly increasing ids.
	ID uint64 `json:"id,omitempty"`
	// Cell is the number of the cell that the frame belongs to.
	Cell int `json:"cell,omitempty"`
	// Meta is the length of the JSON that precedes the raw body.
	Meta int `json:"meta,omitempty"`
	// Files is the number of open files sent with the frame.
	Files int `json:"files,omitempty"`
	// Handle is, on Windows, the handle of a file that was duplicated into the worker instead.
	Handle uint64 `json:"handle,omitempty"`
}

// Frame is one message.
type Frame struct {
	Header
	// JSON is the meta part, not decoded yet; its type depends on Op.
	JSON []byte
	// Body is raw.
	Body []byte
	// Attached are open files; the receiver owns them.
	Attached []*os.File
	// Release must be called when the frame's bytes are no longer used. It may be called more than once, and does
	// not keep the frame alive.
	Release func()
}

// The errors of a peer that breaks the rules. Errors that wrap them give details.
var (
	ErrTooLarge  = errors.New("frame too large")
	ErrMalformed = errors.New("malformed frame")
)

// DecodeFew is Decode for an untrusted peer: it rejects a meta part of more than n values before allocating
// anything, because a value of two bytes ("{}") can take hundreds in memory.
func (f Frame) DecodeFew(v any, n int) error {
	if jsondoc.CountValues(f.JSON) > n {
		return fmt.Errorf("%w: %s with more than %d values", ErrTooLarge, f.Op, n)
	}
	return f.Decode(v)
}

// Decode fills v from the frame's meta part.
func (f Frame) Decode(v any) error {
	if err := json.Unmarshal(f.JSON, v); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrMalformed, f.Op, err)
	}
	return nil
}

// encode returns the part of a frame before its raw body of n bytes.
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

// read reads one frame. It reads whatever follows the header only after admit has allowed it.
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

// readBody reads n bytes. It allocates the whole buffer only when the first part has arrived, so that a peer cannot
// make it allocate just by announcing a large frame; and in one piece, because growing would need the memory twice.
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

// cut turns an end of the stream inside a frame into an error that is not mistaken for the orderly end.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
