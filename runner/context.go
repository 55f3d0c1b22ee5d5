package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// AddContext appends text to the context. The existing text keeps its offsets; the model learns of the new text
// with the next question.
func (s *Session) AddContext(ctx context.Context, inputs ...Input) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	var text *corpus.Text
	var err error
	if old := s.text(); old == nil {
		text, err = s.build(ctx, sources(inputs))
	} else {
		text, err = s.extend(ctx, old, sources(inputs))
	}
	if err != nil {
		return err
	}
	s.origin = origin{} // reading the sources anew would not result in this text
	return s.replaceContext(ctx, text)
}

// RemoveContext removes a document from the context. Values that cells took from the old context stay as they are.
func (s *Session) RemoveContext(ctx context.Context, document string) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	old := s.text()
	if old == nil {
		return errors.New("there is no context to remove anything from")
	}
	var keep []corpus.Source
	found := false
	for _, d := range old.Documents() {
		if d.Name == document {
			found = true
			continue
		}
		keep = append(keep, known(old, d))
	}
	if !found {
		return fmt.Errorf("there is no document %q in the context", document)
	}
	if len(keep) == 0 {
		return fmt.Errorf("%q is the only document of the context; start a new session for another text", document)
	}
	text, err := corpus.Build(ctx, keep)
	if err != nil {
		return err
	}
	s.origin = origin{}
	return s.replaceContext(ctx, text)
}

// replaceContext replaces the context with a text, in the log and in the notebook.
func (s *Session) replaceContext(ctx context.Context, text *corpus.Text) error {
	s.addText(text)
	if err := s.recordContext(text); err != nil {
		return err
	}
	if s.facts == factsTold {
		s.facts = factsAdded
	}
	return s.nb.setContext(ctx, whole(text), s.history)
}

// Reread reads the files of the context again and fetches its URLs again. The model learns of the changes with the
// next question. Values that cells took from the old context stay as they are. Files that no longer exist are left
// out; text that was given as a string or a stream stays.
func (s *Session) Reread(ctx context.Context) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	old := s.text()
	if old == nil {
		return errors.New("there is no context to read again")
	}
	again := slices.DeleteFunc(s.sourcesAgain(old), vanished)
	if len(again) == 0 {
		return errors.New("none of the context's files exist any more")
	}
	text, err := s.build(ctx, again)
	if err != nil {
		return err
	}
	s.gone = nil
	return s.replaceContext(ctx, text)
}

// RereadPaths returns the absolute paths of the files and folders that Reread reads. Call it only while nothing else
// changes the context.
func (s *Session) RereadPaths() (paths []string) {
	if old := s.text(); old != nil {
		for _, src := range s.sourcesAgain(old) {
			if src.Path != "" {
				paths = append(paths, src.Path)
			}
		}
	}
	return paths
}

// sourcesAgain returns the sources of a new version of a text: its files and URLs, to be read again, and its other
// documents unchanged.
func (s *Session) sourcesAgain(old *corpus.Text) (again []corpus.Source) {
	if again = s.origin.sources(); len(again) > 0 {
		return again
	}
	for _, d := range old.Documents() {
		var src corpus.Source
		switch {
		case d.Fetched != nil:
			src = corpus.Source{URL: d.Fetched.URL}
		case d.File != nil:
			src = corpus.Source{Path: d.File.Path, Name: strings.TrimSuffix(d.Name, d.Member)}
		default:
			again = append(again, known(old, d))
			continue
		}
		// read a container only once
		if n := len(again); d.Member == "" || n == 0 || again[n-1].Path != src.Path || again[n-1].URL != src.URL {
			again = append(again, src)
		}
	}
	return again
}

// vanished reports whether a source is a file or folder that no longer exists.
func vanished(src corpus.Source) bool {
	if src.Path == "" {
		return false
	}
	_, err := os.Stat(src.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// DocumentState reports whether the file of a document has changed since it was read.
type DocumentState string

// The states of documents.
const (
	DocumentSame    DocumentState = ""        // unchanged since it was read, or not from a file
	DocumentGrown   DocumentState = "grown"   // longer than when it was read; the context has the old text
	DocumentChanged DocumentState = "changed" // different from when it was read; the context has the old text
	DocumentGone    DocumentState = "gone"    // the file no longer exists
)

// Document is one document of a session's context.
type Document struct {
	Name     string        `json:"name"`
	Offset   int64         `json:"offset"` // in bytes of the context
	Size     int64         `json:"size"`
	Encoding string        `json:"encoding,omitempty"` // as found; the context itself is UTF-8
	State    DocumentState `json:"state,omitempty"`    // of its file, judged by size and modification time
	Fetched  time.Time     `json:"fetched,omitzero"`   // when it was fetched from its URL; zero for other documents
	Kind     string        `json:"kind,omitempty"`     // its format before conversion ("pdf", …); "text" for text
	Pages    int           `json:"pages,omitempty"`    // pages or slides; 0 if it has none
	Parts    []Part        `json:"parts,omitempty"`    // its pages, sheets, chapters, … in order, if it has any
	// Note is what is missing from it and why, for people: "12 pages without text"; usually empty.
	Note string `json:"note,omitempty"`
	Path string `json:"path,omitempty"` // absolute path of its file; empty for other documents
}

// Part is a part of a document, such as a page.
type Part struct {
	// Kind is page, slide, sheet, table, chapter, message, cell, main text or "beside the main text".
	Kind   string `json:"kind"`
	Number int    `json:"number"`         // from 1, counted by kind within the document
	Name   string `json:"name,omitempty"` // of a sheet, table or chapter; the subject of a message; often empty
	Offset int64  `json:"offset"`         // in bytes of the document
	Size   int64  `json:"size"`
}

// Documents lists the documents of the context, in order, and then those that the context lost because their files
// no longer existed when the session was opened. Reread reads what has changed.
func (s *Session) Documents() []Document {
	t := s.text()
	if t == nil {
		return nil
	}
	var out []Document
	for _, d := range t.Documents() {
		doc := Document{
			Name: d.Name, Offset: d.Offset, Size: d.Size, Encoding: d.Encoding, State: stateOf(d.File),
			Kind: cmp.Or(d.Kind, "text"), Pages: d.Parts.Pages(), Note: d.Note,
		}
		if d.File != nil {
			doc.Path = d.File.Path
		}
		if d.Fetched != nil {
			doc.Fetched = d.Fetched.Time
		}
		for _, p := range d.Parts {
			doc.Parts = append(doc.Parts, Part(p))
		}
		out = append(out, doc)
	}
	return append(out, s.gone...)
}

// known returns a document of a text as a source for another text.
func known(t *corpus.Text, d corpus.Document) corpus.Source {
	return corpus.Source{Known: &d, Reader: io.NewSectionReader(t, d.Offset, d.Size)}
}
