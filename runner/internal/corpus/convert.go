package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/kit/files"
)

const (
	// ahead bounds the sources that are opened before it is their turn to be written, and aheadBytes the bytes of
	// those being converted.
	ahead      = 64
	aheadBytes = 512 << 20
	// keptInMemory bounds the text of a conversion that is kept in memory until it can be written; the rest goes to
	// disk.
	keptInMemory = 1 << 20
	// mostSpooled bounds a stream that must be read completely to be converted.
	mostSpooled = 4 << 30
)

// conversionTask converts one source that is not text. It may run before it is the source's turn to be written;
// documents that are made before are kept, later ones are written immediately.
type conversionTask struct {
	o     *openFile
	by    string // converter with its version
	bytes io.ReaderAt
	size  int64
	came  func() // called for each document; may be nil

	turn  chan struct{}          // closed when it is the source's turn
	next  chan convertedDocument // documents to write immediately
	taken chan error             // result of writing each of them
	done  chan struct{}          // closed at the end, when hash and err are set
	mu    sync.Mutex             // guards kept and the closing of turn
	kept  []convertedDocument    // documents made before the turn
	spool files.Spool            // the text of kept
	hash  string
	err   error
}

// convertedDocument is a document made by a conversion.
type convertedDocument struct {
	documents.Document
	read io.Reader // the document's text
}

// errAhead means that a document made before its turn could not be kept.
var errAhead = errors.New("it could not be stored")

func newConversionTask(o *openFile, by string, r io.ReaderAt, size int64) *conversionTask {
	return &conversionTask{
		o: o, by: by, bytes: r, size: size, spool: newSpool(),
		turn: make(chan struct{}), next: make(chan convertedDocument), taken: make(chan error),
		done: make(chan struct{}),
	}
}

// run converts the document.
func (c *conversionTask) run(ctx context.Context, through *cache.Cache) {
	defer close(c.done)
	job := documents.Job{Name: c.o.alias(), Bytes: c.bytes, Size: c.size}
	c.hash, c.err = through.Convert(ctx, c.by, job, func(d documents.Document) error { return c.made(ctx, d) })
	if errors.Is(c.err, errAhead) && ctx.Err() == nil { // convert again when documents can be written immediately
		select {
		case <-c.turn:
			c.hash, c.err = through.Convert(ctx, c.by, job, func(d documents.Document) error { return c.made(ctx, d) })
		case <-ctx.Done():
		}
	}
}

// made passes a document on to be written, or keeps it.
func (c *conversionTask) made(ctx context.Context, d documents.Document) error {
	if c.came != nil {
		c.came()
	}
	c.mu.Lock()
	select {
	case <-c.turn:
		c.mu.Unlock()
		return c.hand(ctx, d)
	default:
	}
	defer c.mu.Unlock()
	read, err := c.keep(d.Text)
	if err != nil {
		c.kept = nil
		return fmt.Errorf("%w: %w", errAhead, err)
	}
	d.Text = nil
	c.kept = append(c.kept, convertedDocument{d, read})
	return nil
}

func (c *conversionTask) hand(ctx context.Context, d documents.Document) error {
	var read io.Reader = bytes.NewReader(nil)
	if d.Text != nil {
		read = d.Text
	}
	select {
	case c.next <- convertedDocument{d, read}:
		return <-c.taken
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep copies a text.
func (c *conversionTask) keep(text *io.SectionReader) (io.Reader, error) {
	if text == nil {
		return bytes.NewReader(nil), nil
	}
	at := c.spool.Size()
	n, err := io.Copy(&c.spool, io.NewSectionReader(text, 0, text.Size()))
	return io.NewSectionReader(&c.spool, at, n), errors.Join(err, c.spool.Flush())
}

// each calls write for each document of the conversion, in order, until write fails: failed is the error of write,
// and err that of the conversion. It starts the turn of the source.
func (c *conversionTask) each(write func(convertedDocument) error) (failed, err error) {
	c.mu.Lock()
	close(c.turn)
	kept := c.kept
	c.mu.Unlock()
	for _, d := range kept {
		if failed == nil {
			failed = write(d)
		}
	}
	for {
		select {
		case d := <-c.next:
			if failed == nil {
				failed = write(d)
			}
			c.taken <- failed
		case <-c.done:
			return failed, c.err
		}
	}
}

// ended reports whether the conversion is over.
func (c *conversionTask) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close releases the files of a conversion that has ended.
func (c *conversionTask) close() {
	_, _ = c.spool.Close(), c.o.src.Close() // an error does not matter: neither is needed any longer
}

// newSpool keeps a little in memory and the rest where large contexts are stored.
func newSpool() files.Spool { return files.Spool{Memory: keptInMemory, Dir: scratchFolder()} }

// copied copies a text so that it outlives the callback that received it.
func copied(r io.Reader) (again io.Reader, done func() error, err error) {
	spool := newSpool()
	n, err := io.Copy(&spool, r)
	if err = errors.Join(err, spool.Flush()); err != nil {
		return nil, nil, errors.Join(err, spool.Close())
	}
	return io.NewSectionReader(&spool, 0, n), spool.Close, nil
}

// spooled copies a whole stream to an unnamed file.
func spooled(r io.Reader, most int64) (*os.File, int64, error) {
	f, err := diskFile()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(f, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("it is larger than %d GiB, the maximum for converting a stream: save it to a file", most>>30)
	}
	if err != nil {
		return nil, 0, errors.Join(err, closeFile(f))
	}
	return f, n, nil
}
