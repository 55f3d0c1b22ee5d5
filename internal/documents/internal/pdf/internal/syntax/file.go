package syntax

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Limits of what is taken from one file.
const (
	maxObject   = 4 << 20  // the highest number of an object
	maxSections = 4 << 10  // of cross-references: one for each time the file was saved
	maxParse    = 16 << 20 // bytes of one object without its stream
	maxCached   = 16 << 20 // bytes of objects that are kept
	maxChain    = 32       // references to references
)

// ErrPassword says that the empty password does not open the file.
var ErrPassword = errors.New("a password is needed")

// errNoPDF says that nothing in the bytes could be the beginning of a document.
var errNoPDF = errors.New("it holds no PDF objects that can be read; it may be cut off or not be a PDF")

// File is an open PDF. It is used by one goroutine. Its methods panic with CancelPanic when the context is done: a
// parser that looks things up everywhere would otherwise carry that error through all of its functions. Who opens a
// file recovers it.
type File struct {
	ctx  context.Context
	r    io.ReaderAt
	size int64

	Trailer Dict

	window  []byte // of the file, from start
	start   int64
	entries []entry
	crypt   *crypt
	rebuilt bool // from the objects themselves

	cache     map[int]any
	cached    int
	loading   map[int]bool
	unpacked  map[int]*objectStream
	unpackeds int
}

// entry says where an object is.
type entry struct {
	offset int64 // in the file, or its place in the object stream
	stream int32 // the object stream, 0 for none
	kind   entryKind
}

type entryKind uint8

const (
	unknown entryKind = iota
	free
	inFile
	inStream
)

// CancelPanic is what methods of File panic with when the context is done.
type CancelPanic struct{ Err error }

// Open finds the objects of a file. The file is readable with the empty password, or the error is ErrPassword.
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

// Root is the document's catalog, nil for none.
func (f *File) Root() Dict {
	root := f.Dict(f.Trailer["Root"])
	if root == nil || root["Pages"] == nil && root["Type"] != Name("Catalog") {
		return nil
	}
	return root
}

// Rebuild looks for objects in the whole file. It is for a document whose cross-references lead nowhere; it does
// nothing a second time.
func (f *File) Rebuild() bool {
	if f.rebuilt {
		return false
	}
	return f.rebuild() == nil
}

// Rebuilt says whether the file's own cross-references were of no use.
func (f *File) Rebuilt() bool { return f.rebuilt }

// Objects is one more than the highest number of an object.
func (f *File) Objects() int { return len(f.entries) }

func (f *File) check() {
	if err := f.ctx.Err(); err != nil {
		panic(CancelPanic{err})
	}
}

// bytes is up to n bytes of the file from an offset, valid until the next call.
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

// parse runs read over the bytes at an offset, and again over more of them when they did not suffice.
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

// Resolve follows references to an object. It is nil for one that is not there.
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

// objectAt reads "12 0 obj …". It is false when something else stands there.
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
			o = nil // "endobj": an object that is nothing
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
	if !ok1 || !ok2 || !bytes.HasPrefix(l.Rest(), []byte("obj")) { // "obj" may run into what follows
		return 0, 0, false
	}
	l.Skip(3)
	return int(num64), int(gen64), true
}

// streamFollows passes over "stream" and the end of its line.
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

// Dict is the dictionary behind an object, of a stream too; nil for none.
func (f *File) Dict(o any) Dict {
	switch o := f.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Array is the array behind an object.
func (f *File) Array(o any) Array { a, _ := f.Resolve(o).(Array); return a }

// Stream is the stream behind an object.
func (f *File) Stream(o any) *Stream { s, _ := f.Resolve(o).(*Stream); return s }

// Name is the name behind an object.
func (f *File) Name(o any) Name { n, _ := f.Resolve(o).(Name); return n }

// String is the string behind an object.
func (f *File) String(o any) String { s, _ := f.Resolve(o).(String); return s }

// Number is the number behind an object, 0 for none.
func (f *File) Number(o any) float64 { n, _ := Number(f.Resolve(o)); return n }

// Int is the integer behind an object, 0 for none.
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

// Numbers is an array of numbers behind an object; what is none is 0.
func (f *File) Numbers(o any) []float64 {
	a := f.Array(o)
	out := make([]float64, len(a))
	for i, o := range a {
		out[i] = f.Number(o)
	}
	return out
}
