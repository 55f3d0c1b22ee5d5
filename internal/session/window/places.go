package window

import (
	"sort"
	"strconv"

	"github.com/gorlm/rlm/runner"
)

// DocumentNamed finds a document of the context by name.
func DocumentNamed(docs []runner.Document, name string) (runner.Document, bool) {
	for _, d := range docs {
		if d.Name == name && !left(d) {
			return d, true
		}
	}
	return runner.Document{}, false
}

// DocumentAt finds the document that contains an offset of the context. In docs, documents that the context no longer
// contains must be last.
func DocumentAt(docs []runner.Document, offset int64) (runner.Document, bool) {
	for len(docs) > 0 && left(docs[len(docs)-1]) {
		docs = docs[:len(docs)-1]
	}
	i := sort.Search(len(docs), func(i int) bool { return docs[i].Offset > offset }) - 1
	if i < 0 || offset >= docs[i].Offset+docs[i].Size {
		return runner.Document{}, false
	}
	return docs[i], true
}

// left reports whether the context no longer contains a document. A document whose file was deleted while the session
// is open is gone as well, but its text is still there.
func left(d runner.Document) bool { return d.State == runner.DocumentGone && d.Size == 0 }

// PartAt names the part of a document that contains an offset of the context, such as "page 3"; empty if the
// document has no parts.
func PartAt(d runner.Document, offset int64) string {
	i := sort.Search(len(d.Parts), func(i int) bool { return d.Parts[i].Offset > offset-d.Offset }) - 1
	if i < 0 {
		return ""
	}
	p := d.Parts[i]
	out := p.Kind + " " + strconv.Itoa(p.Number)
	if p.Name != "" {
		out += " (" + p.Name + ")"
	}
	return out
}
