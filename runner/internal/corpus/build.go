package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/gorlm/rlm/internal/documents/cache"
)

// Options configure how sources become a text. The zero value takes text as it is and leaves out everything else.
type Options struct {
	Cache   *cache.Cache // converts what is not text; nil: it is left out
	Fetcher Fetcher      // for URLs; nil: they are left out
	// Kept is an earlier text, or nil. Fetched pages are taken from it, and so are conversions, if the file has
	// not changed.
	Kept *Text
	// Progress, if set, is called from time to time, by one goroutine at a time.
	Progress func(Progress)

	memory int64 // most bytes kept in memory; 0: half of what is free
}

// Progress is the progress of a build.
type Progress struct {
	Documents, Of  int   // files, pages and streams: read so far, and all
	Bytes, OfBytes int64 // bytes of these; for streams and pages known only when read
	Conversions    int   // files, pages and streams converted so far
	Made           int   // documents produced by conversions so far, including members of archives
}

// Left estimates the time left, from the bytes if their total is known, else from the files. It is 0 if there is no
// basis for an estimate, as in the first seconds.
func (p Progress) Left(elapsed time.Duration) time.Duration {
	done, of := float64(p.Bytes), float64(p.OfBytes)
	if of == 0 {
		done, of = float64(p.Documents), float64(p.Of)
	}
	if done <= 0 || done >= of || elapsed < 2*time.Second {
		return 0
	}
	return time.Duration(float64(elapsed) * (of - done) / done).Round(time.Second)
}

// Build is Options.Build for plain text only.
func Build(ctx context.Context, sources []Source) (*Text, error) {
	return Options{}.Build(ctx, sources)
}

// Append is Options.Append for plain text only.
func (t *Text) Append(ctx context.Context, sources []Source) (*Text, error) {
	return Options{}.Append(ctx, t, sources)
}

// Build reads sources into one text. A path that does not exist or cannot be read is an error that names it; inside
// a folder it is skipped and listed. If there are sources but none contains text, the error gives the reasons;
// without sources the text is empty. The same sources make the same text, however long their conversions take.
//
// When ctx is done Build returns its error; a Reader that blocks is abandoned.
func (o Options) Build(ctx context.Context, sources []Source) (*Text, error) {
	found, err := list(ctx, sources)
	if err != nil {
		return nil, err
	}
	if o.Kept != nil {
		found.found = o.Kept.inPlaceOf(found.found)
	}
	s, err := newStore(found.size(), o.memory)
	if err != nil {
		return nil, err
	}
	found.alone = len(found.found) == 1
	return o.build(ctx, found, s, newTally(), &Text{})
}

// Append makes a new text that begins with t and continues with more sources: existing offsets stay valid.
func (o Options) Append(ctx context.Context, t *Text, sources []Source) (*Text, error) {
	found, err := list(ctx, sources)
	if err != nil {
		return nil, err
	}
	s, err := newStore(t.Size()+found.size(), o.memory)
	if err != nil {
		return nil, err
	}
	if err := s.copyFrom(t.file, t.Size()); err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	counted, err := t.tally.clone()
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return o.build(ctx, found, s, counted, t)
}

// list lists the candidates of the sources.
func list(ctx context.Context, sources []Source) (*lister, error) {
	l := &lister{ctx: ctx, seen: map[string]bool{}}
	for _, s := range sources {
		if err := l.add(s); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// size is the known size of all candidates, in bytes.
func (l *lister) size() (n int64) {
	for _, c := range l.found {
		n += c.size
	}
	return n
}

// builder writes documents one after the other.
type builder struct {
	*writer
	ctx   context.Context
	found *lister
	docs  []Document
	parts int // number of parts in all documents
	// partNames is the size of the names of all parts, in bytes.
	partNames int

	queue *queue
	first *pendingDocument // the first document, until it is known whether there is a second
}

// build appends the candidates to the text in the store and seals the whole text.
func (o Options) build(ctx context.Context, found *lister, s *store, counted *tally, before *Text) (*Text, error) {
	within, cancel := context.WithCancel(ctx)
	b := &builder{
		writer: newWriter(s, counted), ctx: within, found: found, docs: before.Documents(),
		queue: newQueue(within, o, found),
	}
	err := b.documents()
	cancel()
	b.queue.close()
	if b.first != nil {
		err = errors.Join(err, b.first.close())
	}
	b.finish()
	if err == nil {
		err = b.anything(before)
	}
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return s.text(counted, b.docs, append(before.Skipped(), found.skipped...))
}

// text seals the store.
func (s *store) text(counted *tally, docs []Document, skipped []SkippedFile) (*Text, error) {
	file, err := s.seal()
	if err != nil {
		return nil, err
	}
	t := &Text{file: file, docs: docs, skipped: skipped, tally: counted}
	t.facts = t.describe()
	return t, nil
}

// describe adds facts about the documents.
func (t *Text) describe() Facts {
	f := t.tally.facts()
	f.Documents = len(t.docs)
	f.Encodings = map[string]int{}
	for _, d := range t.docs {
		f.Encodings[d.Encoding]++
		f.Replaced += d.Replaced
	}
	return f
}

// pendingDocument is a document before it is written. Documents have headers only if there are several, so the
// first waits for the second.
type pendingDocument struct {
	write func(header bool) error
	close func() error
}

// documents writes everything that is text or is converted to text.
func (b *builder) documents() error {
	for {
		e, err := b.queue.next()
		if err != nil {
			return err
		}
		switch {
		case e == nil:
			return b.flush(false)
		case e.conversion != nil:
			err = b.convert(e.conversion)
		default:
			err = b.put(pendingDocument{func(header bool) error { return b.document(e.openFile, header) }, e.src.Close})
		}
		if err != nil {
			return err
		}
	}
}

// put writes a document, or holds it back if it is the first.
func (b *builder) put(h pendingDocument) error {
	if b.first == nil && len(b.docs) == 0 {
		b.first = &h
		return nil
	}
	err := b.flush(true)
	if err == nil {
		err = h.write(true)
	}
	return errors.Join(err, h.close())
}

// flush writes the document that was held back.
func (b *builder) flush(header bool) error {
	if b.first == nil {
		return nil
	}
	h := b.first
	b.first = nil
	return errors.Join(h.write(header), h.close())
}

// document writes one document.
func (b *builder) document(o *openFile, header bool) error {
	doc := Document{Name: o.name}
	if o.known != nil {
		doc = *o.known
	}
	if err := b.begin(&doc, header); err != nil {
		return err
	}
	r := newUTF8Reader(io.MultiReader(o.again(), o.src), o.head, o.text)
	if file := o.src.file(); b.found.alone && file != nil && !r.altered() {
		b.store.leave(file)
	}
	if err := b.copy(r); err != nil {
		switch why := (readError{}); {
		case !errors.As(err, &why):
			return err
		case o.named:
			return unreadable(o.name, why.error)
		default:
			doc.remark(fmt.Sprintf("reading stopped after %d bytes: %s; the rest is missing", b.store.size-doc.Offset,
				reason(why.error)))
		}
	}
	doc.remark(r.remarks()...)
	if o.known == nil {
		doc.Encoding, doc.Replaced = r.encoding, r.replaced
		if doc.Fetched = o.fetched(); doc.Fetched != nil {
			doc.Encoding = cmp.Or(o.page.got.Encoding, doc.Encoding)
		}
		if doc.File = o.file; doc.File != nil {
			doc.File.Size = o.src.n
		}
	}
	b.end(doc)
	b.queue.read(o.candidate, o.rest(), false)
	return nil
}

// begin writes the header of a document and sets its offset.
func (b *builder) begin(doc *Document, header bool) error {
	if header {
		if _, err := b.Write([]byte(b.header(doc.Name))); err != nil {
			return err
		}
	}
	doc.Offset = b.store.size
	return nil
}

// end adds a document that has been written.
func (b *builder) end(doc Document) {
	doc.Size = b.store.size - doc.Offset
	b.docs = append(b.docs, doc)
}

// readError is an error of reading, not of writing.
type readError struct{ error }

// copy writes all that r reads.
func (b *builder) copy(r *utf8Reader) error {
	for {
		buf := b.piece()
		text, err := r.next(buf)
		if r.altered() {
			if oerr := b.store.own(); oerr != nil {
				b.free <- buf
				return oerr
			}
		}
		if werr := b.write(buf, text); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if cerr := b.ctx.Err(); cerr != nil {
			return cerr
		}
		if err != nil {
			return readError{err}
		}
	}
}

// header is the line before a document.
func (b *builder) header(name string) string {
	line := fmt.Sprintf("=== document %d: %s ===\n", len(b.docs)+1, oneLine(name))
	switch {
	case b.store.size == 0:
		return line
	case b.last == '\n':
		return "\n" + line
	}
	return "\n\n" + line
}

// oneLine keeps a file name on one line, so that no part of it looks like text of the document.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// ErrNothing means that none of the sources contains text.
var ErrNothing = errors.New("nothing here can be read as text")

// anything returns an error if there were sources and none of them contained text.
func (b *builder) anything(before *Text) error {
	if len(b.docs) > len(before.docs) || len(b.found.skipped) == 0 && !b.found.folders {
		return nil
	}
	if len(b.found.skipped) == 0 {
		return fmt.Errorf("%w: the folder is empty", ErrNothing)
	}
	const most = 5
	var why []string
	for i, s := range b.found.skipped {
		if i == most {
			why = append(why, fmt.Sprintf("and %d more", len(b.found.skipped)-most))
			break
		}
		name := s.Name
		if !strings.Contains(name, "://") {
			name = path.Clean(name)
		}
		why = append(why, name+": "+s.Reason)
	}
	return fmt.Errorf("%w: %s", ErrNothing, strings.Join(why, "; "))
}
