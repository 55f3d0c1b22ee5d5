package builtins

import (
	"sort"

	"github.com/gorlm/rlm/repl"
)

// view is a context as it was.
type view struct {
	version int
	text    string
	docs    []repl.Doc

	// starts and names are where each document begins and what it is called, made when they are needed.
	starts []int
	names  []docName
	places map[docName]int // the reverse of names
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
		start, ok := within(v.text, d.Text)
		if !ok {
			start = end // it is empty
		}
		end = start + len(d.Text)
		seen[d.Name]++
		name := docName{d.Name, seen[d.Name]}
		v.starts, v.names = append(v.starts, start), append(v.names, name)
		v.places[name] = i
	}
}

// document finds the document that holds a passage, and where it begins.
func (v *view) document(offset, length int) (name docName, start int, ok bool) {
	v.prepare()
	i := sort.SearchInts(v.starts, offset+1) - 1
	if i < 0 || offset+length > v.starts[i]+len(v.docs[i].Text) {
		return docName{}, 0, false
	}
	return v.names[i], v.starts[i], true
}

// start is where a document begins.
func (v *view) start(name docName) (start int, ok bool) {
	v.prepare()
	i, ok := v.places[name]
	if !ok {
		return 0, false
	}
	return v.starts[i], true
}
