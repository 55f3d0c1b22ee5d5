// Package container opens documents that are zip archives of parts (Office Open XML, OpenDocument, EPUB) and limits
// how much they decompress to.
package container

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/unzip"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Limit for all decompressed parts: a fixed amount plus a multiple of the archive's size. The maximum of DEFLATE is
// 1032; sheets of equal rows, the most repetitive honest documents, stay below 100.
const (
	freeBytes = 64 << 20
	maxFactor = 300
)

// Archive is an open container, for use by one goroutine.
type Archive struct {
	ctx   context.Context
	out   format.Output
	parts map[string]*zip.File // by name, and by lower-case name
	names []string
	left  int64 // bytes that may still be decompressed
}

// Optional is Damaged for a part that may be missing.
func (a *Archive) Optional(what string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.Damaged(what, err)
}

// Damaged adds a note about an unreadable part, so that the conversion continues without the part. It returns err
// if the whole conversion must stop, and errors of the output; otherwise nil.
func (a *Archive) Damaged(what string, err error) error {
	var failed outputError
	if errors.As(err, &failed) {
		return failed.error
	}
	if err == nil {
		return nil
	}
	if a.ctx.Err() != nil || errors.Is(err, format.ErrBomb) || errors.Is(err, format.ErrPassword) {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.out.Note(what + " is missing")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return a.out.Note(what + " is cut off")
	case errors.Is(err, errSum):
		return a.out.Note(what + " may have wrong characters: its checksum does not match")
	}
	return a.out.Note(fmt.Sprintf("%s cannot be read: %v", what, err))
}

// Marked wraps an output so that Damaged can distinguish its errors from those of a part.
func Marked(out io.Writer) io.Writer { return output{out} }

type output struct{ io.Writer }

type outputError struct{ error }

func (o output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		err = outputError{err}
	}
	return n, err
}

// Open reads the list of parts. Reading any part stops when ctx is done.
func Open(ctx context.Context, src format.Source, out format.Output) (*Archive, error) {
	z, _, err := unzip.Open(src)
	if err != nil {
		return nil, err
	}
	a := &Archive{
		ctx: ctx, out: out, parts: make(map[string]*zip.File, 2*len(z.File)),
		left: freeBytes + maxFactor*src.Size,
	}
	for _, f := range z.File {
		name := Clean(f.Name)
		if f.Mode().IsDir() || name == "" {
			continue
		}
		if _, twice := a.parts[name]; twice {
			continue // the first one wins, as in Office
		}
		a.parts[name] = f
		a.names = append(a.names, name)
		if lower := strings.ToLower(name); a.parts[lower] == nil {
			a.parts[lower] = f
		}
	}
	return a, nil
}

// Clean normalises the name of a part: it removes a leading /, resolves . and .., and replaces backslashes.
func Clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// Resolve returns the name of the part that ref, a reference in the part base, refers to, without the fragment.
func Resolve(base, ref string) string {
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i]
	}
	if !strings.HasPrefix(ref, "/") {
		ref = path.Join(path.Dir(base), ref)
	}
	return Clean(ref)
}

// Names returns the parts in the order of the archive.
func (a *Archive) Names() []string { return a.names }

func (a *Archive) find(name string) *zip.File {
	name = Clean(name)
	for _, n := range []string{name, strings.ToLower(name)} {
		if f := a.parts[n]; f != nil {
			return f
		}
	}
	if plain, err := url.PathUnescape(name); err == nil && plain != name {
		return a.find(plain)
	}
	return nil
}

// Has reports whether a part exists.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

// Open opens a part. For a missing part, the error is fs.ErrNotExist.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	f := a.find(name)
	if f == nil {
		return nil, missing(name)
	}
	if f.Flags&1 != 0 {
		return nil, format.ErrPassword
	}
	r, err := f.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return nil, fmt.Errorf("its part %s has an unsupported compression (method %d)", name, f.Method)
	case err != nil:
		return nil, inWords(err)
	}
	return &part{a: a, ReadCloser: r}, nil
}

// Read calls read with an XML part.
func (a *Archive) Read(name string, read func(r *xmlread.Reader) error) error {
	part, err := a.Open(name)
	if err != nil {
		return err
	}
	defer part.Close()
	return read(xmlread.New(part))
}

// Elements calls each for every start of an element in an XML part.
func (a *Archive) Elements(name string, each func(r *xmlread.Reader) error) error {
	return a.Read(name, func(r *xmlread.Reader) error { return r.Each(func() error { return each(r) }) })
}

// Events calls each for every event of an XML part.
func (a *Archive) Events(name string, each func(r *xmlread.Reader, kind xmlread.Kind) error) error {
	return a.Read(name, func(r *xmlread.Reader) error {
		return r.All(func(kind xmlread.Kind) error { return each(r, kind) })
	})
}

// missing is the error for a missing part.
type missing string

func (m missing) Error() string { return "its part " + string(m) + " is missing" }

func (m missing) Is(err error) bool { return err == fs.ErrNotExist }

// errPacked replaces errors of decompressors in messages for people, and errSum that of a checksum, which comes when
// all was read.
var (
	errPacked = errors.New("its compressed data is damaged")
	errSum    = fmt.Errorf("%w", errPacked)
)

// inWords replaces an error with errPacked unless it is more specific: the end of the archive, a wrong checksum, or a
// failed read of the file.
func inWords(err error) error {
	var below *fs.PathError
	if err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &below) {
		return err
	}
	if errors.Is(err, zip.ErrChecksum) {
		return errSum
	}
	return errPacked
}

// part counts decompressed bytes.
type part struct {
	a *Archive
	io.ReadCloser
}

func (p *part) Read(b []byte) (int, error) {
	if err := p.a.ctx.Err(); err != nil {
		return 0, err
	}
	if p.a.left <= 0 {
		return 0, format.ErrBomb
	}
	n, err := p.ReadCloser.Read(b[:min(int64(len(b)), p.a.left)])
	p.a.left -= int64(n)
	return n, inWords(err)
}
