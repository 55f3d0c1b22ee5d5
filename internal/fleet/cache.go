package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// link creates a file with the bytes of an object at path, through the cache.
func (c *contexts) link(ctx context.Context, object, path string) error {
	if len(object) != 64 || !filepath.IsLocal(object) {
		return fmt.Errorf("%q does not name an object", object)
	}
	if there(path) {
		return nil // the file is there: the run was on this machine before
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of a context: %w", err)
	}
	cached := filepath.Join(c.dir, object)
	defer c.alone(object)()
	for {
		if !there(cached) {
			if err := os.MkdirAll(c.dir, 0o700); err != nil {
				return fmt.Errorf("create the cache of contexts: %w", err)
			}
			if err := c.queue.objects.Fetch(ctx, object, cached); err != nil {
				return err
			}
			if err := c.shrink(object); err != nil {
				return err
			}
		}
		now := time.Now()
		_ = os.Chtimes(cached, now, now) // time of last use; if it fails, the file is evicted earlier
		err := os.Link(cached, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process evicted it
		}
		if err != nil {
			err = copyFile(cached, path) // the path is on another file system, or on one without links
		}
		if err != nil {
			return fmt.Errorf("take a context from the cache: %w", err)
		}
		return nil
	}
}

// has reports whether an object is in the cache.
func (c *contexts) has(object string) bool {
	return len(object) == 64 && filepath.IsLocal(object) && there(filepath.Join(c.dir, object))
}

// alone locks the fetching of an object until release is called.
func (c *contexts) alone(object string) (release func()) {
	c.mu.Lock()
	if c.fetching == nil {
		c.fetching = map[string]*sync.Mutex{}
	}
	one := c.fetching[object]
	if one == nil {
		one = &sync.Mutex{}
		c.fetching[object] = one
	}
	c.mu.Unlock()
	one.Lock()
	return one.Unlock
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // an error after reading does not matter
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// shrink evicts objects from the cache until it is small enough: the least recently used first, and never the one
// needed now. Runs that use them have their own links.
func (c *contexts) shrink(needed string) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("read the cache of contexts: %w", err)
	}
	type cached struct {
		name string
		size int64
		used time.Time
	}
	var list []cached
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || len(e.Name()) != 64 {
			continue
		}
		list = append(list, cached{e.Name(), info.Size(), info.ModTime()})
		total += info.Size()
	}
	slices.SortFunc(list, func(a, b cached) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, f := range list {
		if total <= c.most {
			return nil
		}
		if f.name == needed {
			continue
		}
		if err := os.Remove(filepath.Join(c.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("free space in the cache of contexts: %w", err)
		}
		total -= f.size
	}
	return nil
}
