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

// Options say how sources become a text. The zero value takes text as it is and leaves out what is none.
type Options struct {
	Cache   *cache.Cache // converts what is no text; nil: it is left out
	Fetcher Fetcher      // of URLs; nil: they are left out
	// Kept is a text of earlier, or nil. What was fetched for it is taken from there, and so is what was converted, as long as the file is as
	// it was.
	Kept *Text
	// Progress, if set, is told how far the reading is, now and then, by one goroutine at a time.
	Progress func(Progress)

	memory int64 // the most that is kept in memory; 0: half of what is free
}

// Progress is how far a build is.
type Progress struct {
	Documents, Of  int   // files, pages and streams that were read, of all
	Bytes, OfBytes int64 // their bytes; of streams and pages they are known when they come
	Conversions    int   // files, pages and streams that were converted
	Made           int   // documents that came of conversions so far, with members of archives
}

// Left is about how long it will still take, going by the bytes where their number is known, else by the files; 0 where nobody can tell, as in
// the first seconds.
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

// Build is Options.Build of text alone.
func Build(ctx context.Context, sources []Source) (*Text, error) {
	return Options{}.Build(ctx, sources)
}

// Append is Options.Append of text alone.
func (t *Text) Append(ctx context.Context, sources []Source) (*Text, error) {
	return Options{}.Append(ctx, t, sources)
}

// Build reads sources into one text. A path that does not exist or cannot be read is an error that names it; inside a folder it is skipped and listed.
// Sources that hold no text at all are an error that says why; no sources make an empty text. The same sources make the same text,
// however long their conversions take.
//
// When ctx is done Build returns its error; a Reader that blocks is given up.
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

// Append makes a new text that begins with t and goes on with more sources: what is at an offset now stays there.
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

// list finds what there is to read.
func list(ctx context.Context, sources []Source) (*lister, error) {
	l := &lister{ctx: ctx, seen: map[string]bool{}}
	for _, s := range sources {
		if err := l.add(s); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// size is what is known of the size of all candidates.
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
	parts int // of all documents
	// partNames is how many bytes their names have.
	partNames int

	queue *queue
	first *pendingDocument // the first document, until it is known whether there is another
}

// build writes what was found behind the text that is in the store already and seals the whole.
func (o Options) build(ctx context.Context, found *lister, s *store, counted *tally, before *Text) (*Text, error) {
	within, cancel := context.WithCancel(ctx)
	b := &builder{writer: newWriter(s, counted), ctx: within, found: found, docs: before.Documents(), queue: newQueue(within, o, found)}
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

// describe completes the facts with what is known about documents.
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

// pendingDocument is a document before it is written. Only of several does each get a header, so the first one waits for the second.
type pendingDocument struct {
	write func(header bool) error
	close func() error
}

// documents writes all that is text or becomes it.
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

// put writes a document, or holds it if it is the first.
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

// flush writes the document that is held.
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
			doc.remark(fmt.Sprintf("reading stopped after %d bytes: %s; the rest is missing", b.store.size-doc.Offset, reason(why.error)))
		}
	}
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

// begin writes the header of a document and says where it begins.
func (b *builder) begin(doc *Document, header bool) error {
	if header {
		if _, err := b.Write([]byte(b.header(doc.Name))); err != nil {
			return err
		}
	}
	doc.Offset = b.store.size
	return nil
}

// end takes a document that is written.
func (b *builder) end(doc Document) {
	doc.Size = b.store.size - doc.Offset
	b.docs = append(b.docs, doc)
}

// readError is an error of what is read, not of what it is written to.
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

// header is what stands before a document.
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

// oneLine keeps a file name from looking like text of the document.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// ErrNothing says that there is no text in what was to be read.
var ErrNothing = errors.New("nothing here can be read as text")

// anything returns an error if there were sources and none held text.
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
