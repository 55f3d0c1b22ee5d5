package runner

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/fetch"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Input is something that becomes part of the context.
type Input struct {
	path string
	url  string
	name string
	text string
	r    io.Reader
	part *io.SectionReader

	isText bool // text is the document, even if it is empty
}

// Path is a file or a folder. A folder is walked; .gitignore applies, and binaries are left out and listed.
func Path(path string) Input { return Input{path: path} }

// As names the document that a path becomes. For a folder, the name replaces the folder's path in the names of its
// documents.
func (in Input) As(name string) Input {
	in.name = name
	return in
}

// URL is a web page, which this process fetches when the run or the session begins. It becomes a document with the
// URL as its name, whatever its format. A page that is missing, too large or slow, or that leads to a non-public
// address is left out and listed; anything but an http or https URL, or one with a password, is an error. The run
// keeps the text and resumes without the network.
//
// Only the calling program decides what is fetched: no text, path, document or cell is ever taken for a URL.
func URL(address string) Input {
	return Input{url: cmp.Or(address, "://")} // an empty address must not become a text
}

// ErrNothingToRead means that none of the inputs of a context contains text. The error that wraps it gives the
// reason.
var ErrNothingToRead = corpus.ErrNothing

// CheckURL reports what is wrong with a URL before anything is fetched.
func CheckURL(address string) error {
	_, err := fetch.Parse(address)
	return err
}

// Text is a document given as a string.
func Text(name, text string) Input { return Input{name: name, text: text, isText: true} }

// TextFrom is text that is read when the run or the session begins, and must not change until then.
func TextFrom(name string, text *io.SectionReader) Input { return Input{name: name, part: text} }

// Reader is a stream that becomes a document. It is read once, when the run begins.
func Reader(name string, r io.Reader) Input { return Input{name: name, r: r} }

func sources(inputs []Input) []corpus.Source {
	out := make([]corpus.Source, len(inputs))
	for i, in := range inputs {
		out[i] = corpus.Source{
			Path: in.path, URL: in.url, Name: in.name, String: in.text, Reader: in.r,
			Section: in.part,
		}
	}
	return out
}

// validate reports an input that is empty.
func validate(inputs []Input) error {
	for i, in := range inputs {
		switch r := reflect.ValueOf(in.r); {
		case in.path == "" && in.url == "" && in.r == nil && in.part == nil && !in.isText, in.r != nil &&
			r.Kind() == reflect.Pointer && r.IsNil():
			return fmt.Errorf("input %d is empty: create it with Path, Text or URL, or with Reader and a reader that is not nil", i+1)
		}
	}
	return nil
}

// origin is the sources of a context: paths and URLs, or nothing if there were streams or strings among them.
type origin struct {
	paths    []string // as given
	absolute []string // the paths made absolute; URLs are unchanged, and no absolute path looks like a URL
}

// originOf is the origin of a context made from inputs.
func originOf(inputs []Input) origin {
	var o origin
	for _, in := range inputs {
		if in.url != "" {
			o.paths, o.absolute = append(o.paths, in.url), append(o.absolute, in.url)
			continue
		}
		abs, err := filepath.Abs(in.path)
		if in.path == "" || err != nil {
			return origin{}
		}
		o.paths, o.absolute = append(o.paths, cmp.Or(in.name, in.path)), append(o.absolute, abs)
	}
	return o
}

// originIn is the origin of a context as recorded in the log.
func originIn(d trajectory.ContextAdded) origin {
	return origin{paths: d.Sources, absolute: d.Absolute}
}

// sources returns the paths and URLs as sources. The paths are absolute, and their documents keep the names that
// were given.
func (o origin) sources() []corpus.Source {
	sources := make([]corpus.Source, len(o.paths))
	for i, p := range o.paths {
		sources[i] = corpus.Source{Path: p, Name: p}
		if i < len(o.absolute) {
			sources[i].Path = o.absolute[i]
		}
		if isURL(sources[i].Path) {
			sources[i] = corpus.Source{URL: p}
		}
	}
	return sources
}

// isURL reports whether an absolute path of an origin is a URL.
func isURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
