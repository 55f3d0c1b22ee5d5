// Package window reads lines of texts of any size. It reads only what is requested, and counts each line once, in
// blocks.
package window

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

// Text gives access to a text by lines. It is safe for concurrent use.
type Text struct {
	r    io.ReaderAt
	size int64

	counting sync.Mutex
	lines    []int64 // number of newlines before each block counted so far
}

const (
	block  = 1 << 20
	most   = 256 << 10 // most bytes of a window
	budget = 2000      // most lines of a window
)

// New makes a Text of size bytes.
func New(r io.ReaderAt, size int64) *Text { return &Text{r: r, size: size} }

// Size returns the length of the text in bytes.
func (t *Text) Size() int64 { return t.size }

// Window is a part of a text: whole lines, except where a line is too long.
type Window struct {
	Offset int64
	Line   int64 // number of the first line, from 1
	Text   string
}

// Range is a part of a text, such as a document.
type Range struct{ Offset, Size int64 }

func (r Range) end() int64 { return r.Offset + r.Size }

// At returns a window of lines, starting with the line that contains offset. If lines is negative, the window has
// -lines lines and ends before that line. The window stays within in, from whose beginning line numbers count.
func (t *Text) At(ctx context.Context, in Range, offset int64, lines int) (Window, error) {
	offset = min(max(offset, in.Offset), in.end())
	start, err := t.lineStart(in, offset)
	if err != nil {
		return Window{}, err
	}
	if lines < 0 {
		return t.before(ctx, in, start, -lines)
	}
	return t.from(ctx, in, start, lines)
}

// Line returns a window that starts at a line, counted from 1 at the beginning of a range.
func (t *Text) Line(ctx context.Context, in Range, line int64, lines int) (Window, error) {
	ahead, err := t.ends(ctx, in.Offset)
	if err != nil {
		return Window{}, err
	}
	start, err := t.afterEnds(ctx, in, ahead+max(line, 1)-1)
	if err != nil {
		return Window{}, err
	}
	return t.from(ctx, in, start, lines)
}

// LineOf returns the number of the line that contains offset, counted from 1 at the beginning of a range.
func (t *Text) LineOf(ctx context.Context, in Range, offset int64) (int64, error) {
	ahead, err := t.ends(ctx, in.Offset)
	if err != nil {
		return 0, err
	}
	n, err := t.ends(ctx, min(max(offset, in.Offset), in.end()))
	return n - ahead + 1, err
}

// from returns a window of lines that begins at start, the start of a line.
func (t *Text) from(ctx context.Context, in Range, start int64, lines int) (Window, error) {
	b, err := t.read(start, min(start+most, in.end()))
	if err != nil {
		return Window{}, err
	}
	end, n := 0, 0
	for n < min(lines, budget) && end < len(b) {
		i := bytes.IndexByte(b[end:], '\n')
		if i < 0 {
			if start+int64(len(b)) < in.end() && n > 0 { // an incomplete line: the next window begins with it
				break
			}
			end = len(b)
			break
		}
		end += i + 1
		n++
	}
	return t.window(ctx, in, start, b[:end])
}

// before returns a window of lines that ends at end, the start of a line.
func (t *Text) before(ctx context.Context, in Range, end int64, lines int) (Window, error) {
	from := max(in.Offset, end-most)
	b, err := t.read(from, end)
	if err != nil {
		return Window{}, err
	}
	start := len(b)
	for n := 0; n < min(lines, budget) && start > 0; n++ {
		start = bytes.LastIndexByte(b[:start-1], '\n') + 1
	}
	return t.window(ctx, in, from+int64(start), b[start:])
}

// window makes a Window with its line number. It drops incomplete characters at the ends.
func (t *Text) window(ctx context.Context, in Range, start int64, b []byte) (Window, error) {
	first, err := t.ends(ctx, start)
	if err != nil {
		return Window{}, err
	}
	ahead, err := t.ends(ctx, in.Offset)
	if err != nil {
		return Window{}, err
	}
	if start+int64(len(b)) < in.end() {
		b = wholeCharacters(b)
	}
	return Window{Offset: start, Line: first - ahead + 1, Text: string(b)}, nil
}

// wholeCharacters drops an incomplete character at the end of b.
func wholeCharacters(b []byte) []byte {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		switch {
		case !utf8.RuneStart(b[i]):
		case utf8.FullRune(b[i:]):
			return b
		default:
			return b[:i]
		}
	}
	return b
}

// lineStart returns the start of the line that contains offset. If that line is longer than a window, it returns
// offset, moved to the start of a character, so that reading can continue after a window.
func (t *Text) lineStart(in Range, offset int64) (int64, error) {
	from := max(in.Offset, offset-(most-utf8.UTFMax))
	b, err := t.read(from, offset)
	if err != nil {
		return 0, err
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return from + int64(i) + 1, nil
	}
	if from == in.Offset {
		return from, nil
	}
	for i := int64(0); i < 4; i++ { // in a long line: move to the start of a character
		c := make([]byte, 1)
		if _, err := t.r.ReadAt(c, offset-i); err == nil && c[0]&0xC0 != 0x80 {
			return offset - i, nil
		}
	}
	return offset, nil
}

func (t *Text) read(from, to int64) ([]byte, error) {
	b := make([]byte, max(to-from, 0))
	n, err := t.r.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the context: %w", err)
	}
	return b[:n], nil
}

// ends counts the newlines before offset.
func (t *Text) ends(ctx context.Context, offset int64) (int64, error) {
	n := offset / block
	if err := t.count(ctx, n); err != nil {
		return 0, err
	}
	b, err := t.read(n*block, offset)
	if err != nil {
		return 0, err
	}
	return t.lines[n] + int64(bytes.Count(b, []byte{'\n'})), nil
}

// afterEnds returns the offset after the given number of newlines, or the end of the range if there are fewer.
func (t *Text) afterEnds(ctx context.Context, in Range, ends int64) (int64, error) {
	for n := in.Offset / block; n*block < in.end(); n++ {
		if err := t.count(ctx, n+1); err != nil {
			return 0, err
		}
		if t.lines[n+1] < ends {
			continue
		}
		b, err := t.read(n*block, min((n+1)*block, t.size))
		if err != nil {
			return 0, err
		}
		at := 0
		for left := ends - t.lines[n]; left > 0; left-- {
			at += bytes.IndexByte(b[at:], '\n') + 1
		}
		return min(max(n*block+int64(at), in.Offset), in.end()), nil
	}
	return in.end(), nil
}

// count counts the newlines before block n. Blocks are counted in order, once.
func (t *Text) count(ctx context.Context, n int64) error {
	t.counting.Lock()
	defer t.counting.Unlock()
	if t.lines == nil {
		t.lines = make([]int64, 1, t.size/block+2)
	}
	for int64(len(t.lines)) <= n {
		if err := ctx.Err(); err != nil {
			return err
		}
		i := int64(len(t.lines)) - 1
		b, err := t.read(i*block, min((i+1)*block, t.size))
		if err != nil {
			return err
		}
		t.lines = append(t.lines, t.lines[i]+int64(bytes.Count(b, []byte{'\n'})))
	}
	return nil
}
