package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/gorlm/rlm/internal/documents"
)

// Converter makes text of documents that are none. It is safe for concurrent use.
type Converter interface {
	// Recognise says which converter, with its version, reads a document with these first bytes, of so many, and this name; "" means none.
	// reason says what is read by none and is no text.
	Recognise(head []byte, size int64, name string) (converter, reason string)
	// Convert yields the documents that come of one, in order; see documents.Pool. hash is the SHA-256 of the bytes that were converted.
	Convert(ctx context.Context, converter string, job documents.Job, yield func(documents.Document) error) (hash string, err error)
}

const (
	// ahead bounds the sources that are open before the text comes to them, and aheadBytes the bytes of those that are being converted.
	ahead      = 64
	aheadBytes = 512 << 20
	// keptInMemory is how much of what a conversion made ahead of the text stays in memory; more of it goes to disk.
	keptInMemory = 1 << 20
	// mostSpooled bounds a stream that has to be there as a whole to be converted.
	mostSpooled = 4 << 30
)

// conversion is the work on one source that is no text. It may run ahead of the text; what it makes is then kept until the text
// comes to it. From there on its documents are written as they come.
type conversion struct {
	o     *opened
	by    string // converter with its version
	bytes io.ReaderAt
	size  int64
	came  func() // told of each document; nil: nobody is

	turn   chan struct{}  // closed when the text has come to it
	next   chan converted // documents that are written as they come
	taken  chan error     // what became of each
	done   chan struct{}  // closed at the end; then hash and err are set
	mu     sync.Mutex     // guards kept and the closing of turn
	kept   []converted    // made ahead
	spool  *os.File       // holds their text as far as it is not in memory
	spoolN int64
	hash   string
	err    error
}

// converted is a document that a conversion made.
type converted struct {
	documents.Document
	read io.Reader // its text
}

// errAhead says that what a conversion made ahead of the text could not be kept.
var errAhead = errors.New("it could not be kept")

func newConversion(o *opened, by string, r io.ReaderAt, size int64) *conversion {
	return &conversion{
		o: o, by: by, bytes: r, size: size,
		turn: make(chan struct{}), next: make(chan converted), taken: make(chan error), done: make(chan struct{}),
	}
}

// run converts.
func (c *conversion) run(ctx context.Context, converter Converter) {
	defer close(c.done)
	job := documents.Job{Name: c.o.alias(), Bytes: c.bytes, Size: c.size}
	c.hash, c.err = converter.Convert(ctx, c.by, job, func(d documents.Document) error { return c.made(ctx, d) })
	if errors.Is(c.err, errAhead) && ctx.Err() == nil { // once more, when it can be written as it comes
		select {
		case <-c.turn:
			c.hash, c.err = converter.Convert(ctx, c.by, job, func(d documents.Document) error { return c.made(ctx, d) })
		case <-ctx.Done():
		}
	}
}

// made takes a document: the text writes it now, or it is kept.
func (c *conversion) made(ctx context.Context, d documents.Document) error {
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
	c.kept = append(c.kept, converted{d, read})
	return nil
}

func (c *conversion) hand(ctx context.Context, d documents.Document) error {
	var read io.Reader = bytes.NewReader(nil)
	if d.Text != nil {
		read = d.Text
	}
	select {
	case c.next <- converted{d, read}:
		return <-c.taken
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep copies a text: in memory while that is little, else to a file without a name.
func (c *conversion) keep(text *io.SectionReader) (io.Reader, error) {
	if text == nil || text.Size() == 0 {
		return bytes.NewReader(nil), nil
	}
	whole := io.NewSectionReader(text, 0, text.Size())
	if text.Size() <= keptInMemory {
		b, err := io.ReadAll(whole)
		return bytes.NewReader(b), err
	}
	if c.spool == nil {
		f, err := diskFile()
		if err != nil {
			return nil, err
		}
		c.spool = f
	}
	n, err := io.Copy(io.NewOffsetWriter(c.spool, c.spoolN), whole)
	c.spoolN += n
	return io.NewSectionReader(c.spool, c.spoolN-n, n), err
}

// each calls write for each document that the conversion makes, in order, until that fails: failed is the error of write, and err why the
// conversion ended. With this call, the text has come to the conversion.
func (c *conversion) each(write func(converted) error) (failed, err error) {
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
func (c *conversion) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// close releases what the conversion has open. It must have ended.
func (c *conversion) close() {
	if c.spool != nil {
		_ = closeFile(c.spool)
	}
	_ = c.o.src.Close() // opened for reading
}

// copied is a copy of a text that outlives the call of yield it came with: in memory, or in a file without a name.
func copied(r io.Reader) (again io.Reader, done func() error, err error) {
	head, err := io.ReadAll(io.LimitReader(r, keptInMemory))
	if err != nil || len(head) < keptInMemory {
		return bytes.NewReader(head), func() error { return nil }, err
	}
	f, n, err := spooled(io.MultiReader(bytes.NewReader(head), r), math.MaxInt64-1)
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(f, 0, n), func() error { return closeFile(f) }, nil
}

// spooled is a file without a name that holds a stream as a whole.
func spooled(r io.Reader, most int64) (*os.File, int64, error) {
	f, err := diskFile()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(f, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("it has more than %d GiB, which is the most of a stream that can be converted: save it to a file", most>>30)
	}
	if err != nil {
		return nil, 0, errors.Join(err, closeFile(f))
	}
	return f, n, nil
}
