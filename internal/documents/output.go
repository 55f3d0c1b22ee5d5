package documents

import (
	"context"
	"io"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/sandbox"
)

// output is a converter's Output. It sends everything to the host.
type output struct {
	host  *sandbox.Host
	text  []byte // not sent yet
	left  int64  // bytes of text that the host still accepts
	piece []byte // buffer for pieces of members
}

// flush sends the pending text.
func (o *output) flush() error {
	if len(o.text) == 0 {
		return nil
	}
	err := o.host.Send(opText, nil, o.text)
	o.text = o.text[:0]
	return err
}

// say sends a message, after all text that precedes it.
func (o *output) say(op string, meta any, body string) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.host.Send(op, meta, []byte(body))
}

func (o *output) Kind(kind string) error { return o.say(opKind, nil, shown(kind)) }

func (o *output) Meta(name, value string) error {
	return o.say(opMeta, metaMeta{shown(name), shownUpTo(value, 2000)}, "")
}

func (o *output) Begin(p format.Part) error {
	return o.say(opBegin, partMeta{p.Kind, p.Number, shown(p.Name)}, "")
}

func (o *output) Note(text string) error { return o.say(opNote, nil, shown(text)) }

func (o *output) Skip(path, reason string) error {
	return o.say(opSkip, skipMeta{shown(path), shown(reason)}, "")
}

func (o *output) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		if o.left == 0 {
			return written, format.ErrTooLarge
		}
		n := int(min(int64(len(p)), o.left, int64(maxPiece-len(o.text))))
		o.text = append(o.text, p[:n]...)
		o.left -= int64(n)
		written += n
		p = p[n:]
		if len(o.text) == maxPiece {
			if err := o.flush(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// Member sends a document inside the document. An error of r is reported for the member only.
func (o *output) Member(path string, modified time.Time, r io.Reader) error {
	if y := modified.Year(); y < 1 || y > 9999 { // cannot be encoded as JSON
		modified = time.Time{}
	}
	if err := o.say(opMember, memberMeta{shown(path), modified.UTC()}, ""); err != nil {
		return err
	}
	if o.piece == nil {
		o.piece = make([]byte, maxPiece)
	}
	for {
		n, err := fill(r, o.piece)
		if n > 0 {
			if serr := o.host.Send(opData, nil, o.piece[:n]); serr != nil {
				return serr
			}
		}
		switch {
		case err == io.EOF:
			return o.host.Send(opEnd, failure{}, nil)
		case err != nil:
			return o.host.Send(opEnd, explain(context.Background(), err), nil)
		}
	}
}

// fill reads until buf is full. Unlike io.ReadFull, it returns the reader's error unchanged.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}
