package corpus

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"slices"
	"unicode/utf8"
)

const (
	// extract bounds Facts.Head and Facts.Tail of a text that is not shown whole.
	extract = 2 << 10
	// whole is the length of the longest text that Facts.Head contains whole.
	whole = 6 << 10
	// lineStep is the distance in bytes between two offsets whose line is known without reading. The line numbers
	// take a 500th of the text's size.
	lineStep = 4 << 10
)

// Facts are sizes and small extracts, computed while the text is built, all capped.
type Facts struct {
	Bytes, Chars, Lines int64
	// Tokens is an estimate: a token for every 4 ASCII characters and for every 1.5 others. It is close for English
	// prose and code; lists of numbers or identifiers can have 50 % more.
	Tokens int64
	// Head and Tail are the first and last lines, at most 2 KiB each, never cut within a character. For a text of
	// up to 6 KiB, Head is the whole text.
	Head, Tail string
	Documents  int
	// Encodings counts documents by original encoding.
	Encodings map[string]int
	// Replaced counts characters that could not be decoded and became U+FFFD.
	Replaced int64
	SHA256   string
}

// tally counts the text as it is written. The zero value lacks the hash.
type tally struct {
	sum                 hash.Cloner
	size, high, cont, n int64   // bytes, bytes ≥ 0x80, continuation bytes of UTF-8, newlines
	head, tail          []byte  // bounded by whole and extract
	lines               []int64 // newlines before each multiple of lineStep, except 0
}

// add adds the next bytes of the text.
func (t *tally) add(p []byte) {
	if len(p) == 0 {
		return
	}
	t.sum.Write(p)
	t.count(p)
	if !ascii(p) {
		high, cont := countHigh(p)
		t.high, t.cont = t.high+high, t.cont+cont
	}
	if missing := whole - len(t.head); missing > 0 {
		t.head = append(t.head, p[:min(missing, len(p))]...)
	}
	if len(p) >= extract {
		t.tail = append(t.tail[:0], p[len(p)-extract:]...)
		return
	}
	t.tail = append(t.tail, p...)
	if cut := len(t.tail) - extract; cut > 0 {
		t.tail = append(t.tail[:0], t.tail[cut:]...)
	}
}

// count counts bytes and newlines, and records the newlines before each step.
func (t *tally) count(p []byte) {
	for len(p) > 0 {
		n := min(int64(len(p)), lineStep-t.size%lineStep)
		t.size += n
		t.n += int64(bytes.Count(p[:n], []byte{'\n'}))
		if t.size%lineStep == 0 {
			t.lines = append(t.lines, t.n)
		}
		p = p[n:]
	}
}

// clone copies the tally, so that a text can grow without being read again.
func (t *tally) clone() (*tally, error) {
	sum, err := t.sum.Clone()
	if err != nil {
		return nil, fmt.Errorf("copy the state of a hash: %w", err)
	}
	c := *t
	c.sum, c.head, c.tail, c.lines = sum, bytes.Clone(t.head), bytes.Clone(t.tail), slices.Clone(t.lines)
	return &c, nil
}

// facts returns the facts so far, without those about documents.
func (t *tally) facts() Facts {
	f := Facts{
		Bytes: t.size, Chars: t.size - t.cont, Lines: t.n,
		Tokens: (t.size-t.high+3)/4 + ((t.high-t.cont)*2+2)/3,
		Head:   t.shownHead(),
		Tail:   wholeTail(t.tail, t.size > int64(len(t.tail))),
		SHA256: hex.EncodeToString(t.sum.Sum(nil)),
	}
	if len(t.tail) > 0 && t.tail[len(t.tail)-1] != '\n' {
		f.Lines++
	}
	return f
}

func (t *tally) shownHead() string {
	if t.size <= int64(len(t.head)) {
		return string(t.head)
	}
	return wholeHead(t.head[:min(len(t.head), extract)])
}

// countHigh counts bytes with the top bit and, among them, continuation bytes of UTF-8, eight at a time.
func countHigh(p []byte) (high, cont int64) {
	const top = 0x8080808080808080
	for len(p) >= 8 {
		w := binary.LittleEndian.Uint64(p)
		p = p[8:]
		if w &= top | top>>1; w&top == 0 {
			continue
		}
		high += int64(bits.OnesCount64(w & top))
		cont += int64(bits.OnesCount64(w &^ (w << 1) & top))
	}
	for _, b := range p {
		if b >= 0x80 {
			high++
			if b < 0xC0 {
				cont++
			}
		}
	}
	return high, cont
}

// wholeHead drops a character that was cut at the end of a head, and usually a line that was cut.
func wholeHead(b []byte) string {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		b = b[:i+1]
	}
	return string(b)
}

// wholeTail drops a character that was cut at the start of a tail, and usually a line that was cut.
func wholeTail(b []byte, cut bool) string {
	if !cut {
		return string(b)
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		b = b[i+1:]
	}
	return string(b)
}

// FactsOf describes a range of the text, for example for a child run over it. It reads the range once.
func (t *Text) FactsOf(offset, size int64) (Facts, error) {
	if offset < 0 || size < 0 || size > t.Size() || offset > t.Size()-size {
		return Facts{}, fmt.Errorf("the range %d+%d is outside the context of %d bytes", offset, size, t.Size())
	}
	n := newTally()
	if _, err := io.Copy(writerFunc(n.add), io.NewSectionReader(t, offset, size)); err != nil {
		return Facts{}, fmt.Errorf("read the context: %w", err)
	}
	f := n.facts()
	f.Encodings = map[string]int{}
	for _, d := range t.docs {
		if d.Offset < offset+size && d.Offset+d.Size > offset {
			f.Documents++
			f.Encodings[d.Encoding]++
		}
	}
	return f, nil
}

// NewlinesBefore returns the nearest offset at or before offset whose newlines are known without reading, and the
// number of newlines before it.
func (t *Text) NewlinesBefore(offset int64) (at, newlines int64) {
	i := min(max(offset, 0)/lineStep, int64(len(t.tally.lines)))
	if i == 0 {
		return 0, 0
	}
	return i * lineStep, t.tally.lines[i-1]
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
