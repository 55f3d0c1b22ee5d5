// Package cache converts the documents of a context, and remembers what came of them: the second question over the
// same documents starts at once.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents"
)

// DefaultBound is how many bytes a cache may have where nothing else is said.
const DefaultBound = 2 << 30

// Config says how documents are converted and where the results are kept.
type Config struct {
	Dir   string // it is made when there is something to keep
	Bound int64  // bytes of the folder; 0: nothing is kept
	// Convert converts what is not there, as documents.Pool.Convert.
	Convert func(ctx context.Context, job documents.Job, yield func(documents.Document) error) error
}

// Cache converts documents and keeps the results. It is safe for concurrent use. Close it.
type Cache struct {
	convert func(ctx context.Context, job documents.Job, yield func(documents.Document) error) error
	folder  *folder // nil: nothing is kept
	index   *index
}

// New makes a cache. One whose folder cannot be used keeps nothing: documents are converted all the same.
func New(c Config) *Cache {
	v := &Cache{convert: c.Convert}
	if c.Bound > 0 && c.Dir != "" {
		v.folder, v.index = &folder{dir: c.Dir, bound: c.Bound}, openIndex(c.Dir)
	}
	return v
}

// Close brings the folder down to its bound.
func (v *Cache) Close() {
	if v.folder != nil {
		v.index.save()
		v.folder.trim()
	}
}

// Convert yields the documents that come of one, in order, from the cache if they are there. converter is that of the
// document, with its version. hash is the SHA-256 of its bytes.
func (v *Cache) Convert(
	ctx context.Context, converter string, job documents.Job, yield func(documents.Document) error) (
	hash string, err error,
) {
	known, before := v.index.look(job.Bytes)
	if hash = known; hash == "" {
		if hash, err = hashOf(ctx, job); err != nil {
			return "", fmt.Errorf("reading it: %w", err)
		}
		v.index.add(before, hash)
	}
	if v.folder == nil {
		return hash, v.convert(ctx, job, yield)
	}
	key := keyOf(hash, converter, job.Name)
	if t := v.folder.get(key); t != nil {
		defer t.text.Close() // nothing of it is needed
		return hash, t.play(job.Name, yield)
	}
	rec := v.folder.record(key, header{Name: job.Name, Hash: hash, Converter: converter, Time: time.Now().UTC()})
	defer rec.abandon()
	err = v.convert(ctx, job, func(d documents.Document) error {
		rec.add(job.Name, d)
		return yield(d)
	})
	if err == nil && v.unchanged(ctx, job, before, hash) {
		rec.keep()
	}
	return hash, err
}

// unchanged reports whether a file still is what was hashed before it was converted. What was written to a moment
// before may have been written to again in the same tick of the file system's clock, so its bytes are asked.
func (v *Cache) unchanged(ctx context.Context, job documents.Job, before stat, hash string) bool {
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

// keyOf names the result of a conversion: what was converted, and by what. The end of the name may tell a converter
// what it reads.
func keyOf(hash, converter, name string) string {
	sum := sha256.Sum256([]byte(
		strings.Join([]string{tapeVersion, hash, converter, strings.ToLower(path.Ext(name))}, "\x00")))
	return hex.EncodeToString(sum[:])
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
