package mail

import (
	"bufio"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/charset"
	"github.com/gorlm/rlm/internal/kit/startup"
)

// maxHeader limits the headers of a message or part, in bytes.
const maxHeader = 1 << 20

// header is the headers of a message or part by lower-case name; the first of each name wins.
type header map[string]string

// readHeader reads up to the empty line after the headers. Mails may violate the standard: a line that is not a
// header ends the headers, and is returned as the start of the text.
func readHeader(r *bufio.Reader) (h header, rest string, err error) {
	h = header{}
	name, size := "", 0
	var value strings.Builder // value of name, possibly over many lines
	keep := func() {
		if name != "" {
			h[name] = value.String()
		}
		name = ""
		value.Reset()
	}
	defer keep()
	for size < maxHeader {
		line, err := readLine(r)
		size += len(line)
		text := strings.TrimRight(line, "\r\n")
		switch key, first, ok := strings.Cut(text, ":"); {
		case text == "" && (err != nil || line != ""):
			if err == io.EOF {
				err = nil
			}
			return h, "", err
		case text[0] == ' ' || text[0] == '\t':
			if name != "" {
				value.WriteByte(' ')
				value.WriteString(strings.TrimLeft(text, " \t"))
			}
		case strings.HasPrefix(text, "From ") || strings.HasPrefix(text, ">From "): // left over from a mailbox
		case !ok || strings.ContainsAny(strings.TrimRight(key, " \t"), " \t"):
			return h, line, nil
		default:
			keep()
			key = strings.ToLower(strings.TrimRight(strings.TrimPrefix(key, "\ufeff"), " \t"))
			if _, again := h[key]; !again {
				name = key
				value.WriteString(strings.TrimLeft(first, " \t"))
			}
		}
		if err == io.EOF {
			return h, "", nil
		}
		if err != nil {
			return h, "", err
		}
	}
	return h, "", nil
}

// readLine reads a line with its end, up to maxHeader bytes.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for b.Len() < maxHeader {
		part, err := r.ReadSlice('\n')
		b.Write(part)
		if err != bufio.ErrBufferFull {
			return b.String(), err
		}
	}
	return b.String(), nil
}

// encodedWord matches an encoded word of a header (RFC 2047), with an optional language (RFC 2231) and the white
// space after it.
var encodedWord = startup.Regexp(`=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=(\s*)`)

// decode decodes a header. Adjacent encoded words of one charset are decoded together, because programs split words
// in the middle of a character.
func decode(s string) string {
	s = charset.String(s, "")
	if !strings.Contains(s, "=?") {
		return s
	}
	var out strings.Builder
	var raw []byte // bytes of words whose charset is label
	label, space, at := "", "", 0
	flush := func() {
		out.WriteString(charset.String(string(raw), label))
		raw = raw[:0]
	}
	for _, m := range encodedWord().FindAllStringSubmatchIndex(s, 1000) {
		word, ok := wordBytes(s[m[4]:m[5]], s[m[6]:m[7]])
		if !ok {
			continue
		}
		if m[0] > at {
			flush()
			out.WriteString(space + s[at:m[0]])
		}
		if next := strings.ToLower(s[m[2]:m[3]]); next != label {
			flush()
			label = next
		}
		raw = append(raw, word...)
		space, at = s[m[8]:m[9]], m[1]
	}
	flush()
	if at < len(s) {
		out.WriteString(space)
	}
	return out.String() + s[at:]
}

// wordBytes returns the bytes of an encoded word. Truncated base64 is allowed.
func wordBytes(encoding, text string) ([]byte, bool) {
	if strings.EqualFold(encoding, "b") {
		b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		return b, err == nil
	}
	b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(strings.ReplaceAll(text, "_", " ") + "=")))
	return b, err == nil
}

// mediaType returns the value of a header such as Content-Type without its parameters, in lower case.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// parameter returns a parameter of a header, even if it is split or encoded (RFC 2231) or lacks its quotes.
func parameter(s, name string) string {
	pieces, encoded := map[int]string{}, map[int]bool{}
	plain := ""
	_, s, _ = strings.Cut(s, ";")
	for range 200 {
		key, value, rest, ok := nextParameter(s)
		if !ok {
			break
		}
		s = rest
		key, ok = strings.CutPrefix(key, name)
		switch {
		case !ok:
		case key == "":
			if plain == "" {
				plain = value
			}
		case key[0] == '*':
			n, err := strconv.Atoi(strings.Trim(key, "*"))
			if key == "*" {
				n, err = 0, nil
			}
			if err == nil {
				pieces[n], encoded[n] = value, strings.HasSuffix(key, "*")
			}
		}
	}
	if len(pieces) == 0 {
		return decode(plain)
	}
	var b strings.Builder
	label := ""
	for n := 0; ; n++ {
		piece, ok := pieces[n]
		if !ok {
			break
		}
		if encoded[n] {
			if l, rest, ok := strings.Cut(piece, "'"); n == 0 && ok {
				if _, text, ok := strings.Cut(rest, "'"); ok {
					label, piece = l, text
				}
			}
			if d, err := url.PathUnescape(piece); err == nil {
				piece = d
			}
		}
		b.WriteString(piece)
	}
	if label == "" && !encoded[0] {
		return decode(b.String())
	}
	return charset.String(b.String(), label)
}

// nextParameter reads `; key="value"`.
func nextParameter(s string) (key, value, rest string, ok bool) {
	s = strings.TrimLeft(s, "; \t")
	key, s, ok = strings.Cut(s, "=")
	if !ok {
		return "", "", "", false
	}
	key = strings.ToLower(strings.TrimSpace(key))
	s = strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ";")
		return key, strings.TrimSpace(value), rest, true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return key, b.String(), s[i+1:], true
		case '\\':
			if i+1 < len(s) {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return key, b.String(), "", true
}
