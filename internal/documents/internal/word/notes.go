package word

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// noteKind is a kind of note outside the text.
type noteKind int

const (
	footnote noteKind = iota
	endnote
	comment
)

// noteParts are the locations of each kind of note.
var noteParts = [...]struct{ relationship, element, label string }{
	{"footnotes", "w:footnote", ""},
	{"endnotes", "w:endnote", "e"},
	{"comments", "w:comment", "c"},
}

// reference writes [^1] for a footnote, [^e1] for an endnote (or [^1] if there are no footnotes) and [^c1] for a
// comment.
func (d *document) reference(p *paragraph, kind noteKind, id string) {
	if !d.visible(p) {
		return
	}
	key := noteParts[kind].element + id
	label := d.labels[key]
	if label == "" {
		if d.counts[kind]++; d.counts[kind] > maxNotes {
			return
		}
		label = noteParts[kind].label + strconv.Itoa(d.counts[kind])
		if kind == endnote && d.counts[footnote] == 0 && !d.hasFootnotes {
			label = strconv.Itoa(d.counts[kind])
		}
		d.labels[key] = label
	}
	p.text = append(p.text, "[^"+label+"]"...)
}

// maxNotes limits the referenced notes of a kind.
const maxNotes = 1_000_000

// note is a note with its text.
type note struct {
	label string
	text  string
}

// notes writes the notes that the text refers to, by kind and number.
func (d *document) notes(w *markdown.Writer) error {
	for kind, where := range noteParts {
		name := d.rels.First(where.relationship)
		if name == "" || d.counts[kind] == 0 {
			continue
		}
		var notes []note
		outer := d.rels
		d.rels, _ = d.pkg.Relationships(name)
		err := d.readNotes(name, where.element, &notes)
		d.rels = outer
		if err := d.pkg.Optional("its "+where.relationship, err); err != nil {
			return err
		}
		slices.SortStableFunc(notes, func(a, b note) int {
			return cmp.Or(cmp.Compare(len(a.label), len(b.label)), strings.Compare(a.label, b.label))
		})
		for _, n := range notes {
			if err := w.Note(n.label, n.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// countFootnotes finds out whether there are footnotes, because then the labels of endnotes must differ.
func (d *document) countFootnotes() error {
	return d.pkg.Read(d.rels.First("footnotes"), func(r *xmlread.Reader) error {
		for !d.hasFootnotes {
			if found, err := r.Find("w:footnote"); !found {
				return err
			}
			d.hasFootnotes = r.Attr("w:type") == "" || r.Attr("w:type") == "normal"
		}
		return nil
	})
}

func (d *document) readNotes(name, element string, notes *[]note) error {
	return d.pkg.Elements(name, func(r *xmlread.Reader) error {
		if r.Name != element {
			return nil
		}
		label, used := d.labels[element+r.Attr("w:id")]
		if !used {
			return r.Skip()
		}
		d.fields = nil
		var text strings.Builder
		if element == "w:comment" {
			text.WriteString(commentHead(r) + ": ")
		}
		err := d.blocks(r, markdown.Flat(&text), nil)
		*notes = append(*notes, note{label, text.String()})
		return err
	})
}

// commentHead returns the author and date of a comment: "Comment by Ann, 2025-03-01".
func commentHead(r *xmlread.Reader) string {
	head := "Comment"
	if author := strings.TrimSpace(r.Attr("w:author")); author != "" {
		head += " by " + author
	}
	if date, _, _ := strings.Cut(r.Attr("w:date"), "T"); date != "" {
		head += ", " + date
	}
	return head
}
