package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
)

// recordContext records in the log what cells see as context from now on. The context can be rebuilt from its
// files, or from a copy in the run's folder, which is kept if the context is small or contains a stream or a
// string.
func (s *Session) recordContext(text *corpus.Text) error {
	if text == nil {
		return nil
	}
	d := trajectory.ContextAdded{
		Size: text.Size(), Hash: text.Facts().SHA256, Documents: len(text.Documents()), Sources: s.origin.paths,
		Absolute: s.origin.absolute,
	}
	for _, sk := range text.Skipped() {
		d.Skipped = append(d.Skipped, sk.Name+" ("+sk.Reason+")")
	}
	s.known[d.Hash] = text
	if len(s.origin.paths) > 0 || text.Derived() {
		files, err := filesOf(text.Documents())
		if err != nil {
			return fmt.Errorf("recording the files of the context: %w", err)
		}
		d.Files = trajectory.T(files)
	}
	save := text.Save
	switch {
	case len(s.origin.paths) == 0 || text.Size() <= s.cfg.Kept:
	case text.Derived():
		save = text.SaveDerived
	default:
		return s.append(d)
	}
	d.File = fmt.Sprintf("context-%d", len(s.texts))
	if err := save(filepath.Join(s.dir, d.File)); err != nil {
		return err
	}
	return s.append(d)
}

// manyFiles bounds, in bytes, the JSON that lists documents. Beyond it, a document is left out if the one before is
// from the same container.
const manyFiles = 4 << 20

// filesOf is the JSON of documents without their parts, which are long, and are stored in the copy of the text.
func filesOf(docs []corpus.Document) (string, error) {
	var files strings.Builder
	files.WriteByte('[')
	for i, doc := range docs {
		if files.Len() > manyFiles && doc.Member != "" && doc.File == docs[i-1].File {
			continue
		}
		doc.Parts = nil
		one, err := json.Marshal(doc)
		if err != nil {
			return "", err
		}
		if i > 0 {
			files.WriteByte(',')
		}
		files.Write(one)
	}
	files.WriteByte(']')
	return files.String(), nil
}

// loadContext rebuilds a recorded context exactly: from its copy, or from its files up to their recorded sizes.
// The error is corpus.ErrChanged if the text differs.
func (s *Session) loadContext(ctx context.Context, d trajectory.ContextAdded) (*corpus.Text, error) {
	return loadContext(ctx, s.dir, d)
}

func loadContext(ctx context.Context, dir string, d trajectory.ContextAdded) (*corpus.Text, error) {
	if d.File != "" {
		text, err := corpus.Load(ctx, filepath.Join(dir, d.File))
		if err != nil {
			return nil, fmt.Errorf("reading the context of the session again: %w", err)
		}
		if text.Facts().SHA256 != d.Hash {
			return nil, errors.Join(fmt.Errorf(
				"reading the context of the session again: %s contains a different text than its log says", d.File),
				text.Close())
		}
		return text, nil
	}
	text, err := corpus.Build(ctx, recordedSources(d))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", corpus.ErrChanged, err)
	case text.Facts().SHA256 != d.Hash:
		return nil, errors.Join(corpus.ErrChanged, text.Close())
	}
	return text, nil
}

// recordedSources returns the files of a context with their recorded sizes.
func recordedSources(d trajectory.ContextAdded) []corpus.Source {
	docs := filesIn(d)
	if len(docs) == 0 || slices.ContainsFunc(docs, func(d corpus.Document) bool { return d.File == nil }) {
		return originIn(d).sources()
	}
	sources := make([]corpus.Source, len(docs))
	for i, doc := range docs {
		sources[i] = corpus.Source{Name: doc.Name, File: doc.File}
	}
	return sources
}

// filesIn returns the documents of a context as recorded in the log.
func filesIn(d trajectory.ContextAdded) (docs []corpus.Document) {
	if json.Unmarshal([]byte(d.Files.String()), &docs) != nil {
		return nil // the log of an earlier version has no list
	}
	return docs
}

// readNow reads the present content of a context that changed. Files that no longer exist are left out and listed.
// Fetched pages are reused, and so are conversions of unchanged files, since another version of the converter may
// produce other text.
func (s *Session) readNow(ctx context.Context, d trajectory.ContextAdded) (*corpus.Text, error) {
	var there []corpus.Source
	for _, src := range originIn(d).sources() {
		if _, err := os.Stat(src.Path); err == nil || src.URL != "" {
			there = append(there, src)
		}
	}
	kept := s.keptOf(ctx, d)
	if kept != nil {
		defer kept.Close() // the needed parts have been copied by then
	}
	text, err := s.converting(ctx, func(ctx context.Context, o corpus.Options) (*corpus.Text, error) {
		o.Fetcher, o.Kept = nil, kept
		return o.Build(ctx, there)
	})
	if err != nil && ctx.Err() == nil {
		text, err = corpus.Build(ctx, nil) // no file contains text
	}
	if err != nil {
		return nil, fmt.Errorf("reading the context of the session again: %w", err)
	}
	for _, doc := range filesIn(d) {
		if !slices.ContainsFunc(text.Documents(), func(now corpus.Document) bool { return now.Name == doc.Name }) {
			s.gone = append(s.gone, Document{Name: doc.Name, State: DocumentGone})
		}
	}
	return text, nil
}

// keptOf returns the copy of a context in the run's folder, nil if there is none or it cannot be read: the copy
// helps, but is not required.
func (s *Session) keptOf(ctx context.Context, d trajectory.ContextAdded) *corpus.Text {
	return keptIn(ctx, s.dir, d)
}

// keptIn is keptOf for a run's folder.
func keptIn(ctx context.Context, dir string, d trajectory.ContextAdded) *corpus.Text {
	if d.File == "" {
		return nil
	}
	text, err := corpus.LoadKept(ctx, filepath.Join(dir, d.File))
	if err != nil {
		return nil
	}
	return text
}

// sameSource reports whether two documents were read from the same version of their file or page.
func sameSource(a, b corpus.Document) bool {
	if a.Fetched != nil && b.Fetched != nil {
		return a.Fetched.Time.Equal(b.Fetched.Time)
	}
	return a.File != nil && b.File != nil && a.File.Size == b.File.Size && a.File.Time.Equal(b.File.Time)
}

// replaced records that a context changed since the session was closed, and notifies the person and the model.
func (s *Session) replaced(text *corpus.Text, before trajectory.ContextAdded) error {
	var changed []string
	docs := text.Documents()
	for _, doc := range filesIn(before) {
		i := slices.IndexFunc(docs, func(now corpus.Document) bool { return now.Name == doc.Name })
		if i < 0 || !sameSource(docs[i], doc) {
			changed = append(changed, doc.Name)
		}
	}
	if len(changed) == 0 {
		changed = before.Sources
	}
	if len(changed) > listed {
		changed = append(changed[:listed:listed], fmt.Sprintf("and %d more", len(changed)-listed))
	}
	note := "the context has changed, because files were changed or removed: " + strings.Join(changed, ", ")
	s.news = append(s.news, remark(note+"; what was said about them before refers to the earlier text"))
	if s.facts == factsTold {
		s.facts = factsAdded
	}
	told, err := s.log.Append("", 0, trajectory.Warned{About: "context", Text: note})
	if err != nil {
		return err
	}
	s.early = append(s.early, told)
	return s.recordContext(text)
}

// stateOf compares the file of a document with the file that was read.
func stateOf(f *corpus.File) DocumentState {
	if f == nil {
		return DocumentSame
	}
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return DocumentGone
	case err != nil:
		return DocumentChanged
	case info.Size() > f.Size:
		return DocumentGrown
	case info.Size() != f.Size || !info.ModTime().Equal(f.Time):
		return DocumentChanged
	}
	return DocumentSame
}

// changedIn lists the documents of a recorded context whose files are no longer as they were when they were read.
func changedIn(d trajectory.ContextAdded) (changed []Document) {
	for _, doc := range filesIn(d) {
		if state := stateOf(doc.File); state != DocumentSame {
			changed = append(changed,
				Document{Name: doc.Name, Offset: doc.Offset, Size: doc.Size, Encoding: doc.Encoding, State: state})
		}
	}
	return changed
}

// changedText names documents that have changed since they were read, in one line; "" if there are none.
func changedText(changed []Document) string {
	if len(changed) == 0 {
		return ""
	}
	var names []string
	for _, d := range changed[:min(len(changed), 8)] {
		name := d.Name
		if d.State == DocumentGone {
			name += " (gone)"
		}
		names = append(names, name)
	}
	line := "changed since the run read them: " + strings.Join(names, ", ")
	if n := len(changed) - len(names); n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	return line
}

// describe returns the facts about the context for the model.
func (s *Session) describe() *prompts.Facts {
	t := s.text()
	if t == nil {
		return &prompts.Facts{}
	}
	return facts(t.Facts(), whole(t).Docs, t.Documents(), t.Skipped(), t, 0, s.cfg.sampleRoom(0))
}
