package syntax

import (
	"bytes"
	"errors"
	"fmt"
)

var errDamaged = errors.New("the cross-references are damaged")

// readSections reads the cross-reference sections from newest to oldest; newer entries win.
func (f *File) readSections() error {
	at, ok := f.lastSection()
	if !ok {
		return errDamaged
	}
	queue, seen := []int64{at}, map[int64]bool{}
	for len(queue) > 0 {
		at, queue = queue[0], queue[1:]
		if seen[at] {
			continue
		}
		if seen[at] = true; len(seen) > maxSections {
			return fmt.Errorf("%w: more than %d sections", errDamaged, maxSections)
		}
		f.check()
		trailer, err := f.section(at)
		if err != nil {
			return err
		}
		if f.Trailer == nil {
			f.Trailer = trailer
		}
		for _, key := range []Name{"XRefStm", "Prev"} { // the stream of a hybrid file comes first
			if n, ok := Number(trailer[key]); ok && n > 0 {
				queue = append(queue, int64(n))
			}
		}
	}
	return nil
}

// lastSection follows the last "startxref" of the file.
func (f *File) lastSection() (int64, bool) {
	for _, n := range []int64{2 << 10, 64 << 10} {
		from := max(f.size-n, 0)
		tail := f.bytes(from, int(n))
		i := bytes.LastIndex(tail, []byte("startxref"))
		if i < 0 {
			continue
		}
		o, _ := NewLexer(tail[i+len("startxref"):]).Next()
		at, ok := o.(int64)
		return at, ok && at > 0 && at < f.size
	}
	return 0, false
}

// section reads a cross-reference table or stream and returns its trailer.
func (f *File) section(at int64) (Dict, error) {
	l := &Lexer{b: f.bytes(at, 64)}
	l.space()
	if bytes.HasPrefix(l.Rest(), []byte("xref")) {
		return f.table(at + int64(l.pos) + 4)
	}
	num, _, ok := l.header()
	if !ok {
		return nil, errDamaged
	}
	o, _, _ := f.objectAt(at, num)
	s, ok := o.(*Stream)
	if !ok || s.Dict["W"] == nil {
		return nil, errDamaged
	}
	s.plain = true
	return s.Dict, f.readStreamSection(s)
}

// table reads "0 3", "0000000000 65535 f" … up to the trailer.
func (f *File) table(at int64) (Dict, error) {
	for {
		l := &Lexer{b: f.bytes(at, 256)}
		o, _ := l.Next()
		if o == Keyword("trailer") {
			return f.trailer(at + int64(l.pos))
		}
		first, ok1 := o.(int64)
		o, _ = l.Next()
		count, ok2 := o.(int64)
		if !ok1 || !ok2 || first < 0 || count < 0 {
			return nil, errDamaged
		}
		at += int64(l.pos)
		for i := range count {
			l := &Lexer{b: f.bytes(at, 64)}
			offset, _ := l.Next()
			gen, _ := l.Next()
			kind, _ := l.Next()
			at += int64(l.pos)
			offset64, ok1 := offset.(int64)
			gen64, ok2 := gen.(int64)
			if !ok1 || !ok2 || kind != Keyword("n") && kind != Keyword("f") {
				return nil, errDamaged
			}
			if i == 0 && first == 1 && kind == Keyword("f") && offset64 == 0 && gen64 == 65535 {
				first = 0 // some programs count from 1 here
			}
			e := entry{offset: offset64, kind: inFile}
			if kind == Keyword("f") {
				e = entry{kind: free}
			}
			if err := f.enter(first+i, e); err != nil {
				return nil, err
			}
		}
	}
}

func (f *File) trailer(at int64) (trailer Dict, err error) {
	f.parse(at, func(l *Lexer) {
		o, _ := l.Next()
		trailer, _ = o.(Dict)
	})
	if trailer == nil {
		return nil, errDamaged
	}
	return trailer, nil
}

// enter records the location of an object, unless a newer section already has.
func (f *File) enter(num int64, e entry) error {
	if num < 0 || num >= maxObject {
		return fmt.Errorf("%w: there is an object %d", errDamaged, num)
	}
	for int64(len(f.entries)) <= num {
		f.entries = append(f.entries, make([]entry, num+1-int64(len(f.entries)))...)
	}
	if f.entries[num].kind == unknown {
		f.entries[num] = e
	}
	return nil
}

func (f *File) readStreamSection(s *Stream) error {
	widths := f.Numbers(s.Dict["W"])
	if len(widths) < 3 {
		return errDamaged
	}
	var w [3]int
	for i := range w {
		if w[i] = int(widths[i]); w[i] < 0 || w[i] > 8 {
			return errDamaged
		}
	}
	size := w[0] + w[1] + w[2]
	data, err := f.Data(s)
	if size == 0 || err != nil && len(data) == 0 {
		return errDamaged
	}
	index := f.Numbers(s.Dict["Index"])
	if len(index) == 0 {
		index = []float64{0, f.Number(s.Dict["Size"])}
	}
	for ; len(index) >= 2; index = index[2:] {
		for num := int64(index[0]); num < int64(index[0])+int64(index[1]) && len(data) >= size; num++ {
			kind := uint64(1)
			if w[0] > 0 {
				kind = bigEndian(data[:w[0]])
			}
			second, third := bigEndian(data[w[0]:w[0]+w[1]]), bigEndian(data[w[0]+w[1]:size])
			data = data[size:]
			e := entry{kind: free}
			switch kind {
			case 1:
				e = entry{kind: inFile, offset: int64(second)}
			case 2:
				if second < maxObject {
					e = entry{kind: inStream, stream: int32(second), offset: int64(third)}
				}
			}
			if err := f.enter(num, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func bigEndian(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}
