package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// folder stores results, one file each, named by its key. A result is written to a temporary file and then renamed,
// so readers see a whole file or none, even when several processes write. A file's modification time is the time of
// its last use, to within an hour.
type folder struct {
	dir     string
	bound   int64
	written atomic.Int64 // bytes since the last trim
}

const (
	resultSuffix = ".s2"
	newPrefix    = ".new-"
	// touchAfter is how far the recorded time of last use may lag behind before it is updated.
	touchAfter = time.Hour
	// staleAfter is the age from which a temporary file counts as left over from a killed process.
	staleAfter = 6 * time.Hour
)

func (c *folder) file(key string) string { return filepath.Join(c.dir, key[:2], key+resultSuffix) }

// get opens a result; nil if there is none. It removes damaged results.
func (c *folder) get(key string) *cachedResult {
	f, err := os.Open(c.file(key))
	if err != nil {
		return nil
	}
	defer f.Close() // opened for reading
	t, err := readTape(f)
	if errors.Is(err, errNoRoom) {
		return nil
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the result is converted again
		return nil
	}
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(f.Name(), now, now) // on failure the file is only evicted earlier
	}
	return t
}

// record starts a result. It returns nil on failure; a nil recording ignores everything.
func (c *folder) record(key string, h header) *recording {
	to := c.file(key)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(to), newPrefix+"*")
	if err != nil {
		return nil
	}
	return newRecording(f, h, func(size int64) error {
		if err := os.Rename(f.Name(), to); err != nil {
			return err
		}
		if c.written.Add(size) > c.bound/8 {
			c.trim()
		}
		return nil
	})
}

// Dir returns the folder for converted documents below a data folder.
func Dir(dataDir string) string { return filepath.Join(dataDir, "rlm", "cache") }

// Entry is one result in a cache.
type Entry struct {
	Name      string    `json:"name"`      // name of the document when it was converted
	Hash      string    `json:"hash"`      // SHA-256 of the document's bytes
	Converter string    `json:"converter"` // format and version
	Size      int64     `json:"size"`      // compressed size in bytes
	Used      time.Time `json:"used"`      // last use, to the hour
}

// cacheFile is one file in a cache folder.
type cacheFile struct {
	path string
	size int64
	used time.Time
	ours bool // a whole result, not left over from a killed process
}

// results lists the results of a cache.
func results(dir string) ([]cacheFile, error) {
	var out []cacheFile
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name := d.Name()
		whole := strings.HasSuffix(name, resultSuffix)
		if !whole && !strings.HasPrefix(name, newPrefix) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it was removed meanwhile
		}
		out = append(out, cacheFile{p, info.Size(), info.ModTime(), whole})
		return nil
	})
	return out, err
}

// trim shrinks the cache to its bound by removing the least recently used results.
func (c *folder) trim() {
	if c.written.Swap(0) == 0 {
		return
	}
	all, err := results(c.dir)
	if err != nil {
		return
	}
	var total int64
	for _, s := range all {
		if !s.ours && time.Since(s.used) > staleAfter {
			_ = os.Remove(s.path)
			continue
		}
		total += s.size
	}
	slices.SortFunc(all, func(a, b cacheFile) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
	})
	for _, s := range all {
		if total <= c.bound {
			return
		}
		if s.ours && os.Remove(s.path) == nil {
			total -= s.size
		}
	}
}

// List returns the results in the cache at dir, most recently used first. A missing cache is an empty one.
func List(dir string) ([]Entry, error) {
	all, err := results(dir)
	if err != nil {
		return nil, fmt.Errorf("listing the cache: %w", err)
	}
	out := []Entry{}
	for _, s := range all {
		if !s.ours {
			continue
		}
		h, err := readHeader(s.path)
		if err != nil {
			h.Name = "damaged"
		}
		out = append(out, Entry{h.Name, h.Hash, h.Converter, s.size, s.used.UTC()})
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Name, b.Name)) })
	return out, nil
}

// Clear removes the results and the index of the cache at dir. It returns the number of results and their bytes.
func Clear(dir string) (documents int, size int64, err error) {
	all, err := results(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("clearing the cache: %w", err)
	}
	for _, s := range all {
		if rerr := os.Remove(s.path); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("clearing the cache: %w", rerr))
			continue
		}
		if s.ours {
			documents++
		}
		size += s.size
	}
	if rerr := os.Remove(filepath.Join(dir, indexFile)); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("clearing the cache: %w", rerr))
	}
	return documents, size, err
}
