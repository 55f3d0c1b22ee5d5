// Package format defines what all converters share: the source of a document's bytes and the destination of its
// text.
//
// A converter runs in a locked-down worker: no files, no network, no environment, no reliable clock. It has only
// its Source, its memory and its Output, and everything it parses is untrusted.
package format

import (
	"context"
	"errors"
	"io"
	"time"
)

// Source is the document to convert.
type Source struct {
	// Name is the document's name, with / as separator. Only its extension is used, as a hint; it is never opened.
	Name string
	// Bytes is read at random offsets, possibly by several goroutines.
	Bytes io.ReaderAt
	Size  int64
}

// Reader returns a reader from the start of the source.
func (s Source) Reader() *io.SectionReader { return io.NewSectionReader(s.Bytes, 0, s.Size) }

// Converter reads one document and writes its content to out. It returns the first error of out unchanged. Any
// other error describes the problem of the document in words for people ("the cross-reference table is damaged");
// callers distinguish ErrPassword, ErrTooLarge, ErrBomb and ErrNoText. Output before an error is kept: half a
// document is better than none, and the error becomes its reason.
//
// It stops when ctx is done. Where the format allows, its memory is proportional to a page, a sheet or a table, not
// to the whole document.
type Converter func(ctx context.Context, src Source, out Output) error

// Errors that every converter may return.
var (
	ErrPassword = errors.New("it is password-protected")
	ErrTooLarge = errors.New("its text is larger than the limit")
	// ErrBomb means that a small input expands to an enormous output. All of it is discarded.
	ErrBomb = errors.New("it unpacks to far more than documents of its size contain")
	// ErrNoText means that the document has nothing to read, such as a scan without a text layer.
	ErrNoText = errors.New("it contains no text")
)

// PartKind is the kind of a part of a document.
type PartKind string

// The kinds of parts.
const (
	Page    PartKind = "page"    // a page of a PDF
	Slide   PartKind = "slide"   // a slide of a presentation
	Sheet   PartKind = "sheet"   // a sheet of a workbook
	Table   PartKind = "table"   // a table of a database or a column file
	Chapter PartKind = "chapter" // a chapter of a book
	Message PartKind = "message" // a message of a mailbox
	Cell    PartKind = "cell"    // a cell of a notebook
	// Parts of a web page: one of each, without a number.
	Main  PartKind = "main text"
	Aside PartKind = "beside the main text" // navigation, comments, links to other pages
)

// Part is a piece of a document that people cite: "contract.pdf, page 12".
type Part struct {
	Kind   PartKind
	Number int    // counted from 1, for each kind
	Name   string // name of a sheet, table or chapter, or a message's subject; may be empty
}

// Output receives a converter's results, in the order of the document. All text is UTF-8; invalid bytes become
// U+FFFD. Every method returns an error if the conversion has to stop because a limit is reached or the receiver is
// gone.
type Output interface {
	// Kind sets the document's format: "pdf", "docx", "xlsx", "html", "mail", … It is one lower-case word and
	// precedes everything else.
	Kind(kind string) error

	// Meta adds a line such as "Title: …" to the head of the text. All lines of the head must precede the first
	// part and the first write. Empty values are left out, and line breaks become spaces.
	Meta(name, value string) error

	// Begin ends the current part, if any, and starts another. It writes a line ("--- page 12 ---") that marks the
	// part but does not belong to it. Parts do not nest or overlap; text before the first one belongs to no part.
	Begin(p Part) error

	// Write adds text. Without an error, all of p is written; see io.Writer.
	io.Writer

	// Note adds a remark for people ("12 pages without text"), which is not part of the text. In an archive, it is
	// about the next member.
	Note(text string) error

	// Member adds a document inside this one, unconverted: a file of an archive, an attachment of a mail. Another
	// worker recognises and converts it as NAME!/PATH. PATH has / as separator and is only a name, which Member
	// cleans. A zero time means that none is known. An error of r affects only the member: Member still returns
	// nil.
	Member(path string, modified time.Time, r io.Reader) error

	// Skip records a member that is left out, with the reason.
	Skip(path, reason string) error
}
