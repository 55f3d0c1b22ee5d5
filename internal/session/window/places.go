package window

import (
	"sort"
	"strconv"

	"github.com/gorlm/rlm/runner"
)

// DocumentNamed finds a document by name. A document whose file is gone does not count.
func DocumentNamed(docs []runner.Document, name string) (runner.Document, bool) {
	for _, d := range docs {
		if d.Name == name && d.State != runner.DocumentGone {
			return d, true
		}
	}
	return runner.Document{}, false
}

// DocumentAt finds the document that contains an offset of the context. In docs, documents whose files are gone
// must be last.
func DocumentAt(docs []runner.Document, offset int64) (runner.Document, bool) {
	i := sort.Search(len(docs), func(i int) bool {
		return docs[i].Offset > offset || docs[i].State == runner.DocumentGone
	}) - 1
	if i < 0 || offset >= docs[i].Offset+docs[i].Size {
		return runner.Document{}, false
	}
	return docs[i], true
}

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
