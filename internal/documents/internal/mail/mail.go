// Package mail converts messages and mailboxes: sender, recipients, date, the text, and attachments as separate
// documents.
package mail

import (
	"bytes"
	"context"
	"io"
	"net/mail"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// shown are the headers written to the text, in this order.
var shown = []string{"From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To"}

// Convert is the converter for single messages (.eml), and for web pages in the same format (.mhtml).
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("mail"); err != nil {
		return err
	}
	r := lines(decoding.Reader(src.Reader()))
	h, rest, err := readHeader(r)
	if err != nil {
		return err
	}
	for _, name := range shown {
		if err := out.Meta(name, decode(h[strings.ToLower(name)])); err != nil {
			return err
		}
	}
	m := &message{ctx: ctx, out: out, date: date(h)}
	if err := m.read(h, io.MultiReader(strings.NewReader(rest), r)); err != nil {
		return err
	}
	for _, note := range m.notes {
		if err := out.Note(note); err != nil {
			return err
		}
	}
	return nil
}

// read reads the message after its headers. A note reports the encoding that was guessed for headers that declare
// none.
func (m *message) read(h header, r io.Reader) error {
	for _, name := range shown {
		if remark := charset.Remark(h[strings.ToLower(name)], ""); remark != "" {
			m.note(name + ": " + remark)
		}
	}
	text, _ := m.body(h, r, 0)
	return m.finish(text)
}

// finish writes the text of the message and the list of attachments.
func (m *message) finish(text []byte) error {
	if m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	if m.err != nil {
		return m.err
	}
	text = bytes.Trim(text, "\n")
	if len(text) > 0 {
		text = append(text, '\n')
	}
	for i, name := range m.attached {
		if i == 0 && len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, "[attached: "+m.prefix+name+"]\n"...)
	}
	if len(text) == 0 {
		return nil
	}
	_, err := m.out.Write(text)
	return err
}

// date returns when the message was sent; the zero time if that is missing or invalid.
func date(h header) time.Time {
	t, err := mail.ParseDate(h["date"])
	if err != nil {
		return time.Time{}
	}
	return t
}
