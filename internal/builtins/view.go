package builtins

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl"
)

// view is a context that the notebook has or had.
type view struct {
	version int
	text    string
	docs    []repl.Doc

	// starts and names are the offset and the name of each document, computed when they are needed.
	starts []int
	names  []docName
	places map[docName]int // the reverse of names
	folder string          // folder of all documents, which the shown names omit
}

// docName is the name of a document, with its number among those of the same name.
type docName struct {
	name string
	n    int
}

func (v *view) prepare() {
	if v.places != nil {
		return
	}
	v.places = make(map[docName]int, len(v.docs))
	seen := map[string]int{}
	end := 0
	for i, d := range v.docs {
		start, ok := text.Within(v.text, d.Text)
		if !ok {
			start = end // the document is empty
		}
		end = start + len(d.Text)
		seen[d.Name]++
		name := docName{d.Name, seen[d.Name]}
		v.starts, v.names = append(v.starts, start), append(v.names, name)
		v.places[name] = i
	}
	v.folder = text.CommonFolder(func(yield func(string) bool) {
		for _, d := range v.docs {
			if !yield(d.Name) {
				return
			}
		}
	})
}

// document finds the document that contains a passage, and its offset.
func (v *view) document(offset, length int) (name docName, start int, ok bool) {
	v.prepare()
	i := sort.SearchInts(v.starts, offset+1) - 1
	if i < 0 || offset+length > v.starts[i]+len(v.docs[i].Text) {
		return docName{}, 0, false
	}
	return v.names[i], v.starts[i], true
}

// start returns the offset of a document.
func (v *view) start(name docName) (start int, ok bool) {
	v.prepare()
	i, ok := v.places[name]
	if !ok {
		return 0, false
	}
	return v.starts[i], true
}

// naming returns a function that names places of a text by offset: "contract.pdf, page 12". Places in a text that
// is not a slice of the context have no name, nor do places in an only document without parts. The common folder
// of all documents is left out.
func (m *Marks) naming(in string) func(offset int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.views) - 1; i >= 0; i-- {
		v := m.views[i]
		base, ok := text.Within(v.text, in)
		if !ok {
			continue
		}
		v.prepare()
		n := namer{view: v, doc: -1}
		return func(offset int) string { return n.name(base + offset) }
	}
	return func(int) string { return "" }
}

// namer names places of a context. It keeps the last name, because consecutive places are often in the same part.
type namer struct {
	*view
	doc, part int
	last      string
}

func (n *namer) name(offset int) string {
	doc := sort.SearchInts(n.starts, offset+1) - 1
	if doc < 0 || offset > n.starts[doc]+len(n.docs[doc].Text) {
		return ""
	}
	d := n.docs[doc]
	if len(n.docs) == 1 && len(d.Parts) == 0 {
		return ""
	}
	at := offset - n.starts[doc]
	part := sort.Search(len(d.Parts), func(i int) bool { return d.Parts[i].Offset > at }) - 1
	if part >= 0 && at > d.Parts[part].Offset+len(d.Parts[part].Text) {
		part = -1
	}
	if doc == n.doc && part == n.part {
		return n.last
	}
	n.doc, n.part, n.last = doc, part, strings.TrimPrefix(d.Name, n.folder)
	if part >= 0 {
		n.last = fmt.Sprintf("%s, %s", n.last, partName(d.Parts[part]))
	}
	return n.last
}

// partName returns a part's name for people: "page 12", "sheet 2 (Costs 2025)".
func partName(p repl.Part) string {
	return outline.Part{Kind: p.Kind, Number: p.Number, Name: p.Name}.String()
}
