package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
)

// recordContext says in the log what cells see as context from here on, so that it can be made again: from its paths, or from
// a copy in the run's folder where something of it was a stream or a string.
func (s *Session) recordContext(text *corpus.Text) error {
	if text == nil {
		return nil
	}
	d := trajectory.ContextAdded{Size: text.Size(), Hash: text.Facts().SHA256, Documents: len(text.Documents())}
	for _, sk := range text.Skipped() {
		d.Skipped = append(d.Skipped, sk.Name+" ("+sk.Reason+")")
	}
	if d.Sources = s.origin.paths; !s.origin.again {
		d.File = fmt.Sprintf("context-%d", len(s.texts))
		if err := text.Save(filepath.Join(s.dir, d.File)); err != nil {
			return err
		}
	}
	return s.append(d)
}

// loadContext makes a recorded context again.
func (s *Session) loadContext(ctx context.Context, d trajectory.ContextAdded) (*corpus.Text, error) {
	if d.File != "" {
		text, err := corpus.Load(filepath.Join(s.dir, d.File))
		if err != nil {
			return nil, fmt.Errorf("reading the context of the session again: %w", err)
		}
		return text, nil
	}
	var src []corpus.Source
	for _, p := range d.Sources {
		src = append(src, corpus.Source{Path: p})
	}
	text, err := corpus.Build(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("reading the context of the session again: %w", err)
	}
	if text.Facts().SHA256 != d.Hash {
		return nil, errors.Join(fmt.Errorf("the context is not what it was when this run was made: %v changed since; put the files back as they were, or begin a new run", d.Sources), text.Close())
	}
	return text, nil
}

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
	s.nb.cfg.Context = whole(text)
	if s.nb.session == nil {
		return nil
	}
	return s.nb.session.SetContext(ctx, whole(text), s.answered)
}

// Document is one document of a session's context.
type Document struct {
	Name         string
	Offset, Size int64  // in bytes of the context
	Encoding     string // as found; the context itself is UTF-8
}

// Documents are the documents of the context, in order.
func (s *Session) Documents() []Document {
	var out []Document
	if t := s.text(); t != nil {
		for _, d := range t.Documents() {
			out = append(out, Document{Name: d.Name, Offset: d.Offset, Size: d.Size, Encoding: d.Encoding})
		}
	}
	return out
}

// describe tells the model what the context is.
func (s *Session) describe() *prompts.Facts {
	t := s.text()
	if t == nil {
		return &prompts.Facts{}
	}
	return facts(t.Facts(), whole(t).Docs, t.Skipped())
}

func readerOf(t *corpus.Text, d corpus.Document) io.Reader {
	return io.NewSectionReader(t, d.Offset, d.Size)
}
