// Package documents turns common documents (PDF, Office files, web pages, mail, archives, databases) into text with
// structure.
//
// All parsing of untrusted files happens in locked-down worker processes of package sandbox, one document at a
// time, with limits on memory, time and output. A broken, hostile or protected document affects nothing else: it is
// yielded with the reason, and the next one is converted. A [Pool] owns the workers; this process only copies,
// hashes and counts bytes.
package documents

import (
	"io"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/sandbox"
)

// Options configures a Pool. Zero values mean the defaults.
type Options struct {
	// Level is how well workers must be locked in; default sandbox.Best. Where Best yields only sandbox.Basic, the
	// pool converts only formats that a memory-safe text parser reads (HTML) and leaves out the others with that
	// reason. To convert all of them there, set sandbox.Basic explicitly.
	Level   sandbox.Level
	Workers int   // concurrent conversions; default GOMAXPROCS
	Memory  int64 // bytes of resident memory for each conversion; default 512 MiB
	// Timeout is the time for one document without its members; default 60 s. Each MiB of the document and each 8
	// MiB of output add one second. A job has ten times as much for all its members, plus time for its own size.
	Timeout time.Duration
	Output  int64 // bytes of text for each document; default 1 GiB
}

// Job is a document to convert.
type Job struct {
	// Name is the document's name, with / as separator. It is a hint and is never opened.
	Name string
	// Bytes is read at random offsets until Convert returns. A worker reads an *os.File, even inside an
	// *io.SectionReader, directly; any other reader is copied for it.
	Bytes io.ReaderAt
	Size  int64
}

// Document is one result of a job: the document itself, or a member of it.
type Document struct {
	// Name is the job's name, followed by !/PATH for a member ("mail.eml!/report.zip!/q3.pdf"). It is one line of
	// printable text.
	Name     string
	Modified time.Time // time of a member, from its container; zero if unknown

	// Kind is the detected format as one lower-case word ("pdf", "docx", "mail", …). It is empty for bytes that
	// need no converter: then Raw is true, and Text has the bytes unchanged, in any charset. It may also be empty
	// if Why explains that the document is missing.
	Kind string
	Raw  bool

	// Text is the document's text: valid UTF-8, with metadata at the head and a line such as "--- page 12 ---"
	// before each part. It is nil if there is no text, and valid only until yield returns.
	Text  *io.SectionReader
	Parts []Part // ascending, without overlaps
	Pages int    // pages or slides; 0 if the format has none

	// Notes are remarks for people about what is present or missing ("12 pages without text"), each one line of
	// untrusted text.
	Notes []string
	// Why is the reason why the document is missing or incomplete: password, broken, too large, too slow, crashed.
	// If there is text, it ends early for this reason.
	Why string
	// Lasting reports whether Why follows from the bytes alone. Otherwise another try, with other limits or on a
	// less busy machine, may succeed.
	Lasting bool
}

// Part is a page, sheet, chapter, … as a byte range of its document's text. The line that marks the part precedes
// it.
type Part struct {
	format.Part
	Offset int64
	Size   int64
}

// Member returns the part of a document's name that follows the job's name: "!/report.zip!/q3.pdf", or "" for the
// job's own document.
func Member(job, name string) string {
	if rest, ok := strings.CutPrefix(name, shownUpTo(job, 4*maxShown)); ok {
		return rest
	}
	return ""
}

// MemberName is the inverse of Member.
func MemberName(job, member string) string { return shownUpTo(job, 4*maxShown) + member }
