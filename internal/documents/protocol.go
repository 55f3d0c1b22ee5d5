package documents

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Messages between the host and a worker.
const (
	opJob  = "job"  // convert a document; its bytes are the body, or in the attached file
	opStop = "stop" // stop the conversion and report the results so far

	opKind   = "kind"   // the document's format
	opMeta   = "meta"   // a line of the head
	opBegin  = "begin"  // start of a part
	opText   = "text"   // a piece of text
	opNote   = "note"   // a remark
	opMember = "member" // start of a member
	opData   = "data"   // a piece of a member
	opEnd    = "end"    // end of the member
	opSkip   = "skip"   // a member that is left out
	opDone   = "done"   // end of the document
)

const (
	maxPiece = 64 << 10 // bytes of text or of a member in one message
	maxSmall = 16 << 10 // bytes of any other message
	maxShown = 500      // bytes of a name, a path or a reason
)

type jobMeta struct {
	Form   format.Form `json:"form"`
	Name   string      `json:"name"`
	Offset int64       `json:"offset,omitempty"` // offset in the file
	Size   int64       `json:"size"`
	Memory int64       `json:"memory"` // bytes that the worker may use
	Output int64       `json:"output"` // bytes of text that the host accepts
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

// failure describes an error; an empty Error means success.
type failure struct {
	Error string    `json:"error,omitempty"`
	Which errorKind `json:"which,omitempty"`
}

// errorKind identifies the errors of package format in messages to the host.
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
	errUnknown = errors.New("not something a worker says")
	errLong    = errors.New("it is too long")
)

// admit limits the sizes of a worker's messages.
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
