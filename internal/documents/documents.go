// Package documents turns documents as people have them (PDF, Office files, web pages, mail, archives, databases) into text
// with structure.
//
// Whatever parses somebody else's file runs in a locked-down worker process of package sandbox, one document at a time, with limits of
// memory, time and output. A document that is broken, hostile or protected costs itself only: it is yielded with the reason, and
// the next one is converted. A [Pool] has the workers; this process only copies, hashes and counts bytes.
package documents

import (
	"context"
	"io"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/sandbox"
)

// Options configure a Pool. Zero values are the defaults.
type Options struct {
	// Level is how well workers have to be locked in; default sandbox.Best. Where Best comes to no more than sandbox.Basic, only formats that a
	// memory-safe parser of text reads (HTML) are converted, and the others are left out with that reason; to have them all
	// converted there, ask for sandbox.Basic by name.
	Level   sandbox.Level
	Workers int           // conversions at once; default GOMAXPROCS
	Memory  int64         // bytes that a conversion may have resident; default 512 MiB
	Timeout time.Duration // of one document, without its members and without the time for which it waits for them; default 60 s
	Output  int64         // bytes of text of one document; default 1 GiB
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
	// Name is the job's name, with !/PATH behind it for a member ("mail.eml!/report.zip!/q3.pdf"). It is one line of printable text.
	Name     string
	Modified time.Time // of a member, as its container says; zero if it does not say

	// Kind says what was found, in one lower-case word ("pdf", "docx", "mail", …). It is empty for bytes that no converter knows: then Raw is
	// true and Text has the bytes as they are. They may be text in some charset, or anything else.
	Kind string
	Raw  bool

	// Text is the document's text: valid UTF-8, its metadata at the head, a line such as "--- page 12 ---" before each part. nil if there is
	// none. It may be read until the call of yield ends.
	Text  *io.SectionReader
	Parts []Part // ascending, without overlaps
	Pages int    // pages or slides; 0 if it has none

	// Notes are remarks for people about what is there and what is not ("12 pages without text"), each one line. They are untrusted text.
	Notes []string
	// Why says why the document is not there, or not all of it: password, broken, too large, too slow, crashed. With text, it is the
	// reason why the text ends where it ends.
	Why string
}

// Part is a page, sheet, chapter, … as a range of its document's text, in bytes. The line that marks it stands before it.
type Part struct {
	format.Part
	Offset int64
	Size   int64
}

// Format is how bytes are recognised, and which converter reads them.
type Format struct {
	// Name of the format as far as the first bytes tell ("pdf", "zip", …); what a zip holds is found out in the worker.
	Name string
	// Version changes whenever what the converter makes of the same bytes may change. For formats with members it covers all converters.
	Version string
}

// Convert converts a document and all that it holds. It calls yield for each document that comes of it, one after the other and in the
// order of the container: a document, then its members, each followed by its own. A container that has no text and no
// notes is not yielded. Members are converted beside each other.
//
// The error is that of ctx or of yield, or says that no worker can be had at all. What is wrong with a document is in Document.Why. When Convert
// returns, nothing of it is left. It may be called by many goroutines: those wait for workers.
func (p *Pool) Convert(ctx context.Context, job Job, yield func(Document) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return yield(Document{Name: format.OneLine(job.Name), Raw: true, Text: io.NewSectionReader(job.Bytes, 0, job.Size)})
}

// Recognise says how a document with this name and these first bytes (4 KiB are enough) is converted. Not ok: no converter knows it; it
// is text, or something unknown.
func Recognise(name string, head []byte) (f Format, ok bool) { return Format{}, false }

// Pool converts documents in locked-down workers. It starts them when they are needed.
type Pool struct{ options Options }

// NewPool makes a pool. Close it after its last conversion.
func NewPool(o Options) *Pool { return &Pool{options: o} }

// Close ends the workers. Conversions must have returned.
func (p *Pool) Close() error { return nil }
