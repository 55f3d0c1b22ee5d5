package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/smallstep/pkcs7"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
	"github.com/gorlm/rlm/internal/documents/internal/html"
)

const (
	maxText  = 32 << 20 // bytes of one text part
	maxDepth = 24       // levels of nested parts
	maxParts = 10_000   // parts of one message
)

// message is a message that is being read.
type message struct {
	ctx    context.Context
	out    format.Output
	prefix string // prefix of its members' paths
	date   time.Time

	attached []string // names of attachments, listed at the end of the text
	names    map[string]int
	parts    int
	notes    []string
	err      error // first error of out
}

// body reads a part with all parts inside it. It returns the text and passes attachments to the output. Damage
// affects only the damaged part.
func (m *message) body(h header, r io.Reader, depth int) (text []byte, isHTML bool) {
	if m.parts++; m.err != nil || m.ctx.Err() != nil {
		return nil, false
	}
	if depth > maxDepth || m.parts > maxParts {
		m.note("some parts are left out, because there are too many")
		return nil, false
	}
	kind := mediaType(h["content-type"])
	boundary := parameter(h["content-type"], "boundary")
	switch {
	case strings.HasPrefix(kind, "multipart/") && boundary != "":
		return m.multipart(kind, boundary, r, depth)
	case strings.HasPrefix(kind, "application/pkcs7-mime"), strings.HasPrefix(kind, "application/x-pkcs7-mime"):
		inner := signedContent(m.decoded(h, r))
		if inner == nil {
			m.note("the message is encrypted with S/MIME")
			m.skip(h, kind, "it is encrypted with S/MIME")
			return nil, false
		}
		m.note("the message is signed; the signature is not checked")
		in := lines(bytes.NewReader(inner))
		h, rest, err := readHeader(in)
		if err != nil {
			m.note("the message is damaged: " + err.Error())
		}
		return m.body(h, io.MultiReader(strings.NewReader(rest), in), depth+1)
	case kind == "application/pgp-encrypted":
		return nil, false
	case kind == "application/pgp-signature", kind == "application/pkcs7-signature",
		kind == "application/x-pkcs7-signature":
		m.skip(h, kind, "it is a signature")
		return nil, false
	}
	if kind == "message/external-body" {
		return m.elsewhere(h, r), false
	}
	r = m.decoded(h, r)
	attached := m.isAttachment(h, kind, depth)
	if !attached || !strings.HasPrefix(kind, "text/") { // an attached text may well be base64
		r = m.unlabelled(h, attached, r)
	}
	if attached {
		m.attach(h, kind, r)
		return nil, false
	}
	var b bytes.Buffer
	label := parameter(h["content-type"], "charset")
	limited := &io.LimitedReader{R: r, N: maxText}
	in, remark := io.Reader(limited), ""
	// A label wins over the page's own declaration, which describes the copy on the web.
	if kind != "text/html" || label != "" {
		in, remark = charset.Reader(limited, label)
	}
	var err error
	switch {
	case kind != "text/html":
		_, err = b.ReadFrom(in)
	case label != "":
		_, err = html.Markdown(m.ctx, io.MultiReader(strings.NewReader("\xEF\xBB\xBF"), in), &b)
	default:
		remark, err = html.Markdown(m.ctx, in, &b)
	}
	m.note(remark)
	switch {
	case limited.N <= 0:
		m.note("a text is cut off at 32 MiB")
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		m.note("a part is damaged: " + err.Error())
	}
	text = bytes.ReplaceAll(b.Bytes(), []byte("\r\n"), []byte("\n"))
	if kind != "text/html" {
		text = m.unpackUU(text)
	}
	if strings.EqualFold(parameter(h["content-type"], "format"), "flowed") {
		text = unflow(text, strings.EqualFold(parameter(h["content-type"], "delsp"), "yes"))
	}
	return text, kind == "text/html"
}

// elsewhere names a part that the message only refers to: its location is in the header, its name in the body.
func (m *message) elsewhere(h header, r io.Reader) []byte {
	inner, _, err := readHeader(lines(r))
	if err != nil {
		m.note("a part is damaged: " + err.Error())
	}
	place := strings.Join(strings.Fields(parameter(h["content-type"], "url")), "") // it may have several lines
	if place == "" {
		place = format.OneLine(path.Join(parameter(h["content-type"], "site"), parameter(h["content-type"], "server"),
			parameter(h["content-type"], "directory"), parameter(h["content-type"], "name")))
	}
	name := parameter(h["content-disposition"], "filename")
	if name == "" {
		name = fileName(inner, mediaType(inner["content-type"]))
	}
	m.note("an attachment is not in the message, which only names its location")
	return fmt.Appendf(nil, "[attached elsewhere: %s, at %s]\n", format.OneLine(name), place)
}

// signedContent returns the message inside an S/MIME signature; nil if it is encrypted or too large.
func signedContent(r io.Reader) []byte {
	const most = 128 << 20
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil || len(data) > most {
		return nil
	}
	p, err := pkcs7.Parse(data)
	if err != nil {
		return nil
	}
	return p.Content
}

// multipart reads the parts inside a multipart part.
func (m *message) multipart(kind, boundary string, r io.Reader, depth int) (text []byte, isHTML bool) {
	parts := multipart.NewReader(delimited(r, boundary), boundary)
	var plain, rich []byte
	for n := 0; m.err == nil; n++ {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || m.ctx.Err() != nil {
			switch {
			case m.ctx.Err() != nil:
			case n == 0:
				m.note("the parts of the message cannot be told apart: their boundary lines are missing")
			case err != io.EOF:
				m.note("the message ends without its closing boundary line: it may be cut off")
			}
			break
		}
		if err != nil { // the reader continues after the damaged line
			m.note("a part of the message is damaged, and was left out")
			continue
		}
		h := fields(p.Header)
		if kind == "multipart/related" && n > 0 && h["content-location"] != "" &&
			mediaType(h["content-disposition"]) != "attachment" {
			continue // styles and images of a saved page
		}
		if kind == "multipart/encrypted" {
			if n > 0 {
				m.note("the message is encrypted with PGP")
				m.skip(h, "application/octet-stream", "it is encrypted with PGP")
			}
			continue
		}
		if _, ok := h["content-type"]; !ok && kind == "multipart/digest" {
			h["content-type"] = "message/rfc822"
		}
		t, rich2 := m.body(h, lenientPart{p}, depth+1)
		switch {
		case len(bytes.TrimSpace(t)) == 0:
		case kind != "multipart/alternative":
			plain = join(plain, t)
			isHTML = isHTML || rich2
		case rich2:
			rich = join(rich, t)
		default:
			plain = join(plain, t)
		}
	}
	if kind == "multipart/signed" {
		m.note("the message is signed; the signature is not checked")
	}
	// If the text is only a line about HTML, or incomplete, the page is the message.
	if kind == "multipart/alternative" && len(rich) > 0 && (len(plain)*10 < len(rich) || hasMore(rich, plain)) {
		return rich, true
	}
	return plain, isHTML
}

// hasMore reports whether a page has numbers of at least two digits, outside links, that are missing in the text.
func hasMore(page, text []byte) bool {
	numbers := func(b []byte) [][]byte {
		return bytes.FieldsFunc(b, func(c rune) bool { return c < '0' || c > '9' })
	}
	known := map[string]bool{}
	for _, n := range numbers(text) {
		known[string(n)] = true
	}
	for i, piece := range bytes.Split(page, []byte("](")) {
		if i > 0 {
			_, piece, _ = bytes.Cut(piece, []byte(")"))
		}
		if slices.ContainsFunc(numbers(piece), func(n []byte) bool { return len(n) > 1 && !known[string(n)] }) {
			return true
		}
	}
	return false
}

func join(a, b []byte) []byte {
	if len(a) > 0 {
		a = append(bytes.TrimRight(a, "\n"), "\n\n"...)
	}
	return append(a, b...)
}

// lenientPart is a part that ends with its message if the closing boundary is missing.
type lenientPart struct{ r io.Reader }

func (w lenientPart) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

func fields(from textproto.MIMEHeader) header {
	h := header{}
	for name, values := range from {
		h[strings.ToLower(name)] = values[0]
	}
	return h
}

// isAttachment reports whether a part is a separate document, not text of the message.
func (m *message) isAttachment(h header, kind string, depth int) bool {
	disposition := mediaType(h["content-disposition"])
	switch {
	case disposition == "attachment":
		return true
	case kind == "text/plain", kind == "text/html", kind == "":
		return depth > 0 && parameter(h["content-disposition"], "filename") != "" && disposition != "inline"
	case kind == "message/delivery-status", kind == "message/disposition-notification", kind == "text/rfc822-headers",
		kind == "text/enriched":
		return false
	}
	return !strings.HasPrefix(kind, "multipart/")
}

func (m *message) attach(h header, kind string, r io.Reader) {
	inline := mediaType(h["content-disposition"]) == "inline" ||
		h["content-id"] != "" && mediaType(h["content-disposition"]) != "attachment"
	if strings.HasPrefix(kind, "image/") && inline {
		m.skip(h, kind, "it is an image within the text")
		return
	}
	name := m.unique(fileName(h, kind))
	m.attached = append(m.attached, name)
	m.err = m.out.Member(m.prefix+name, m.date, r)
}

func (m *message) skip(h header, kind, reason string) {
	if m.err == nil {
		m.err = m.out.Skip(m.prefix+m.unique(fileName(h, kind)), reason)
	}
}

func (m *message) note(text string) {
	if text != "" && len(m.notes) < 10 && !slices.Contains(m.notes, text) {
		m.notes = append(m.notes, text)
	}
}

// unique returns a name that no other attachment of the message has.
func (m *message) unique(name string) string {
	if m.names == nil {
		m.names = map[string]int{}
	}
	m.names[name]++
	return format.Numbered(name, m.names[name])
}

// fileName returns the name of an attachment, without folders.
func fileName(h header, kind string) string {
	name := parameter(h["content-disposition"], "filename")
	if name == "" {
		name = parameter(h["content-type"], "name")
	}
	if name == "" && kind != "message/rfc822" {
		name = decode(h["content-description"])
	}
	name = format.OneLine(name)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || name == "." || name == ".." {
		name = "attachment"
	}
	if ext := extensions[kind]; path.Ext(name) == "" && ext != "" {
		name += ext
	}
	return name
}

// extensions has the file extensions, by media type, for parts without a name.
var extensions = map[string]string{
	"message/rfc822": ".eml", "text/calendar": ".ics", "text/plain": ".txt", "text/html": ".html", "text/csv": ".csv",
	"text/vcard":      ".vcf",
	"application/pdf": ".pdf", "application/zip": ".zip", "application/json": ".json", "image/png": ".png",
	"image/jpeg":                ".jpg",
	"application/pgp-signature": ".asc", "application/pkcs7-signature": ".p7s", "application/pkcs7-mime": ".p7m",
}

// unflow joins lines that a mailer wrapped (RFC 3676).
func unflow(text []byte, deleteSpace bool) []byte {
	var b bytes.Buffer
	joined, quote := false, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		rest := strings.TrimLeft(line, ">")
		q := line[:len(line)-len(rest)]
		rest = strings.TrimPrefix(rest, " ")
		switch {
		case joined && q == quote && rest != "-- ":
			b.WriteString(rest)
		default:
			if joined {
				b.WriteByte('\n')
			}
			b.WriteString(q)
			if q != "" {
				b.WriteByte(' ')
			}
			b.WriteString(rest)
		}
		joined, quote = strings.HasSuffix(rest, " ") && rest != "-- ", q
		if joined && deleteSpace {
			b.Truncate(b.Len() - 1)
		}
		if !joined {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// lines returns a buffered reader for headers.
func lines(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 64<<10) }
