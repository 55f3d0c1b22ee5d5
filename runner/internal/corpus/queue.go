package corpus

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
)

// queue opens candidates before it is their turn to be written, so that conversions can run meanwhile, on all
// cores.
type queue struct {
	ctx   context.Context
	opts  Options
	found *lister
	most  int // bound on the number of entries

	entries []*entry
	bytes   int64                // bytes being converted
	jobs    chan *conversionTask // started in order
	running sync.WaitGroup
	pages   *pages

	mu       sync.Mutex // guards progress
	progress Progress
}

// entry is a candidate that is text, or is being converted.
type entry struct {
	*openFile
	conversion *conversionTask
}

func newQueue(ctx context.Context, o Options, found *lister) *queue {
	q := &queue{
		ctx: ctx, opts: o, found: found, most: 2, pages: fetchAhead(ctx, o.Fetcher, found.found),
		progress: Progress{Of: len(found.found), OfBytes: found.size()},
	}
	if o.Cache != nil {
		q.most = ahead
	}
	return q
}

// next returns the next entry in order, nil at the end.
func (q *queue) next() (*entry, error) {
	if err := q.fill(); err != nil || len(q.entries) == 0 {
		return nil, err
	}
	e := q.entries[0]
	q.entries = q.entries[1:]
	if e.conversion != nil {
		q.bytes -= e.conversion.size
	}
	return e, nil
}

// fill opens candidates. A candidate that may block is opened only when at most one entry is queued before it.
func (q *queue) fill() error {
	for len(q.entries) < q.most && len(q.found.found) > 0 && q.bytes < aheadBytes {
		c := q.found.found[0]
		if c.blocks && len(q.entries) > 1 {
			return nil
		}
		q.found.found = q.found.found[1:]
		e, err := q.open(&c)
		if err != nil {
			return err
		}
		if e == nil {
			q.read(c, c.size, false)
			continue
		}
		q.entries = append(q.entries, e)
		if e.conversion != nil {
			q.bytes += e.conversion.size
			e.conversion.came = func() { q.report(func(p *Progress) { p.Made++ }) }
			q.begin(e.conversion)
		}
	}
	return nil
}

// open opens a candidate; nil means that it is left out.
func (q *queue) open(c *candidate) (*entry, error) {
	if err := q.ctx.Err(); err != nil {
		return nil, err
	}
	file, err := q.openFile(c)
	src := &countingReader{ReadCloser: file, tell: q.meanwhile(*c)}
	var head []byte
	if err == nil {
		head, err = readHead(src)
		if err != nil {
			err = errors.Join(err, src.Close())
		}
	}
	switch {
	case q.ctx.Err() != nil:
		if err == nil {
			err = src.Close()
		}
		return nil, errors.Join(q.ctx.Err(), err)
	case err != nil && c.named:
		return nil, unreadable(c.name, err)
	case err != nil && c.page != nil:
		q.found.skip(c.name, reason(err))
		return nil, nil
	case err != nil:
		q.found.skip(c.name, "unreadable: "+reason(err))
		return nil, nil
	}
	o := &openFile{*c, src, head}
	by, reason := q.recognise(o)
	if by != "" {
		return q.convertible(o, by)
	}
	if kind := binaryKind(head); kind != "" && !c.text {
		q.found.skip(c.name, cmp.Or(reason, "binary ("+kind+")"))
		if err := src.Close(); err != nil {
			return nil, unreadable(c.name, err)
		}
		return nil, nil
	}
	return &entry{openFile: o}, nil
}

// openFile opens a candidate for reading. The size of a page becomes known here.
func (q *queue) openFile(c *candidate) (io.ReadCloser, error) {
	if c.page == nil {
		return c.open()
	}
	f, err := q.pages.open(q.ctx, c.page)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, closeFile(f))
	}
	c.size = info.Size()
	q.mu.Lock()
	q.progress.OfBytes += c.size
	q.mu.Unlock()
	return unnamedFile{f}, nil
}

// recognise returns the converter of a candidate.
func (q *queue) recognise(o *openFile) (by, reason string) {
	if q.opts.Cache == nil || o.text || o.plain {
		return "", ""
	}
	size := int64(math.MaxInt64)
	switch {
	case len(o.head) < sniffLen:
		size = int64(len(o.head))
	case o.size > 0:
		size = o.size
	}
	head := o.head
	if f := o.src.file(); f != nil {
		head = format.WithTail(head, f, o.size)
	}
	return documents.Recognise(head, size, o.alias())
}

// convertible makes an entry that is converted. A stream is read to its end first.
func (q *queue) convertible(o *openFile, by string) (*entry, error) {
	if page, is := o.src.ReadCloser.(unnamedFile); is {
		return &entry{o, newConversionTask(o, by, page, o.size)}, nil
	}
	if file, is := o.src.ReadCloser.(*os.File); is {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			if o.file != nil {
				o.file.Size, o.file.Time = info.Size(), info.ModTime().UTC()
			}
			return &entry{o, newConversionTask(o, by, file, info.Size())}, nil
		}
	}
	all, n, err := spooled(io.MultiReader(o.again(), o.src), mostSpooled)
	if err != nil {
		return nil, errors.Join(unreadable(o.name, err), o.src.Close())
	}
	err = o.src.Close()
	o.src = &countingReader{ReadCloser: unnamedFile{all}, n: o.src.n, told: o.src.told}
	return &entry{o, newConversionTask(o, by, all, n)}, err
}

// unnamedFile is a file without a name, which disappears when closed.
type unnamedFile struct{ *os.File }

// Close closes the file.
func (n unnamedFile) Close() error { return closeFile(n.File) }

// begin queues a conversion. Workers are one more than cores, because some of them wait for the disk.
func (q *queue) begin(c *conversionTask) {
	if q.jobs == nil {
		q.jobs = make(chan *conversionTask, ahead)
		for range runtime.GOMAXPROCS(0) + 1 {
			q.running.Go(func() {
				for c := range q.jobs {
					c.run(q.ctx, q.opts.Cache)
					q.read(c.o.candidate, max(c.size-c.o.src.told, 0), true)
				}
			})
		}
	}
	q.jobs <- c
}

// read counts a candidate that has been read, and those of its bytes that were not reported before.
func (q *queue) read(c candidate, rest int64, conversion bool) {
	q.report(func(p *Progress) {
		p.Documents++
		p.come(c, rest)
		if conversion {
			p.Conversions++
		}
	})
}

// come adds bytes of a candidate to the progress. The size of a stream is not known beforehand.
func (p *Progress) come(c candidate, bytes int64) {
	p.Bytes += bytes
	if c.size == 0 {
		p.OfBytes += bytes
	}
}

// meanwhile returns a function that reports progress while a candidate is read: a single one may take most of the
// time.
func (q *queue) meanwhile(c candidate) func(int64) {
	if q.opts.Progress == nil {
		return nil
	}
	return func(bytes int64) { q.report(func(p *Progress) { p.come(c, bytes) }) }
}

// report changes the progress and reports it.
func (q *queue) report(change func(*Progress)) {
	if q.opts.Progress == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&q.progress)
	q.opts.Progress(q.progress)
}

// close waits for conversions and closes open files. ctx must be done, or everything must have been read.
func (q *queue) close() {
	if q.jobs != nil {
		close(q.jobs)
	}
	q.running.Wait()
	q.pages.close()
	for _, e := range q.entries {
		if e.conversion != nil {
			e.conversion.close()
		} else {
			_ = e.src.Close() // an error after reading does not matter
		}
	}
}
