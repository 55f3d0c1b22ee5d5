// Package corpus makes the context of a run: files, folders and streams become one sealed, read-only text with
// documents.
//
// # Format
//
// A single document is the text, byte for byte (after decoding to UTF-8). If there are several, each has a header
// line that shows where it starts and what it is:
//
//	=== document 2: src/main.go ===
//
// A header is preceded by an empty line except at the very start; a document that does not end in a newline gets
// one before that. None of this belongs to a document: Document.Offset and Size cover only its own text. A text
// that began as one document and grew by Append has no header for its first document.
package corpus

import (
	"crypto/sha256"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Document is a range of the text. Name is the path as given, with / as separator.
type Document struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"` // as found: utf-8, utf-16le, windows-1252, …; the text itself is UTF-8
	// Replaced counts characters that could not be decoded and became U+FFFD.
	Replaced int64 `json:"replaced,omitempty"`
	// File is where the document was read from, nil for a stream or a string.
	File *File `json:"file,omitempty"`
	// Note tells people what is missing: reading stopped early, and why; pages without text. Usually empty.
	Note string `json:"note,omitempty"` // several remarks are separated by "; "
	// Remarks lists the remarks in Note, if one of them contains "; ".
	Remarks []string `json:"notes,omitempty"`

	// For converted documents: the original format ("pdf"), the parts, the converter, and the SHA-256 of the
	// original file, which for a member is that of its container. All are empty for text.
	Kind      string       `json:"kind,omitempty"`
	Parts     outline.List `json:"parts,omitempty"`
	Converter string       `json:"converter,omitempty"` // format and version
	Hash      string       `json:"hash,omitempty"`
	// Member is the suffix of the name of a document in a container: "!/q3.pdf".
	Member string `json:"member,omitempty"`
	// Fetched is where and when a document was fetched, nil if it was not.
	Fetched *FetchedPage `json:"fetched,omitempty"`
}

// Derived reports whether the text of a document differs from the bytes of its file.
func (d Document) Derived() bool { return d.Converter != "" || d.Fetched != nil }

// Notes lists the remarks one by one, including one about characters that could not be decoded.
func (d Document) Notes() []string {
	out := d.remarks()
	if d.Replaced > 0 {
		out = append(out, units.Of(d.Replaced, "character")+" could not be decoded from "+d.Encoding)
	}
	return out
}

func (d Document) remarks() []string {
	switch {
	case len(d.Remarks) > 0:
		return slices.Clone(d.Remarks)
	case d.Note != "":
		return strings.Split(d.Note, "; ")
	}
	return nil
}

// remark adds nonempty remarks.
func (d *Document) remark(remarks ...string) {
	all := slices.DeleteFunc(append(d.remarks(), remarks...), func(r string) bool { return r == "" })
	d.Note, d.Remarks = strings.Join(all, "; "), nil
	if len(d.remarks()) != len(all) {
		d.Remarks = all
	}
}

// FetchedPage is the origin of a fetched page.
type FetchedPage struct {
	URL  string    `json:"url"`          // as given
	To   string    `json:"to,omitempty"` // after redirects
	Time time.Time `json:"time"`
}

// File is the state of a file when a document was read from it.
type File struct {
	Path string    `json:"path"` // absolute
	Size int64     `json:"size"` // bytes read
	Time time.Time `json:"time"` // modification time
}

// SkippedFile is a file that was left out of the text.
type SkippedFile struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // binary, ignored by .gitignore, unreadable: permission denied, …
}

// Text is a sealed text, which nobody can change once it is built. On Linux it is in a sealed memory file; if it is
// larger than half of free memory, and on other systems, in an unlinked file. The one exception is a single file of
// plain UTF-8 that is larger than half of free memory: it is used in place, and changing the file changes the text.
// Text is safe for concurrent use.
type Text struct {
	file    *os.File
	docs    []Document
	skipped []SkippedFile
	facts   Facts
	tally   *tally // to continue from when the text grows
}

// Source is something to read: a path (file or folder), a URL, a named reader, or a string. The content of paths,
// URLs and readers is examined: what is neither text nor convertible is skipped, and other encodings become UTF-8.
// A string is taken as UTF-8.
type Source struct {
	Path   string    // file or folder
	URL    string    // a page, which becomes a document named by its URL
	Reader io.Reader // a stream, which is read only once
	// document name of a Reader or a String; for a Path its name in document names, default the path itself
	Name   string
	File   *File  // a file to read up to its recorded size, ignoring later additions; its document is called Name
	String string // used if Path is empty and Reader is nil
	Bytes  []byte // like String, without a copy
	// Section is like String, but not in memory.
	Section *io.SectionReader
	Plain   bool      // a Reader's text is taken as it is, whatever its format
	Known   *Document // the document whose text Reader returns; all facts about it stay
}

// File is the sealed file, open read-only. It stays open until Close. Map it or use ReadAt; its offset is shared.
func (t *Text) File() *os.File { return t.file }

// ReadAt reads bytes of the text; it is an io.ReaderAt.
func (t *Text) ReadAt(p []byte, off int64) (int, error) { return t.file.ReadAt(p, off) }

// Size is the length of the text in bytes.
func (t *Text) Size() int64 { return t.facts.Bytes }

// Documents returns the documents in order. Callers must not change them: a copy could be too large.
func (t *Text) Documents() []Document { return slices.Clip(t.docs) }

// Skipped lists what was left out, in order. Callers must not change it.
func (t *Text) Skipped() []SkippedFile { return slices.Clip(t.skipped) }

// Facts describes the text for the model.
func (t *Text) Facts() Facts {
	f := t.facts
	f.Encodings = maps.Clone(f.Encodings)
	return f
}

// Close releases the file. Sessions that mapped it keep their mapping.
func (t *Text) Close() error { return closeFile(t.file) }

func newTally() *tally {
	// The standard library documents that its hashes can be cloned.
	return &tally{sum: sha256.New().(hash.Cloner)}
}
