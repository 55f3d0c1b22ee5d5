package mail

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// decoded decodes the transfer encoding of a part.
func (m *message) decoded(h header, r io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(h["content-transfer-encoding"])) {
	case "base64":
		in := bufio.NewReader(r)
		if head, _ := in.Peek(headOf64); !isBase64(head) {
			return in // the declared encoding is wrong
		}
		return m.base64(in)
	case "quoted-printable":
		in := lines(r)
		if head, _ := in.Peek(headOf64); surely64(head, parameter(h["content-type"], "charset")) {
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
func (m *message) unlabelled(h header, attached bool, r io.Reader) io.Reader {
	in := bufio.NewReader(r) // a small one: a mailbox may have many thousands of small parts
	head, _ := in.Peek(headOf64)
	data := line64(head)
	switch {
	case surely64(head, parameter(h["content-type"], "charset")), attached && isFile(data):
		m.note("a part is in base64, although its header does not say so, and was decoded")
		return m.base64(in)
	case len(data) >= 45 && bytes.ContainsAny(untilRuler(head), "0123456789"): // a line of 60 characters
		m.note("a part is one line that may be in base64, although its header does not say so, and was not decoded")
	}
	return in
}

// isFile reports whether data is a file in a format that is recognised by its first bytes.
func isFile(data []byte) bool {
	form, _ := format.Recognise(data, int64(len(data)), "")
	return form != format.Text && form != format.Binary
}

// surely64 reports whether text without a label is base64: lines of the length that mail programs write, or one line
// that is a text when decoded.
func surely64(head []byte, label string) bool {
	all := lines64(head)
	if len(all) < 2 {
		return isText(line64(head), label)
	}
	first := string(all[0])
	return bytes.Count(bytes.TrimSpace(untilRuler(head)), []byte("\n")) == len(all)-1 && len(first) >= 60 &&
		len(first)%4 == 0 && strings.ToLower(first) != first && strings.ToUpper(first) != first
}

// lines64 returns the lines of a text if they may be base64.
func lines64(head []byte) [][]byte {
	all := bytes.Fields(untilRuler(head))
	for i, line := range all {
		digits := bytes.TrimRight(line, "=")
		padded, last := len(line)-len(digits), i == len(all)-1
		if bytes.ContainsFunc(digits, func(c rune) bool { return c >= 0x80 || !isDigit64(byte(c)) }) ||
			len(line) > len(all[0]) || len(line) < len(all[0]) && !last || padded > 2 ||
			padded > 0 && (!last || len(line)%4 > 0) {
			return nil
		}
	}
	return all
}

// line64 decodes a text if it may be one line of base64.
func line64(head []byte) []byte {
	all := lines64(head)
	if len(all) != 1 {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(string(all[0]))
	if err != nil {
		return nil
	}
	return data
}

// isText reports whether decoded base64 is certainly a text. What is not in UTF-8 needs more letters than the bytes
// of a password or a key have by chance.
func isText(data []byte, label string) bool {
	cut := 0
	for cut < utf8.UTFMax-1 && len(data) >= headOf64*3/4 && !utf8.Valid(data[:len(data)-cut]) {
		cut++ // a character at the end of the head may be cut
	}
	if utf8.Valid(data[:len(data)-cut]) && !bytes.ContainsFunc(data, isControl) {
		return len(data) > 11 && bytes.ContainsAny(data, " ")
	}
	text := []rune(charset.String(string(data), label))
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' || r >= 0x3000 { // Asian signs are wide
			letters++
		}
	}
	return len(data) >= 24 && letters*10 >= len(text)*9 && !slices.ContainsFunc(text, isControl)
}

func isControl(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }

// untilRuler removes what follows a line drawn by a mailing list.
func untilRuler(head []byte) []byte {
	for _, mark := range ruler {
		head, _, _ = bytes.Cut(head, []byte("\n"+string(mark)))
	}
	return head
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
