// Package documents turns documents as people have them (PDF, Office files, web pages, mail, archives, databases)
// into text with structure.
//
// Whatever parses somebody else's file runs in a locked-down worker process of package sandbox, one document at a
// time, with limits of memory, time and output. A document that is broken, hostile or protected costs itself only: it
// is yielded with the reason, and the next one is converted. A [Pool] has the workers; this process only copies,
// hashes and counts bytes.
package documents

import (
	"io"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/sandbox"
)

// Options configure a Pool. Zero values are the defaults.
type Options struct {
	// Level is how well workers have to be locked in; default sandbox.Best. Where Best comes to no more than
	// sandbox.Basic, only formats that a memory-safe parser of text reads (HTML) are converted, and the others are
	// left out with that reason; to have them all converted there, ask for sandbox.Basic by name.
	Level   sandbox.Level
	Workers int   // conversions at once; default GOMAXPROCS
	Memory  int64 // bytes that a conversion may have resident; default 512 MiB
	// Timeout is the time of one document without its members; default 60 s. Each MiB that it has and each 8 MiB that
	// it yields buys a second more. A job has ten times as much for all its members, and more for its own size.
	Timeout time.Duration
	Output  int64 // bytes of text of one document; default 1 GiB
}

// Job is a document to convert.
type Job struct {
	// Name is what the document is called, with / as separator; a hint, never something that is opened.
	Name string
	// Bytes are read at any place until Convert returns. A worker reads an *os.File by itself, also one behind an
	// *io.SectionReader; all else is copied for it.
	Bytes io.ReaderAt
	Size  int64
}

// Document is one that came of a job: the one that was asked for, or a member of it.
type Document struct {
	// Name is the job's name, with !/PATH behind it for a member ("mail.eml!/report.zip!/q3.pdf"). It is one line of
	// printable text.
	Name     string
	Modified time.Time // of a member, as its container says; zero if it does not say

	// Kind says what was found, in one lower-case word ("pdf", "docx", "mail", …). It is empty for bytes that need no
	// converter: then Raw is true and Text has the bytes as they are, in whatever charset. It may be empty where Why
	// says that the document is not there.
	Kind string
	Raw  bool

	// Text is the document's text: valid UTF-8, its metadata at the head, a line such as "--- page 12 ---" before
	// each part. nil if there is none. It may be read until the call of yield ends.
	Text  *io.SectionReader
	Parts []Part // ascending, without overlaps
	Pages int    // pages or slides; 0 if it has none

	// Notes are remarks for people about what is there and what is not ("12 pages without text"), each one line. They
	// are untrusted text.
	Notes []string
	// Why says why the document is not there, or not all of it: password, broken, too large, too slow, crashed. With
	// text, it is the reason why the text ends where it ends.
	Why string
	// Lasting says that Why follows from the bytes alone. Otherwise another try, with other limits or on a machine
	// that is less busy, may end otherwise.
	Lasting bool
}

// Part is a page, sheet, chapter, … as a range of its document's text, in bytes. The line that marks it stands before
// it.
type Part struct {
	format.Part
	Offset int64
	Size   int64
}

// Member is what the name of a document that came of a job has behind the job's: "!/report.zip!/q3.pdf", "" for the
// document that was asked for.
func Member(job, name string) string {
	if rest, ok := strings.CutPrefix(name, shownUpTo(job, 4*maxShown)); ok {
		return rest
	}
	return ""
}

// MemberName is the reverse of Member.
func MemberName(job, member string) string { return shownUpTo(job, 4*maxShown) + member }
