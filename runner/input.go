package runner

import (
	"io"
	"path/filepath"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Input is something that becomes part of the context.
type Input struct {
	path string
	name string
	text string
	r    io.Reader
}

// Path is a file or a folder. A folder is walked; .gitignore is respected, binaries are left out and listed.
func Path(path string) Input { return Input{path: path} }

// Text is a document given as a string.
func Text(name, text string) Input { return Input{name: name, text: text} }

// Reader is a stream that becomes a document. It is read once, when the run begins.
func Reader(name string, r io.Reader) Input { return Input{name: name, r: r} }

func sources(inputs []Input) []corpus.Source {
	out := make([]corpus.Source, len(inputs))
	for i, in := range inputs {
		out[i] = corpus.Source{Path: in.path, Name: in.name, String: in.text, Reader: in.r}
	}
	return out
}

// origin is what a context was made from: paths, or nothing where streams or strings were among it.
type origin struct {
	paths    []string // as they were given
	absolute []string
}

// originOf is the origin of a context that is made of inputs.
func originOf(inputs []Input) origin {
	var o origin
	for _, in := range inputs {
		abs, err := filepath.Abs(in.path)
		if in.path == "" || err != nil {
			return origin{}
		}
		o.paths, o.absolute = append(o.paths, in.path), append(o.absolute, abs)
	}
	return o
}

// originIn is the origin that the log has of a context.
func originIn(d trajectory.ContextAdded) origin {
	return origin{paths: d.Sources, absolute: d.Absolute}
}

// sources reads the paths again, from any folder and under the names that they were given.
func (o origin) sources() []corpus.Source {
	sources := make([]corpus.Source, len(o.paths))
	for i, p := range o.paths {
		sources[i] = corpus.Source{Path: p, Name: p}
		if i < len(o.absolute) {
			sources[i].Path = o.absolute[i]
		}
	}
	return sources
}
