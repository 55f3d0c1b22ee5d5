package syntax

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Limits for one file.
const (
	maxObject   = 4 << 20  // highest object number
	maxSections = 4 << 10  // cross-reference sections: one for each save
	maxParse    = 16 << 20 // bytes of one object without its stream
	maxCached   = 16 << 20 // bytes of cached objects
	maxChain    = 32       // references to references
)

// ErrPassword means that the empty password does not open the file.
var ErrPassword = errors.New("a password is needed")

// errNoPDF means that the file has no objects.
var errNoPDF = errors.New("it contains no readable PDF objects; it may be cut off or not be a PDF")

// File is an open PDF, for use by one goroutine. When the context is done, its methods panic with CancelPanic: the
// parser looks up objects everywhere, and would otherwise have to return the error from all of its functions. The
// caller of Open must recover it.
type File struct {
	ctx  context.Context
	r    io.ReaderAt
	size int64

	Trailer Dict

	window  []byte // bytes of the file from start on
	start   int64
	entries []entry
	crypt   *crypt
	rebuilt bool // the objects were found by a scan

	cache     map[int]any
	cached    int
	loading   map[int]bool
	unpacked  map[int]*objectStream
	unpackeds int
}

// entry is the location of an object.
type entry struct {
	offset int64 // offset in the file, or index in the object stream
	stream int32 // number of the object stream; 0 if none
	kind   entryKind
}

type entryKind uint8

const (
	unknown entryKind = iota
	free
	inFile
	inStream
)

// CancelPanic is the value with which methods of File panic when the context is done.
type CancelPanic struct{ Err error }

// Open finds the objects of a file. It returns ErrPassword if the empty password does not open the file.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*File, error) {
	f := &File{
		ctx: ctx, r: r, size: size, cache: map[int]any{}, loading: map[int]bool{},
		unpacked: map[int]*objectStream{},
	}
	head := f.bytes(0, 1024)
	if i := bytes.Index(head, []byte("%PDF-")); i > 0 { // offsets count from the header
		f.r, f.size = io.NewSectionReader(r, int64(i), size-int64(i)), size-int64(i)
		f.window, f.start = nil, 0
	}
	err := f.readSections()
	if err == nil {
		err = f.openCrypt()
	}
	if err != nil && !errors.Is(err, ErrPassword) || err == nil && f.Root() == nil {
		err = f.rebuild()
	}
	if err == nil && f.Root() == nil {
		err = errNoPDF
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Root returns the document's catalog, or nil.
func (f *File) Root() Dict {
	root := f.Dict(f.Trailer["Root"])
	if root == nil || root["Pages"] == nil && root["Type"] != Name("Catalog") {
		return nil
	}
	return root
}

// Rebuild scans the whole file for objects, for documents with wrong cross-references. The second call does
// nothing.
func (f *File) Rebuild() bool {
	if f.rebuilt {
		return false
	}
	return f.rebuild() == nil
}

// Objects returns the highest object number plus one.
func (f *File) Objects() int { return len(f.entries) }

func (f *File) check() {
	if err := f.ctx.Err(); err != nil {
		panic(CancelPanic{err})
	}
}

// bytes returns up to n bytes of the file at an offset, valid until the next call.
func (f *File) bytes(offset int64, n int) []byte {
	if offset < 0 || offset >= f.size {
		return nil
	}
	n = int(min(int64(n), f.size-offset))
	if from := offset - f.start; from >= 0 && from+int64(n) <= int64(len(f.window)) {
		return f.window[from : from+int64(n)]
	}
	f.check()
	want := int(min(int64(max(n, 64<<10)), f.size-offset))
	if cap(f.window) < want || cap(f.window) > 1<<20 && want <= 64<<10 {
		f.window = make([]byte, want)
	}
	got, _ := f.r.ReadAt(f.window[:want], offset)
	f.window, f.start = f.window[:got], offset
	return f.window[:min(n, got)]
}

// parse calls read with the bytes at an offset, and again with more of them as long as they do not suffice.
func (f *File) parse(offset int64, read func(*Lexer)) {
	for n := 4 << 10; ; n *= 8 {
		b := f.bytes(offset, n)
		l := &Lexer{b: b, refs: true}
		read(l)
		if l.pos < len(b) || len(b) < n || n >= maxParse {
			return
		}
	}
}

// Resolve follows references to an object. It returns nil for a missing object.
func (f *File) Resolve(o any) any {
	for range maxChain {
		ref, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.load(ref.Num)
	}
	return nil
}

func (f *File) load(num int) any {
	if o, ok := f.cache[num]; ok {
		return o
	}
	if num < 0 || num >= len(f.entries) || f.loading[num] || f.entries[num].kind < inFile {
		return nil
	}
	f.loading[num] = true
	defer delete(f.loading, num)
	var o any
	var size int
	switch e := f.entries[num]; e.kind {
	case inFile:
		var ok bool
		if o, size, ok = f.objectAt(e.offset, num); !ok && !f.rebuilt {
			f.check()
			if f.rebuild() == nil {
				delete(f.loading, num)
				return f.load(num)
			}
		}
	case inStream:
		o, size = f.packed(int(e.stream), int(e.offset), num)
	}
	if f.cached += size + 64; f.cached > maxCached {
		clear(f.cache)
		f.cached = 0
	}
	f.cache[num] = o
	return o
}

// objectAt reads "12 0 obj …"; false if there is something else.
func (f *File) objectAt(offset int64, num int) (o any, size int, ok bool) {
	f.parse(offset, func(l *Lexer) {
		o, ok = nil, false
		n, gen, found := l.header()
		if !found || n != num {
			return
		}
		ok = true
		o, _ = l.Next()
		if _, word := o.(Keyword); word {
			o = nil // "endobj": an empty object
			return
		}
		if d, isDict := o.(Dict); isDict && l.streamFollows() {
			o = &Stream{Dict: d, Ref: Ref{num, gen}, offset: offset + int64(l.pos)}
		}
		if f.crypt != nil {
			o = f.crypt.strings(o, Ref{num, gen})
		}
		size = l.pos
	})
	return o, size, ok
}

// header reads "12 0 obj".
func (l *Lexer) header() (num, gen int, ok bool) {
	l.refs = false
	defer func() { l.refs = true }()
	n, _ := l.Next()
	g, _ := l.Next()
	num64, ok1 := n.(int64)
	gen64, ok2 := g.(int64)
	l.space()
	if !ok1 || !ok2 || !bytes.HasPrefix(l.Rest(), []byte("obj")) { // text may follow "obj" directly
		return 0, 0, false
	}
	l.Skip(3)
	return int(num64), int(gen64), true
}

// streamFollows skips "stream" and the end of its line.
func (l *Lexer) streamFollows() bool {
	l.space()
	if !bytes.HasPrefix(l.Rest(), []byte("stream")) {
		return false
	}
	l.Skip(len("stream"))
	for l.at(0) == ' ' {
		l.Skip(1)
	}
	if l.at(0) == '\r' {
		l.Skip(1)
	}
	if l.at(0) == '\n' {
		l.Skip(1)
	}
	return true
}

// Dict returns an object that is a dictionary, or the dictionary of a stream; otherwise nil.
func (f *File) Dict(o any) Dict {
	switch o := f.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Array returns an object that is an array, or nil.
func (f *File) Array(o any) Array { a, _ := f.Resolve(o).(Array); return a }

// Stream returns an object that is a stream, or nil.
func (f *File) Stream(o any) *Stream { s, _ := f.Resolve(o).(*Stream); return s }

// Name returns an object that is a name, or "".
func (f *File) Name(o any) Name { n, _ := f.Resolve(o).(Name); return n }

// String returns an object that is a string, or "".
func (f *File) String(o any) String { s, _ := f.Resolve(o).(String); return s }

// Number returns the value of an object that is a number, or 0.
func (f *File) Number(o any) float64 { n, _ := Number(f.Resolve(o)); return n }

// Int returns the value of an object that is a number, as an integer, or 0.
func (f *File) Int(o any) int {
	switch n := f.Resolve(o).(type) {
	case int64:
		return int(n)
	case float64:
		if n > -1<<53 && n < 1<<53 {
			return int(n)
		}
	}
	return 0
}

// Numbers returns an array of numbers; elements that are not numbers are 0.
func (f *File) Numbers(o any) []float64 {
	a := f.Array(o)
	out := make([]float64, len(a))
	for i, o := range a {
		out[i] = f.Number(o)
	}
	return out
}
