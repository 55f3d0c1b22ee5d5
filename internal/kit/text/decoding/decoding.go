// Package decoding reads text from files and pipes, however its author's system encodes text: in UTF-8, UTF-16 or
// UTF-32, with a byte order mark or without, with any line ends. The result is UTF-8 without a mark.
package decoding

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/gorlm/rlm/internal/kit/text"
)

// longestHead is how many bytes of a text determine its encoding.
const longestHead = 8 << 10

// Mark is the byte order mark in UTF-8.
const Mark = "\uFEFF"

// marks are the byte order marks; those of UTF-32 come first, because one begins with a mark of UTF-16.
var marks = []struct {
	bytes, name string
	encoding    encoding.Encoding
}{
	{"\xFF\xFE\x00\x00", "utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)},
	{"\x00\x00\xFE\xFF", "utf-32be", utf32.UTF32(utf32.BigEndian, utf32.ExpectBOM)},
	{"\xFF\xFE", "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)},
	{"\xFE\xFF", "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)},
}

// Marked reports whether a text begins with a byte order mark.
func Marked(head []byte) bool {
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return true
		}
	}
	return bytes.HasPrefix(head, []byte(Mark))
}

// Wide recognises UTF-16 and UTF-32 by the beginning of a text: by its byte order mark or, for UTF-16, by the zeros
// that text in European languages has in every other byte. A few runs of zeros are allowed, because logs that were
// truncated while they were written contain them. It returns nil for anything else.
func Wide(head []byte) (enc encoding.Encoding, name string) {
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.encoding, m.name
		}
	}
	var zeros [2]int
	pairs, holes, inHole := 0, 0, false
	for i := 0; i+1 < len(head); i += 2 {
		first, second := head[i] == 0, head[i+1] == 0
		if first && second {
			if !inHole {
				holes++
			}
			inHole = true
			continue
		}
		inHole = false
		pairs++
		if first {
			zeros[0]++
		}
		if second {
			zeros[1]++
		}
	}
	const fewHoles = 3
	if holes > fewHoles {
		return nil, ""
	}
	switch {
	case pairs >= 4 && zeros[1] > pairs*7/10 && zeros[0] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case pairs >= 4 && zeros[0] > pairs*7/10 && zeros[1] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	return nil, ""
}

// Returns reports whether the lines of a text end in \r alone, judging by its beginning.
func Returns(head []byte) bool {
	if enc, _ := Wide(head); enc != nil {
		head, _ = enc.NewDecoder().Bytes(head) // errors are irrelevant here
	}
	at := bytes.IndexByte(head, '\r')
	return at >= 0 && at < len(head)-1 && bytes.IndexByte(head, '\n') < 0
}

// Plain reports whether the beginning of a text contains nothing that Reader or Lines would change, except for
// \r\n.
func Plain(head []byte) bool {
	enc, _ := Wide(head)
	return enc == nil && !Marked(head) && !Returns(head)
}

// Reader returns r in UTF-8 without a mark. It changes nothing else, and accepts everything.
func Reader(r io.Reader) io.Reader { return &reader{src: r} }

type reader struct{ src, decoded io.Reader }

func (r *reader) Read(p []byte) (int, error) {
	if r.decoded == nil {
		head, err := beginning(r.src)
		rest := io.MultiReader(bytes.NewReader(head), r.src)
		if err != nil { // otherwise a terminal at its end would be read again
			rest = io.MultiReader(bytes.NewReader(head), failure{err})
		}
		if enc, _ := Wide(head); enc != nil {
			rest = transform.NewReader(rest, enc.NewDecoder())
		} else if bytes.HasPrefix(head, []byte(Mark)) {
			_, _ = rest.Read(make([]byte, len(Mark))) // drops the mark; reading memory does not fail
		}
		r.decoded = rest
	}
	return r.decoded.Read(p)
}

// beginning reads the start of a stream: enough to recognise a mark, but no more than a line, because somebody may
// wait for a reply to it.
func beginning(r io.Reader) (head []byte, err error) {
	const longestMark = 4
	head = make([]byte, longestHead)
	n := 0
	for n < longestMark && err == nil && !bytes.HasSuffix(head[:n], []byte("\n")) {
		var more int
		more, err = r.Read(head[n:])
		n += more
	}
	return head[:n], err
}

type failure struct{ error }

func (f failure) Read([]byte) (int, error) { return 0, f.error }

// Lines returns r in UTF-8 with lines that end in \n. Anything but text is an error.
func Lines(r io.Reader) io.Reader {
	return &lines{from: transform.NewReader(Reader(r), encoding.UTF8Validator)}
}

type lines struct {
	from io.Reader
	ends text.LineEnds
	full int // number of complete lines read
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if at := bytes.IndexByte(p[:n], 0); at >= 0 {
		n, err = at, encoding.ErrInvalidUTF8
	}
	piece := l.ends.In(p[:n])
	l.full += bytes.Count(piece, []byte("\n"))
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		err = fmt.Errorf("it is not UTF-8 text (see line %d): save it as such", l.full+1)
	}
	return len(piece), err
}

// Text reads all of r like Lines.
func Text(r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err == nil { // all of the text shows its encoding better than its beginning
		data, err = io.ReadAll(Lines(bytes.NewReader(data)))
	}
	return string(data), err
}

// Bytes is Reader for a text in memory.
func Bytes(data []byte) []byte {
	if enc, _ := Wide(data[:min(len(data), longestHead)]); enc == nil && !Marked(data) {
		return data
	}
	data, _ = io.ReadAll(Reader(bytes.NewReader(data))) // memory does not fail, and undecodable bytes are replaced
	return data
}
