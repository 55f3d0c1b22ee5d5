package openai

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// longText is the maximum number of bytes of a text in a body that is held in memory. Longer texts are written to
// disk while they arrive.
const longText = 8 << 10

// body is the JSON of a request. Long texts are stored in a file; in the JSON they are replaced by marks that
// clients cannot guess.
type body struct {
	json  []byte
	sum   string // hash of the raw body
	mark  string
	texts files.Spool
	longs []*long
	done  func() // releases the body's share of the server's limit
}

// long is a long text of a body, stored on disk.
type long struct {
	*io.SectionReader
	sum [sha256.Size]byte // hash of the text without leading and trailing white space
}

// readBody reads a body, and puts its long texts into a file in dir.
func readBody(r io.Reader, dir string) (*body, error) {
	sum := sha256.New()
	b := &body{mark: "\x00" + rand.Text() + ":", texts: files.Spool{Dir: dir}, done: func() {}}
	err := b.scan(bufio.NewReaderSize(decoding.Reader(io.TeeReader(r, sum)), 64<<10))
	if err == nil {
		err = b.texts.Flush()
	}
	if err != nil {
		return nil, errors.Join(err, b.texts.Close())
	}
	b.sum = hex.EncodeToString(sum.Sum(nil))
	return b, nil
}

// Close deletes the long texts, and releases the body's share of the server's limit.
func (b *body) Close() error {
	b.done()
	return b.texts.Close()
}

// scan copies the JSON, and moves long texts to the file. It leaves other syntax errors to the decoder.
func (b *body) scan(in *bufio.Reader) error {
	for {
		piece, err := in.Peek(max(1, in.Buffered()))
		if i := bytes.IndexByte(piece, '"'); i >= 0 {
			b.json = append(b.json, piece[:i]...)
			_, _ = in.Discard(i + 1) // cannot fail after Peek
			if err := b.text(in); err != nil {
				return err
			}
			continue
		}
		b.json = append(b.json, piece...)
		_, _ = in.Discard(len(piece))
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// text copies a text up to its closing quote.
func (b *body) text(in *bufio.Reader) error {
	begin := len(b.json)
	b.json = append(b.json, '"')
	for {
		piece, err := in.Peek(max(1, in.Buffered()))
		i := bytes.IndexAny(piece, `"\`)
		switch {
		case i < 0:
			i = len(piece)
		case piece[i] == '"' && len(b.json)-begin+i <= longText:
			b.json = append(b.json, piece[:i+1]...)
			_, _ = in.Discard(i + 1)
			return nil
		case piece[i] == '"':
		case i+1 < len(piece): // an escaped character
			i += 2
		case i == 0:
			if piece, err = in.Peek(2); len(piece) == 2 {
				i, err = 2, nil
			}
		}
		b.json = append(b.json, piece[:i]...)
		_, _ = in.Discard(i)
		if errors.Is(err, io.EOF) {
			return nil // the decoder reports the missing quote
		}
		if err != nil {
			return err
		}
		if len(b.json)-begin > longText {
			return b.long(in, begin)
		}
	}
}

// long moves a text to the file once it has turned out to be long. The beginning of the text is already in the
// JSON.
func (b *body) long(in *bufio.Reader, begin int) error {
	from, sum := b.texts.Size(), &trimWriter{to: sha256.New()}
	u := &unescaper{to: io.MultiWriter(&b.texts, sum)}
	_, err := u.feed(b.json[begin+1:])
	b.json = b.json[:begin]
	for err == nil && !u.ended {
		var piece []byte
		if piece, err = in.Peek(max(1, in.Buffered())); len(piece) == 0 {
			break
		}
		var n int
		n, err = u.feed(piece)
		_, _ = in.Discard(n) // cannot fail after Peek
	}
	switch {
	case errors.Is(err, io.EOF): // the decoder reports the missing quote
		b.json = append(b.json, '"')
		return nil
	case err != nil:
		return err
	}
	mark, _ := json.Marshal(b.mark + strconv.Itoa(len(b.longs))) // any text can be encoded
	b.json = append(b.json, mark...)
	b.longs = append(b.longs, &long{SectionReader: io.NewSectionReader(&b.texts, from, b.texts.Size()-from)})
	sum.to.Sum(b.longs[len(b.longs)-1].sum[:0])
	return nil
}

// of returns the long text for a mark; nil if text is not a mark.
func (b *body) of(text string) *long {
	if b == nil {
		return nil
	}
	number, ok := strings.CutPrefix(text, b.mark)
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n >= len(b.longs) {
		return nil
	}
	return b.longs[n]
}

// mostPut is the maximum number of bytes of long texts in a field that put restores.
const mostPut = 1 << 20

// put restores the long texts of a field that is needed as a whole.
func (b *body) put(param string, raw json.RawMessage) (json.RawMessage, error) {
	quoted, _ := json.Marshal(b.mark) // any text can be encoded
	quoted = quoted[:len(quoted)-1]
	size := int64(0)
	for {
		i := bytes.Index(raw, quoted)
		if i < 0 {
			return raw, nil
		}
		end := i + len(quoted) + bytes.IndexByte(raw[i+len(quoted):], '"')
		var text string
		if err := json.Unmarshal(raw[i:end+1], &text); err != nil {
			return nil, notJSON(err)
		}
		l := b.of(text)
		if l == nil {
			return nil, wrong(param, "'"+param+"' is not as expected")
		}
		if size += l.Size(); size > mostPut {
			return nil, wrong(param, "'"+param+"' is too long: long texts are for messages")
		}
		whole, err := l.whole()
		if err != nil {
			return nil, err
		}
		text8, _ := json.Marshal(whole)
		raw = slices.Concat(raw[:i], text8, raw[end+1:])
	}
}

// whole reads a text into memory.
func (l *long) whole() (string, error) {
	var b strings.Builder
	_, err := io.Copy(&b, io.NewSectionReader(l, 0, l.Size()))
	return b.String(), err
}

// part returns a part of the text. A negative from is an offset from the end.
func (l *long) part(from, size int64) string {
	if from < 0 {
		from += l.Size()
	}
	b := make([]byte, size)
	n, _ := l.ReadAt(b, from) // what cannot be read is left out
	return strings.ToValidUTF8(string(b[:n]), "")
}

// decoded decodes a base64 text, and stores the bytes on disk too.
func (b *body) decoded(l *long, from int64) (*long, error) {
	begin := b.texts.Size()
	out := &long{}
	sum := &trimWriter{to: sha256.New()}
	_, err := io.Copy(io.MultiWriter(&b.texts, sum),
		base64.NewDecoder(base64.StdEncoding, io.NewSectionReader(l, from, l.Size()-from)))
	if err == nil {
		err = b.texts.Flush()
	}
	out.SectionReader = io.NewSectionReader(&b.texts, begin, b.texts.Size()-begin)
	sum.to.Sum(out.sum[:0])
	return out, err
}

// sumOf returns the hash of a text without its leading and trailing white space, which some clients remove.
func sumOf(text string) (out [sha256.Size]byte) {
	sum := &trimWriter{to: sha256.New()}
	_, _ = io.WriteString(sum, text) // a hash never fails
	sum.to.Sum(out[:0])
	return out
}

// trimWriter hashes what is written, without white space at the beginning and the end.
type trimWriter struct {
	to    hash.Hash
	begun bool
	held  []byte // white space that is left out if no text follows
}

const (
	blanks   = " \t\r\n"
	mostHeld = 64 << 10 // maximum length of held in bytes
)

func (t *trimWriter) Write(p []byte) (int, error) {
	n := len(p)
	if !t.begun {
		p = bytes.TrimLeft(p, blanks)
		t.begun = len(p) > 0
	}
	text := bytes.TrimRight(p, blanks)
	if len(text) > 0 || len(t.held) > mostHeld {
		_, _ = t.to.Write(t.held) // a hash never fails
		t.held = t.held[:0]
	}
	_, _ = t.to.Write(text)
	t.held = append(t.held, p[len(text):]...)
	return n, nil
}

// unescaper decodes the content of a JSON string as it arrives.
type unescaper struct {
	to        io.Writer
	out       []byte
	escape    []byte // the escape sequence, if incomplete
	surrogate rune   // first half of a surrogate pair; 0 if there is none
	ended     bool   // the closing quote has arrived
}

var errEscape = errors.New("invalid escape in a string")

// feed decodes a piece up to the closing quote; n is the number of bytes that it consumed.
func (u *unescaper) feed(piece []byte) (n int, err error) {
	u.out = u.out[:0]
	for n < len(piece) && err == nil && !u.ended {
		if len(u.escape) > 0 {
			u.escape = append(u.escape, piece[n])
			n++
			err = u.escaped()
			continue
		}
		i := n
		for i < len(piece) && piece[i] != '"' && piece[i] != '\\' && piece[i] >= ' ' {
			i++
		}
		if i > n {
			u.lone()
			u.out = append(u.out, piece[n:i]...)
			n = i
			continue
		}
		n++
		switch piece[i] {
		case '"':
			u.lone()
			u.ended = true
		case '\\':
			u.escape = append(u.escape, '\\')
		default:
			err = errors.New("a string contains a control character")
		}
	}
	if err != nil {
		return n, notJSON(err)
	}
	_, err = u.to.Write(u.out)
	return n, err
}

// lone writes a replacement character if there is the first half of a surrogate pair without the second.
func (u *unescaper) lone() {
	if u.surrogate != 0 {
		u.out = utf8.AppendRune(u.out, utf8.RuneError)
		u.surrogate = 0
	}
}

// escaped decodes the escape sequence if it is complete.
func (u *unescaper) escaped() error {
	kind := u.escape[1]
	if kind != 'u' {
		i := strings.IndexByte(`"\/bfnrt`, kind)
		if i < 0 {
			return errEscape
		}
		u.lone()
		u.out = append(u.out, "\"\\/\b\f\n\r\t"[i])
		u.escape = u.escape[:0]
		return nil
	}
	if len(u.escape) < 6 {
		return nil
	}
	n, err := strconv.ParseUint(string(u.escape[2:]), 16, 16)
	if err != nil {
		return errEscape
	}
	u.escape = u.escape[:0]
	r, first := rune(n), u.surrogate
	if u.surrogate = 0; first != 0 {
		if whole := utf16.DecodeRune(first, r); whole != utf8.RuneError {
			u.out = utf8.AppendRune(u.out, whole)
			return nil
		}
		u.out = utf8.AppendRune(u.out, utf8.RuneError)
	}
	if utf16.IsSurrogate(r) && r < 0xDC00 {
		u.surrogate = r
		return nil
	}
	u.out = utf8.AppendRune(u.out, r) // a lone low surrogate becomes a replacement character
	return nil
}
