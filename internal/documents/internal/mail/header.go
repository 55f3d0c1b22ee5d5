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

// maxHeader bounds the headers of one message or part.
const maxHeader = 1 << 20

// header is the fields of a message or a part, by name in lower case; of several with one name, the first.
type header map[string]string

// readHeader reads up to the empty line behind the headers. Mails are not always what the standard says: a line that
// is no header ends them and belongs to the text.
func readHeader(r *bufio.Reader) (h header, rest string, err error) {
	h = header{}
	name, size := "", 0
	var value strings.Builder // of name, whose lines may be many
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
		case strings.HasPrefix(text, "From ") || strings.HasPrefix(text, ">From "): // of the mailbox that it was in
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

// readLine reads a line with its end, or as much of it as headers may have.
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

// encodedWord is an encoded word of a header (RFC 2047), with the language that it may name (RFC 2231) and the white
// space behind it.
var encodedWord = startup.Regexp(`=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=(\s*)`)

// decode makes text of a header. Programs divide a text into encoded words in the middle of a character, so
// neighbours of one charset are decoded together.
func decode(s string) string {
	s = charset.String(s, "")
	if !strings.Contains(s, "=?") {
		return s
	}
	var out strings.Builder
	var raw []byte // of words whose charset is label
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

// wordBytes are the bytes of an encoded word. Base64 may lack its end.
func wordBytes(encoding, text string) ([]byte, bool) {
	if strings.EqualFold(encoding, "b") {
		b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		return b, err == nil
	}
	b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(strings.ReplaceAll(text, "_", " ") + "=")))
	return b, err == nil
}

// mediaType is the value of a header such as Content-Type without its parameters, in lower case.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// parameter finds a parameter of a header, also one in pieces or with an encoding of its own (RFC 2231), and one that
// is not quoted though it should be.
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
