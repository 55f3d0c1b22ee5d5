// Package conversion converts the documents of a context in workers, and remembers what came of them: the second question over the same
// documents starts at once.
package conversion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
)

// DefaultBound is how many bytes a cache may have where nothing else is said.
const DefaultBound = 2 << 30

// Config says how documents are converted and where the results are kept.
type Config struct {
	Dir   string // of the cache; it is made when there is something to keep
	Bound int64  // bytes of the cache; 0: there is none
	Pool  Pool   // converts; the Converter closes it
}

// Pool converts what no cache has. It is a documents.Pool.
type Pool interface {
	Convert(ctx context.Context, job documents.Job, yield func(documents.Document) error) error
	Close() error
}

// Converter is a pool of workers with a cache before it. It is a corpus.Converter. Close it.
type Converter struct {
	pool  Pool
	cache *cache // nil: there is none
	index *index
}

// New makes a converter. A cache that cannot be used is none: documents are converted all the same.
func New(c Config) *Converter {
	v := &Converter{pool: c.Pool}
	if c.Bound > 0 && c.Dir != "" {
		v.cache, v.index = &cache{dir: c.Dir, bound: c.Bound}, openIndex(c.Dir)
	}
	return v
}

// Close ends the workers and brings the cache down to its bound.
func (v *Converter) Close() error {
	if v.cache != nil {
		v.index.save()
		v.cache.trim()
	}
	return v.pool.Close()
}

// Recognise says which converter reads a document, "" if none does, and why one that is no text is left out.
func (v *Converter) Recognise(head []byte, size int64, name string) (converter, reason string) {
	form, reason := format.Recognise(head, size, name)
	return documents.Version(form), reason
}

// Convert yields the documents that come of one, from the cache if they are there. hash is the SHA-256 of its bytes.
func (v *Converter) Convert(ctx context.Context, converter string, job documents.Job, yield func(documents.Document) error) (hash string, err error) {
	known, before := v.index.look(job.Bytes)
	if hash = known; hash == "" {
		if hash, err = hashOf(ctx, job); err != nil {
			return "", fmt.Errorf("reading it: %w", err)
		}
		v.index.add(before, hash)
	}
	if v.cache == nil {
		return hash, v.pool.Convert(ctx, job, yield)
	}
	key := keyOf(hash, converter, job.Name)
	if t := v.cache.get(key); t != nil {
		defer t.close()
		return hash, t.play(job.Name, yield)
	}
	rec := v.cache.record(key, header{Name: job.Name, Hash: hash, Converter: converter, Time: time.Now().UTC()})
	defer rec.abandon()
	err = v.pool.Convert(ctx, job, func(d documents.Document) error {
		rec.add(job.Name, d)
		return yield(d)
	})
	if err == nil && v.unchanged(ctx, job, before, hash) {
		rec.keep()
	}
	return hash, err
}

// unchanged reports whether a file still is what was hashed before it was converted. What was written to a moment before may have been
// written to again in the same tick of the file system's clock, so its bytes are asked.
func (v *Converter) unchanged(ctx context.Context, job documents.Job, before stat, hash string) bool {
	now, ok := statOf(job.Bytes)
	if !ok {
		return true // it is no file, and nobody else's
	}
	if before.settled() {
		return now == before
	}
	again, err := hashOf(ctx, job)
	return err == nil && again == hash
}

// hashOf reads a document to its end.
func hashOf(ctx context.Context, job documents.Job) (string, error) {
	h := sha256.New()
	r := io.NewSectionReader(job.Bytes, 0, job.Size)
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
}

// fileOf is the file that a document is read from.
func fileOf(r io.ReaderAt) (*os.File, bool) {
	f, ok := r.(*os.File)
	return f, ok
}
