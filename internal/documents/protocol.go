package documents

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
)

// What a host and its worker say to each other.
const (
	opJob  = "job"  // convert this; the bytes are the body, or in the file that comes along
	opStop = "stop" // end the conversion, and say what there is

	opKind   = "kind"   // what the document is
	opMeta   = "meta"   // a line of the head
	opBegin  = "begin"  // a part begins
	opText   = "text"   // a piece of the text
	opNote   = "note"   // a remark
	opMember = "member" // a member begins
	opData   = "data"   // a piece of the member
	opEnd    = "end"    // the member ends
	opSkip   = "skip"   // a member that is left out
	opDone   = "done"   // the document ends
)

const (
	maxPiece = 64 << 10 // bytes of text or of a member in one message
	maxSmall = 16 << 10 // bytes of all else
	maxShown = 500      // bytes of a name, a path or a reason
)

type jobMeta struct {
	Form   format.Form `json:"form"`
	Name   string      `json:"name"`
	Offset int64       `json:"offset,omitempty"` // in the file
	Size   int64       `json:"size"`
	Memory int64       `json:"memory"` // bytes that the worker may have
	Output int64       `json:"output"` // bytes of text that are taken
}

type metaMeta struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type partMeta struct {
	Kind   format.PartKind `json:"kind"`
	Number int             `json:"number"`
	Name   string          `json:"name,omitempty"`
}

type memberMeta struct {
	Path     string    `json:"path"`
	Modified time.Time `json:"modified,omitzero"`
}

// failure says what went wrong; nothing did if Error is empty.
type failure struct {
	Error string    `json:"error,omitempty"`
	Which errorKind `json:"which,omitempty"`
}

// errorKind tells errors of format apart on their way to the host.
type errorKind string

const (
	password errorKind = "password"
	tooLarge errorKind = "too large"
	noText   errorKind = "no text"
	bomb     errorKind = "bomb"
	unread   errorKind = "unread"
	stopped  errorKind = "stopped"
	panicked errorKind = "panicked"
)

// lasting reports whether another try would fail in the same way.
func (f failure) lasting() bool {
	return f.Which == "" || f.Which == password || f.Which == noText || f.Which == bomb
}

type skipMeta struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

var (
	errUnknown = errors.New("no worker says that")
	errLong    = errors.New("it is too long")
)

// admit bounds what a worker says.
func admit(op string, meta, body int) error {
	var m, b int
	switch op {
	case opKind, opNote:
		b = maxSmall
	case opMeta, opBegin, opMember, opEnd, opSkip, opDone:
		m = maxSmall
	case opText, opData:
		b = maxPiece
	default:
		return errUnknown
	}
	if meta > m || body > b {
		return fmt.Errorf("%w: at most %d + %d bytes are taken", errLong, m, b)
	}
	return nil
}
