package mail

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// ConvertMbox is the converter for mailboxes. Each message is a part; its attachments are members below the
// message's number.
func ConvertMbox(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("mbox"); err != nil {
		return err
	}
	box := &mailbox{r: lines(decoding.Reader(src.Reader())), blank: true}
	r := lines(box)
	for n, notes := 1, 0; ; n++ {
		ok, err := box.next()
		if err != nil || !ok {
			return err
		}
		r.Reset(box)
		h, rest, err := readHeader(r)
		if err != nil {
			return err
		}
		if err := out.Begin(format.Part{Kind: format.Message, Number: n, Name: decode(h["subject"])}); err != nil {
			return err
		}
		var head strings.Builder
		for _, name := range shown {
			head.WriteString(format.MetaLine(name, decode(h[strings.ToLower(name)])))
		}
		if _, err := io.WriteString(out, head.String()+"\n"); err != nil {
			return err
		}
		m := &message{ctx: ctx, out: out, prefix: fmt.Sprintf("%d/", n), date: date(h)}
		if err := m.read(h, io.MultiReader(strings.NewReader(rest), r)); err != nil {
			return err
		}
		for _, note := range m.notes {
			if notes++; notes <= 20 {
				if err := out.Note(fmt.Sprintf("message %d: %s", n, note)); err != nil {
					return err
				}
			}
		}
		if _, err := io.Copy(io.Discard, box); err != nil {
			return err
		}
	}
}

// mailbox reads one message after another. A message ends before an empty line that is followed by "From sender
// date". Such lines within a text are escaped as ">From ", and are unescaped here.
type mailbox struct {
	r     *bufio.Reader
	blank bool   // the last line was empty
	end   bool   // the message has ended
	eof   bool   // the mailbox has ended
	rest  []byte // unread rest of the current line
	long  bool   // the line continues after rest
}

// next advances to the next message.
func (b *mailbox) next() (bool, error) {
	for !b.eof {
		line, err := b.r.ReadSlice('\n')
		if err == io.EOF {
			b.eof = true
		} else if err != nil && err != bufio.ErrBufferFull {
			return false, err
		}
		if format.IsFromLine(strings.TrimRight(string(line), "\r\n")) {
			b.end, b.blank, b.long, b.rest = false, false, false, nil
			return true, nil
		}
	}
	return false, nil
}

func (b *mailbox) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.end || b.eof {
			return 0, io.EOF
		}
		if b.blank && !b.long {
			if ahead, _ := b.r.Peek(5); string(ahead) == "From " {
				if ahead, _ = b.r.Peek(401); isFrom(ahead) {
					b.end = true
					return 0, io.EOF
				}
			}
		}
		line, err := b.r.ReadSlice('\n')
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			b.eof = true
		default:
			return 0, err
		}
		if !b.long {
			if quoted := bytes.TrimLeft(line, ">"); len(quoted) < len(line) &&
				bytes.HasPrefix(quoted, []byte("From ")) {
				line = line[1:]
			}
		}
		b.blank = !b.long && len(bytes.TrimRight(line, "\r\n")) == 0
		b.long = err == bufio.ErrBufferFull
		b.rest = line
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func isFrom(ahead []byte) bool {
	line, _, _ := bytes.Cut(ahead, []byte("\n"))
	return format.IsFromLine(strings.TrimRight(string(line), "\r"))
}
