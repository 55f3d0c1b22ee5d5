package syntax

import (
	"bufio"
	"bytes"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"

	pdflzw "github.com/hhrutter/lzw"
	"github.com/klauspost/compress/flate"
)

// maxData limits the bytes of a decoded stream: the content of a page, a font.
const maxData = 64 << 20

// ErrTooLarge means that a stream decodes to more than maxData bytes.
var ErrTooLarge = fmt.Errorf("a stream unpacks to more than %d MB", maxData>>20)

// Data returns the decoded bytes of a stream. With an error, it returns the bytes before the error.
func (f *File) Data(s *Stream) ([]byte, error) {
	r, err := f.raw(s)
	if err != nil {
		return nil, err
	}
	filters, params := f.list(s.Dict, "Filter", "F"), f.list(s.Dict, "DecodeParms", "DP")
	if len(filters) > 8 {
		return nil, errors.New("a stream has too many filters")
	}
	for i, o := range filters {
		var param Dict
		if i < len(params) {
			param = f.Dict(params[i])
		}
		if r, err = f.filter(f.Name(o), param, r); err != nil {
			return nil, err
		}
	}
	b, err := readUpTo(stopper{f, r})
	if err != nil && !errors.Is(err, ErrTooLarge) {
		err = errCutOff
	}
	return b, err
}

// errCutOff replaces the errors of decompressors in messages for people.
var errCutOff = errors.New("its content is damaged or cut off")

// readUpTo reads everything, up to maxData bytes.
func readUpTo(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(r, maxData+1))
	if b.Len() > maxData {
		return b.Bytes()[:maxData], ErrTooLarge
	}
	return b.Bytes(), err
}

// list returns an entry that may be one object or an array, as an array.
func (f *File) list(d Dict, key, short Name) Array {
	o := f.Resolve(d[key])
	if o == nil {
		o = f.Resolve(d[short])
	}
	switch o := o.(type) {
	case nil:
		return nil
	case Array:
		return o
	default:
		return Array{o}
	}
}

// stopper ends a stream when the context is done.
type stopper struct {
	f *File
	r io.Reader
}

func (s stopper) Read(p []byte) (int, error) {
	s.f.check()
	return s.r.Read(p)
}

// raw returns the decrypted but encoded bytes of a stream.
func (f *File) raw(s *Stream) (io.Reader, error) {
	if s.data != nil || s.Ref == (Ref{}) {
		return bytes.NewReader(s.data), nil
	}
	r := io.NewSectionReader(f.r, s.offset, f.length(s))
	if f.crypt == nil || s.plain || s.Dict["Type"] == Name("XRef") {
		return bufio.NewReaderSize(r, 32<<10), nil
	}
	return f.crypt.stream(f, s, r)
}

// length returns the length of a stream in the file: the declared one if the stream ends there, otherwise the
// distance to its end marker.
func (f *File) length(s *Stream) int64 {
	if n := int64(f.Int(s.Dict["Length"])); n > 0 && s.offset+n <= f.size {
		after := bytes.TrimLeft(f.bytes(s.offset+n, 32), "\r\n\t ")
		if bytes.HasPrefix(after, []byte("endstream")) || bytes.HasPrefix(after, []byte("endobj")) {
			return n
		}
	}
	const chunk = 32 << 10
	for from := s.offset; from < f.size; from += chunk {
		b := f.bytes(from, chunk+16)
		i := bytes.Index(b, []byte("endstream"))
		if j := bytes.Index(b, []byte("endobj")); i < 0 || j >= 0 && j < i {
			i = j
		}
		if i >= 0 {
			end := from + int64(i)
			if c := f.bytes(end-1, 1); end > s.offset && len(c) == 1 && c[0] == '\n' {
				end--
			}
			if c := f.bytes(end-1, 1); end > s.offset && len(c) == 1 && c[0] == '\r' {
				end--
			}
			return end - s.offset
		}
	}
	return max(f.size-s.offset, 0)
}

func (f *File) filter(name Name, param Dict, r io.Reader) (io.Reader, error) {
	switch name {
	case "FlateDecode", "Fl":
		return f.predict(param, inflate(r))
	case "LZWDecode", "LZW":
		early := param["EarlyChange"] == nil || f.Int(param["EarlyChange"]) != 0
		return f.predict(param, pdflzw.NewReader(r, early))
	case "ASCII85Decode", "A85":
		return ascii85.NewDecoder(&ascii85Source{r: asByteReader(r)}), nil
	case "ASCIIHexDecode", "AHx":
		b, err := readUpTo(r)
		if i := bytes.IndexByte(b, '>'); i >= 0 {
			b = b[:i]
		}
		return bytes.NewReader([]byte((&Lexer{b: b}).hex())), err
	case "RunLengthDecode", "RL":
		return &runLength{r: asByteReader(r)}, nil
	case "Crypt":
		return r, nil
	}
	return nil, fmt.Errorf("a stream is compressed with %s, which is not text", name)
}

type byteReader interface {
	io.Reader
	io.ByteReader
}

func asByteReader(r io.Reader) byteReader {
	if b, ok := r.(byteReader); ok {
		return b
	}
	return bufio.NewReader(r)
}

// inflate decompresses data, with or without a zlib header. It ignores the checksum, so that damaged data is
// usable.
func inflate(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	for { // some writers put a line break first
		c, err := b.Peek(1)
		if err != nil || c[0] != '\n' && c[0] != '\r' {
			break
		}
		_, _ = b.Discard(1)
	}
	if h, err := b.Peek(2); err == nil && h[0]&0x0f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
		_, _ = b.Discard(2)
	}
	return flate.NewReader(b)
}

// ascii85Source passes on only characters that the standard library's decoder accepts, and ends at "~>".
type ascii85Source struct {
	r    byteReader
	done bool
}

func (a *ascii85Source) Read(p []byte) (n int, err error) {
	for n < len(p) && !a.done {
		c, err := a.r.ReadByte()
		switch {
		case err != nil || c == '~':
			a.done = true
		case c >= '!' && c <= 'u' || c == 'z':
			p[n] = c
			n++
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

type runLength struct {
	r      byteReader
	left   int
	repeat bool
	c      byte
}

func (l *runLength) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if l.left == 0 {
			c, err := l.r.ReadByte()
			if err != nil || c == 128 {
				return n, io.EOF
			}
			l.repeat, l.left = c > 128, int(c)+1
			if l.repeat {
				l.left = 257 - int(c)
				if l.c, err = l.r.ReadByte(); err != nil {
					return n, io.EOF
				}
			}
		}
		c := l.c
		if !l.repeat {
			if c, err = l.r.ReadByte(); err != nil {
				return n, io.EOF
			}
		}
		p[n] = c
		n++
		l.left--
	}
	return n, nil
}
