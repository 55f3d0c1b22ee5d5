// Package format is what the converters of all formats share: where a document's bytes come from, and where its text
// goes.
//
// A converter runs in a locked-down worker: no files, no network, no environment, no clock to trust. It has its
// Source, its memory and its Output, and whatever it parses was written by somebody else.
package format

import (
	"context"
	"errors"
	"io"
	"time"
)

// Source is one document as it was found.
type Source struct {
	// Name is what the document is called, with / as separator. It is a hint (an extension), never something to open.
	Name string
	// Bytes are read at any place, by one goroutine or several.
	Bytes io.ReaderAt
	Size  int64
}

// Reader reads the source from its beginning.
func (s Source) Reader() *io.SectionReader { return io.NewSectionReader(s.Bytes, 0, s.Size) }

// Converter reads one document and writes what it says to out. It returns the first error of out as it is. An error
// says what is wrong with the document in words for people ("the cross-reference table is damaged"); ErrPassword and
// ErrTooLarge are told apart. What was written before an error is kept: half a document is better than none, and the
// error becomes its note.
//
// It stops when ctx is done. It may use memory in proportion to a page, a sheet or a table, not to the whole, where
// the format allows that.
type Converter func(ctx context.Context, src Source, out Output) error

// Errors that every format can have.
var (
	ErrPassword = errors.New("it is protected by a password")
	ErrTooLarge = errors.New("its text is larger than the limit")
	// ErrBomb says that little is made to become very much. Nothing of it is kept.
	ErrBomb = errors.New("it unpacks to far more than documents of its size hold")
	// ErrNoText says that there is nothing to read, such as a scan without a text layer.
	ErrNoText = errors.New("it holds no text")
)

// PartKind says what a part of a document is.
type PartKind string

// The kinds of parts.
const (
	Page    PartKind = "page"    // of a PDF
	Slide   PartKind = "slide"   // of a presentation
	Sheet   PartKind = "sheet"   // of a workbook
	Table   PartKind = "table"   // of a database or a column file
	Chapter PartKind = "chapter" // of a book
	Message PartKind = "message" // of a mailbox
	Cell    PartKind = "cell"    // of a notebook
	// Of a web page, one of each and without a number.
	Main  PartKind = "main text"
	Aside PartKind = "beside the main text" // navigation, comments, links to other pages
)

// Part is a piece of a document that people would name when they say where something stands: "contract.pdf, page 12".
type Part struct {
	Kind   PartKind
	Number int    // from 1, of its kind in the document
	Name   string // of a sheet, a table, a chapter; the subject of a message; empty where there is none
}

// Output takes what a converter finds, in the order of the document. All text is UTF-8; what is not becomes U+FFFD.
// Every method returns an error when the conversion has to end: the limit of its output is reached, or nobody listens
// any more.
type Output interface {
	// Kind says what the document is: "pdf", "docx", "xlsx", "html", "mail", … One lower-case word, before anything
	// is written.
	Kind(kind string) error

	// Meta adds a line such as "Title: …" to the head of the text. All of them come before the first part and the
	// first write. Empty values are left out, line breaks become spaces.
	Meta(name, value string) error

	// Begin ends the part before, if there is one, and begins another at this place. It writes a line that shows it
	// ("--- page 12 ---"), which is no part of it. Parts do not nest and do not overlap; text before the first
	// belongs to none.
	Begin(p Part) error

	// Write adds text; it never writes less than all of p without an error. See io.Writer.
	io.Writer

	// Note keeps a remark for people beside the document: "12 pages without text". It is not text of the document.
	Note(text string) error

	// Member hands over a document inside this one, raw: a file of an archive, an attachment of a mail. It is
	// recognised and converted on its own, in a worker of its own, as NAME!/PATH. PATH has / as separator and is only
	// a name; Member cleans it. The zero time is no time. An error of r is told of the member alone, and Member
	// returns nil for it.
	Member(path string, modified time.Time, r io.Reader) error

	// Skip lists a member that is left out, with the reason.
	Skip(path, reason string) error
}
