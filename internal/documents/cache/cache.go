// Package cache converts the documents of a context and stores the results, so that a second question over the same
// documents starts without converting them again.
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

// DefaultBound is the default size limit of a cache, in bytes.
const DefaultBound = 2 << 30

// Config configures a Cache: how it converts documents and where it stores the results.
type Config struct {
	Dir   string // created with the first result
	Bound int64  // maximum bytes of the folder; 0 disables the cache
	// Convert converts a document that is not in the cache; see documents.Pool.Convert.
	Convert func(ctx context.Context, job documents.Job, yield func(documents.Document) error) error
}

// Cache converts documents and stores the results. It is safe for concurrent use. Call Close when done.
type Cache struct {
	convert func(ctx context.Context, job documents.Job, yield func(documents.Document) error) error
	folder  *folder // nil: the cache is disabled
	index   *index
}

// New returns a cache. If its folder cannot be used, it still converts documents but stores nothing.
func New(c Config) *Cache {
	v := &Cache{convert: c.Convert}
	if c.Bound > 0 && c.Dir != "" {
		v.folder, v.index = &folder{dir: c.Dir, bound: c.Bound}, openIndex(c.Dir)
	}
	return v
}

// Close saves the index and shrinks the folder to its bound.
func (v *Cache) Close() {
	if v.folder != nil {
		v.index.save()
		v.folder.trim()
	}
}

// Convert yields the documents that a job results in, in order, from the cache if they are stored there. converter
// is the document's converter with its version. The returned hash is the SHA-256 of the job's bytes.
func (v *Cache) Convert(
	ctx context.Context, converter string, job documents.Job, yield func(documents.Document) error) (
	hash string, err error,
) {
	known, before := v.index.look(job.Bytes)
	if hash = known; hash == "" {
		if hash, err = hashOf(ctx, job); err != nil {
			return "", fmt.Errorf("read it: %w", err)
		}
		v.index.add(before, hash)
	}
	if v.folder == nil {
		return hash, v.convert(ctx, job, yield)
	}
	key := keyOf(hash, converter, job.Name)
	if t := v.folder.get(key); t != nil {
		defer t.text.Close() // it was only read
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

// unchanged reports whether a file still has the content that was hashed before the conversion. The file system's
// clock is coarse: a file written shortly before may have been written again with the same time, so it is hashed
// again.
func (v *Cache) unchanged(ctx context.Context, job documents.Job, before stat, hash string) bool {
	now, ok := statOf(job.Bytes)
	if !ok {
		return true // not a file, so nobody else can change it
	}
	if before.settled() {
		return now == before
	}
	again, err := hashOf(ctx, job)
	return err == nil && again == hash
}

// keyOf returns the key of a conversion's result. It includes the extension of the name, because converters may use
// it.
func keyOf(hash, converter, name string) string {
	sum := sha256.Sum256([]byte(
		strings.Join([]string{tapeVersion, hash, converter, strings.ToLower(path.Ext(name))}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// hashOf returns the SHA-256 of a document's bytes, in hexadecimal.
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

// fileOf returns the file that r reads from.
func fileOf(r io.ReaderAt) (*os.File, bool) {
	f, ok := r.(*os.File)
	return f, ok
}
