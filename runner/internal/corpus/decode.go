package corpus

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/text/guess"
	"github.com/gorlm/rlm/internal/kit/units"
)

// replacement is written for bytes that cannot be decoded.
const replacement = "\uFFFD"

// utf8Reader converts a stream of text to valid UTF-8. It detects the encoding while it reads: the first bytes that
// are not ASCII decide.
type utf8Reader struct {
	src      io.Reader
	known    bool // src is UTF-8, converted or given as a string
	decided  bool
	other    bool // src yields decoded text
	cut      bool // the byte order mark at the start of src was dropped
	returns  bool // lines end in \r
	ends     text.LineEnds
	encoding string
	guessed  string // a remark, if the encoding is a guess
	replaced int64
	zeros    int64  // zero bytes, which the text keeps
	carry    []byte // an incomplete character at the end of the last piece, and what did not fit
}

// newUTF8Reader reads src, whose beginning is head (still to be read from src). The encoding is detected unless it
// is known to be UTF-8.
func newUTF8Reader(src io.Reader, head []byte, known bool) *utf8Reader {
	r := &utf8Reader{src: src, encoding: "utf-8", known: known, decided: known}
	if known {
		return r
	}
	r.returns = decoding.Returns(head)
	if wide, name := decoding.Wide(head); wide != nil {
		r.use(guess.Charset{Name: name, Encoding: wide}, src)
	} else if bytes.HasPrefix(head, []byte(decoding.Mark)) {
		r.decided, r.cut = true, true
		// The head was read into memory, so this cannot fail.
		_, _ = io.ReadFull(src, make([]byte, len(decoding.Mark)))
	}
	return r
}

// altered reports whether the text so far differs from the bytes that were read.
func (r *utf8Reader) altered() bool { return r.other || r.cut || r.returns || r.replaced > 0 }

// remarks tells what a reader of the text should know of its bytes.
func (r *utf8Reader) remarks() []string {
	remarks := []string{r.guessed}
	if r.zeros > 0 {
		remarks = append(remarks,
			"it has "+units.Of(r.zeros, "zero byte")+", as in a file that was cut off while being written")
	}
	return remarks
}

func (r *utf8Reader) use(c guess.Charset, src io.Reader) {
	r.decided, r.other, r.encoding = true, true, c.Name
	r.src = transform.NewReader(src, c.Encoding.NewDecoder())
}

// next reads a piece into buf, which has room for at least a few bytes, and returns valid UTF-8, in buf or in new
// memory. At the end it returns io.EOF, with no text. Lines that end only in \r get \n instead: a text of one line
// cannot be searched by lines.
func (r *utf8Reader) next(buf []byte) ([]byte, error) {
	piece, err := r.valid(buf)
	if !r.known {
		r.zeros += int64(bytes.Count(piece, []byte{0}))
	}
	if r.returns {
		piece = r.ends.In(piece)
	}
	return piece, err
}

func (r *utf8Reader) valid(buf []byte) ([]byte, error) {
	n := copy(buf, r.carry)
	r.carry = r.carry[:copy(r.carry, r.carry[n:])]
	var err error
	if len(r.carry) == 0 {
		var m int
		m, err = r.src.Read(buf[n:])
		n += m
	}
	piece := buf[:n]
	if err == nil {
		piece = r.holdBack(piece)
	} else if n > 0 {
		err = nil // the next read returns the error again
	}
	if r.other {
		r.replaced += int64(bytes.Count(piece, []byte(replacement)))
		return piece, err
	}
	if !r.decided && ascii(piece) {
		return piece, err
	}
	if utf8.Valid(piece) {
		r.decided = true
		return piece, err
	}
	if !r.decided {
		return nil, r.decide(piece)
	}
	return r.repair(piece), err
}

// decide examines the first piece that is neither ASCII nor UTF-8, and the bytes after it, and puts all of them
// back.
func (r *utf8Reader) decide(piece []byte) error {
	sample := append(bytes.Clone(piece), r.carry...)
	r.carry = nil
	more, err := readHead(r.src)
	sample = append(sample, more...)
	r.decided = true
	again := io.MultiReader(bytes.NewReader(sample), r.src)
	if legacy, ok := legacyCharset(sample); ok {
		r.use(legacy, again)
		r.guessed = legacy.Remark()
	} else {
		r.src = again
	}
	return err
}

// holdBack holds back an incomplete character at the end of a piece for the next.
func (r *utf8Reader) holdBack(piece []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(piece); i++ {
		if tail := piece[len(piece)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				r.carry = append(bytes.Clone(tail), r.carry...)
				return piece[:len(piece)-i]
			}
			break
		}
	}
	return piece
}

// repair replaces invalid UTF-8, byte by byte.
func (r *utf8Reader) repair(piece []byte) []byte {
	out := make([]byte, 0, len(piece)+64)
	for len(piece) > 0 {
		c, n := utf8.DecodeRune(piece)
		if c == utf8.RuneError && n == 1 {
			r.replaced++
			out = append(out, replacement...)
		} else {
			out = append(out, piece[:n]...)
		}
		piece = piece[n:]
	}
	return out
}

// ascii reports whether all bytes are ASCII, 32 at a time: most texts are, which saves further checks.
func ascii(p []byte) bool {
	const top = 0x8080808080808080
	for len(p) >= 32 {
		w := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) | binary.LittleEndian.Uint64(
			p[16:]) | binary.LittleEndian.Uint64(p[24:])
		if w&top != 0 {
			return false
		}
		p = p[32:]
	}
	for _, b := range p {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
