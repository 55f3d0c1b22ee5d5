// Package corpus makes the context of a run: files, folders and streams become one sealed, read-only
// text with documents.
package corpus

import (
	"context"
	"errors"
	"io"
	"os"
)

// Document is a range of the text. Name is the path as given, with / as separator.
type Document struct {
	Name         string
	Offset, Size int64
	Encoding     string // as found: utf-8, utf-16le, windows-1252, …; the text itself is UTF-8
}

// Skipped is a file that is not part of the text.
type Skipped struct {
	Name   string
	Reason string // binary, ignored by .gitignore, unreadable: permission denied, …
}

// Text is a sealed text: once built, nobody can change it. It lives in a sealed memory file on Linux, in an unlinked file when it is larger
// than half of free memory or elsewhere. Text is safe for concurrent use.
type Text struct{}

// Source is something to read: a path (file or folder), a named reader, or a string.
type Source struct {
	Path   string    // file or folder
	Reader io.Reader // a stream, read once, written to the text while it is read
	Name   string    // document name of a Reader or a String
	String string    // when Path is empty and Reader is nil
}

// Build reads sources into one text. A path that does not exist or cannot be read is an error that names it; inside a folder it is skipped and listed.
func Build(ctx context.Context, sources []Source) (*Text, error) {
	return nil, errors.New("not built yet")
}

// File is the sealed file. It stays open until Close.
func (t *Text) File() *os.File { return nil }

// Size is the length in bytes.
func (t *Text) Size() int64 { return 0 }

// Documents are the documents in order.
func (t *Text) Documents() []Document { return nil }

// Skipped lists what was left out, in order.
func (t *Text) Skipped() []Skipped { return nil }

// Facts describes the text for the model without holding it.
func (t *Text) Facts() Facts { return Facts{} }

// Facts are sizes and small extracts, computed while the text is built, all capped.
type Facts struct {
	Bytes, Chars, Lines int64
	Tokens              int64 // an estimate
	Head, Tail          string
	Documents           int
	Encodings           map[string]int
	SHA256              string
}

// Close releases the file. Sessions that mapped it keep their mapping.
func (t *Text) Close() error { return nil }
