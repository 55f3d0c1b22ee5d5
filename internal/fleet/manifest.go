package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// manifest is an object that names the objects of files: the contents of a path of a job, or the copy of a
// context.
type manifest struct {
	Roots []root `json:"roots"`
}

// root is a file or a folder.
type root struct {
	Name  string `json:"name"` // the beginning of the names of its documents
	Files []file `json:"files"`
}

type file struct {
	Path   string `json:"path,omitempty"` // path below the root, with slashes; empty: the root is the file
	Object string `json:"object"`

	wasThere bool // whether the object existed before it was sent
}

func (q *Queue) putManifest(ctx context.Context, m manifest) (name string, err error) {
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	name, _, err = q.objects.PutBytes(ctx, data)
	return name, err
}

// readManifest reads a manifest, and rejects files outside of their root.
func (q *Queue) readManifest(ctx context.Context, name string) (m manifest, err error) {
	data, err := q.objects.Read(ctx, name)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	for _, r := range m.Roots {
		for _, f := range r.Files {
			if f.Path != "" && !filepath.IsLocal(filepath.FromSlash(f.Path)) {
				return m, fmt.Errorf("%q is not the name of a file", f.Path)
			}
		}
	}
	return m, nil
}

// putFolder stores the files of a folder, or one file.
func (q *Queue) putFolder(ctx context.Context, top string) (name string, err error) {
	r := root{}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := q.putFile(ctx, top, path)
		r.Files = append(r.Files, f)
		return err
	})
	if err != nil {
		return "", err
	}
	return q.putManifest(ctx, manifest{Roots: []root{r}})
}

// putFile stores a file below a root.
func (q *Queue) putFile(ctx context.Context, top, path string) (f file, err error) {
	below, err := filepath.Rel(top, path)
	if err != nil {
		return f, err
	}
	if below != "." {
		f.Path = filepath.ToSlash(below)
	}
	f.Object, f.wasThere, err = q.objects.Put(ctx, func() (io.ReadCloser, error) { return os.Open(path) })
	return f, err
}

// fetchFolder restores the files that putFolder stored.
func (q *Queue) fetchFolder(ctx context.Context, name, top string) error {
	m, err := q.readManifest(ctx, name)
	if err != nil {
		return err
	}
	for _, r := range m.Roots {
		for _, f := range r.Files {
			path := filepath.Join(top, filepath.FromSlash(f.Path))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := q.objects.Fetch(ctx, f.Object, path); err != nil {
				return err
			}
		}
	}
	return nil
}
