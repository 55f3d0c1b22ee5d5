package runner

import (
	"context"
	"errors"
	"fmt"
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

// describe tells the model what the context is.
func (s *Session) describe() *prompts.Facts {
	t := s.text()
	if t == nil {
		return &prompts.Facts{}
	}
	return facts(t.Facts(), whole(t).Docs, t.Skipped())
}
