package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// AddContext makes more text part of the context. What was there stays at its place; the model is told with the next question.
func (s *Session) AddContext(ctx context.Context, inputs ...Input) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	var text *corpus.Text
	var err error
	if old := s.text(); old == nil {
		text, err = corpus.Build(ctx, sources(inputs))
	} else {
		text, err = old.Append(ctx, sources(inputs))
	}
	if err != nil {
		return err
	}
	s.origin = origin{} // together they read otherwise than one after the other
	return s.replaceContext(ctx, text)
}

// RemoveContext takes a document out of the context. Values that cells took from the old context stay as they are.
func (s *Session) RemoveContext(ctx context.Context, document string) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	old := s.text()
	if old == nil {
		return errors.New("there is no context to remove anything from")
	}
	var keep []Input
	found := false
	for _, d := range old.Documents() {
		if d.Name == document {
			found = true
			continue
		}
		keep = append(keep, Reader(d.Name, readerOf(old, d)))
	}
	if !found {
		return fmt.Errorf("there is no document %q in the context", document)
	}
	if len(keep) == 0 {
		return fmt.Errorf("%q is the only document of the context; begin a new session for another text", document)
	}
	text, err := corpus.Build(ctx, sources(keep))
	if err != nil {
		return err
	}
	s.origin = origin{}
	return s.replaceContext(ctx, text)
}

// replaceContext puts a text in the place of the context, in the log and in the notebook.
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

// Reread reads the files of the context again, as they are now. The model is told with the next question. Values that cells
// took from the old context stay as they are. A file that is gone is no part of it any more. Text that was given as a string or a stream stays too.
func (s *Session) Reread(ctx context.Context) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	old := s.text()
	if old == nil {
		return errors.New("there is no context to read again")
	}
	again := s.origin.sources()
	if len(again) == 0 {
		for _, d := range old.Documents() {
			if d.File != nil {
				again = append(again, corpus.Source{Path: d.File.Path, Name: d.Name})
			} else {
				again = append(again, corpus.Source{Name: d.Name, Reader: readerOf(old, d)})
			}
		}
	}
	again = slices.DeleteFunc(again, vanished)
	if len(again) == 0 {
		return errors.New("no file of the context is there any more")
	}
	text, err := corpus.Build(ctx, again)
	if err != nil {
		return err
	}
	s.gone = nil
	return s.replaceContext(ctx, text)
}

// vanished reports whether a source is a file or a folder that is not there any more.
func vanished(src corpus.Source) bool {
	if src.Path == "" {
		return false
	}
	_, err := os.Stat(src.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// DocumentState says whether the file of a document is still as it was read.
type DocumentState string

// The states of documents.
const (
	DocumentSame    DocumentState = ""        // as it was read, or not from a file
	DocumentGrown   DocumentState = "grown"   // longer than what was read; the context has the text as it was
	DocumentChanged DocumentState = "changed" // other than what was read; the context has the text as it was
	DocumentGone    DocumentState = "gone"    // no file any more
)

// Document is one document of a session's context.
type Document struct {
	Name         string
	Offset, Size int64         // in bytes of the context
	Encoding     string        // as found; the context itself is UTF-8
	State        DocumentState // of its file, as far as size and time of the last change tell
}

// Documents are the documents of the context, in order, and after them those that the context lost because their files were
// gone when the session was opened. Reread takes up what changed.
func (s *Session) Documents() []Document {
	t := s.text()
	if t == nil {
		return nil
	}
	var out []Document
	for _, d := range t.Documents() {
		out = append(out, Document{Name: d.Name, Offset: d.Offset, Size: d.Size, Encoding: d.Encoding, State: stateOf(d.File)})
	}
	return append(out, s.gone...)
}

func readerOf(t *corpus.Text, d corpus.Document) io.Reader {
	return io.NewSectionReader(t, d.Offset, d.Size)
}
