package mail

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decoded decodes the transfer encoding of a part.
func (m *message) decoded(encoding string, r io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		in := bufio.NewReader(r)
		if head, _ := in.Peek(headOf64); !isBase64(head) {
			return in // the declared encoding is wrong
		}
		return m.base64(in)
	case "quoted-printable":
		in := lines(r)
		if head, _ := in.Peek(headOf64); surely64(head) {
			return in // the declared encoding is wrong
		}
		return quotedprintable.NewReader(in)
	case "x-uuencode", "uuencode", "x-uue", "uue":
		all, err := io.ReadAll(io.LimitReader(r, mostUU))
		blocks := uuBlocks(bytes.ReplaceAll(all, []byte("\r\n"), []byte("\n")))
		if len(blocks) == 1 && err == nil {
			return bytes.NewReader(blocks[0].data)
		}
		m.note("a part is damaged: it should be in uuencode")
		return bytes.NewReader(all)
	}
	return r
}

// headOf64 is how many bytes of a part tell whether it is in base64.
const headOf64 = 1024

func (m *message) base64(r io.Reader) io.Reader {
	return base64.NewDecoder(base64.StdEncoding, &base64Filter{r: r, more: func() {
		m.note("data after the end of a base64 part was left out")
	}})
}

// unlabelled decodes a part in base64 whose header does not say so.
func (m *message) unlabelled(r io.Reader) io.Reader {
	in := bufio.NewReader(r) // a small one: a mailbox may have many thousands of small parts
	if head, _ := in.Peek(headOf64); !surely64(head) {
		return in
	}
	m.note("a part is in base64, although its header does not say so, and was decoded")
	return m.base64(in)
}

// surely64 reports whether text without a label is base64: lines of the length that mail programs write, or one line
// that is a text when decoded. A line drawn by a mailing list ends it.
func surely64(head []byte) bool {
	for _, mark := range ruler {
		head, _, _ = bytes.Cut(head, []byte("\n"+string(mark)))
	}
	all := bytes.Fields(head)
	if len(all) == 0 {
		return false
	}
	long, last := len(all[0]), len(all)-1
	for i, line := range all {
		digits := bytes.TrimRight(line, "=")
		padded := len(line) - len(digits)
		if bytes.ContainsFunc(digits, func(c rune) bool { return c >= 0x80 || !isDigit64(byte(c)) }) ||
			len(line) > long || len(line) < long && i < last || padded > 2 ||
			padded > 0 && (i < last || len(line)%4 > 0) {
			return false
		}
	}
	if last > 0 {
		first := string(all[0])
		return bytes.Count(bytes.TrimSpace(head), []byte("\n")) == last && long >= 60 && long%4 == 0 &&
			strings.ToLower(first) != first && strings.ToUpper(first) != first
	}
	text, err := base64.StdEncoding.DecodeString(string(all[0]))
	for n := 0; n < utf8.UTFMax-1 && len(head) >= headOf64 && !utf8.Valid(text); n++ {
		text = text[:len(text)-1] // a character at the end of the head may be cut
	}
	return err == nil && len(text) > 11 && utf8.Valid(text) && bytes.ContainsAny(text, " ") &&
		!bytes.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

// isBase64 reports whether text starts like base64. It ignores text that a mailing list appended.
func isBase64(head []byte) bool {
	all := 0
	for line := range bytes.Lines(bytes.TrimLeft(head, " \t\r\n")) {
		line, _, padded := bytes.Cut(bytes.TrimSpace(line), []byte("="))
		if bytes.ContainsFunc(line, func(c rune) bool { return c >= 0x80 || !isDigit64(byte(c)) }) {
			return all >= 40 && all%4 == 0 && bytes.ContainsAny(line[:1], ruler)
		}
		if all += len(line); len(line) == 0 || padded {
			break
		}
	}
	return true
}

// ruler has the characters of the line that mailing lists draw before the text they append.
const ruler = "_-"

func isDigit64(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '+' || c == '/'
}

// base64Filter removes invalid characters, ignores anything after the end of the data, and completes truncated
// data.
type base64Filter struct {
	r    io.Reader
	n    int // characters so far
	done bool
	fill int    // number of missing =
	more func() // called if text follows the end of the data
}

func (a *base64Filter) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if a.done {
			n := 0
			for ; a.fill > 0 && n < len(p); a.fill-- {
				p[n] = '='
				n++
			}
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		n, err := a.r.Read(p)
		if end := bytes.IndexAny(p[:n], "="+ruler); end >= 0 {
			rest, _ := io.ReadAll(io.LimitReader(a.r, 256))
			if len(bytes.Trim(append(bytes.Clone(p[end:n]), rest...), "= \t\r\n")) > 0 {
				a.more()
			}
			n, err = end, io.EOF
		}
		kept := 0
		for _, c := range p[:n] {
			if isDigit64(c) {
				p[kept] = c
				kept++
			}
		}
		a.n += kept
		if err == io.EOF {
			a.done = true
			if a.n%4 > 1 {
				a.fill = 4 - a.n%4
			}
			err = nil
		}
		if kept > 0 || err != nil {
			return kept, err
		}
	}
	return 0, nil
}
