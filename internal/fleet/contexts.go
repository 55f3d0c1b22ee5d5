package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/runner"
)

// sender puts the contexts of jobs into the queue. A path in several jobs is read once.
type sender struct {
	queue  *Queue
	shared string // nodes read files below this folder themselves; empty: none
	known  map[string]Source
	uses   map[string]int // how many jobs, of this batch and others, use an object
}

// send replaces the paths of a job with the sources that nodes read instead.
func (s *sender) send(ctx context.Context, j Job) (Job, error) {
	sources := make([]Source, len(j.Context))
	for i, src := range j.Context {
		sources[i] = src
		if len(src.Text) > longestText {
			var err error
			if sources[i], err = s.sendText(ctx, src); err != nil {
				return j, fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		if src.Path == "" {
			continue
		}
		sent, ok := s.known[src.Path]
		if !ok {
			var err error
			sent, err = s.sendPath(ctx, src)
			if err == nil {
				err = Job{Context: []Source{src}}.unchanged()
			}
			if err != nil {
				return j, fmt.Errorf("job %s: %w", j.ID, err)
			}
			s.known[src.Path] = sent
		}
		sources[i] = sent
	}
	j.Context = sources
	for _, src := range sources {
		s.uses[src.Largest]++
	}
	return j, nil
}

// preferred clears the largest object of a source if only this job uses it: no node has it yet, so there is no
// point in looking for one.
func (s *sender) preferred(j Job) {
	for i, src := range j.Context {
		if s.uses[src.Largest] < 2 {
			j.Context[i].Largest, j.Context[i].Size = "", 0
		}
	}
}

// longestText is the length in bytes up to which a text is sent within the job.
const longestText = 64 << 10

func (s *sender) sendText(ctx context.Context, src Source) (Source, error) {
	object, wasThere, err := s.queue.objects.PutBytes(ctx, []byte(src.Text))
	if err != nil {
		return src, fmt.Errorf("send the text %q: %w", src.Name, err)
	}
	if wasThere {
		s.uses[object]++
	}
	return Source{Object: object, Name: src.Name, Largest: object, Size: int64(len(src.Text))}, nil
}

func (s *sender) sendPath(ctx context.Context, src Source) (Source, error) {
	if s.shared != "" {
		if abs, err := filepath.Abs(src.Path); err == nil && within(s.shared, abs) {
			src.Path, src.Shared = abs, true
			return src, nil
		}
	}
	paths, err := src.files()
	if err != nil {
		return src, err
	}
	var m manifest
	for _, path := range paths {
		r := root{Name: path}
		err := eachFile(path, func(name string) error {
			f, err := s.queue.putFile(ctx, path, name)
			if err != nil {
				return fmt.Errorf("send %q: %w", name, cause(err))
			}
			r.Files = append(r.Files, f)
			if info, err := os.Stat(name); err == nil && info.Size() > src.Size {
				src.Largest, src.Size = f.Object, info.Size()
			}
			if f.wasThere {
				s.uses[f.Object]++
			}
			return nil
		})
		if err != nil {
			return src, err
		}
		m.Roots = append(m.Roots, r)
	}
	src.Object, err = s.queue.putManifest(ctx, m)
	return src, err
}

// within reports whether a path is below a folder.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// contexts provides the files of jobs on a node's machine, from a cache of objects that evicts the least recently
// used ones.
type contexts struct {
	queue  *Queue
	dir    string // folder of the cache
	most   int64  // size of the cache in bytes
	shared string // folder in which jobs may name paths; empty: none

	mu       sync.Mutex
	fetching map[string]*sync.Mutex // one lock for each object
}

// inputs returns the runner's inputs for a job's context. The files are placed below dir, as links into the cache.
func (c *contexts) inputs(ctx context.Context, j Job, dir string) ([]runner.Input, error) {
	var inputs []runner.Input
	var paths []string // the path of each input, as the submitter named it
	for i, s := range j.Context {
		switch {
		case s.Path == "" && s.Object != "":
			in, err := c.text(ctx, s, filepath.Join(dir, strconv.Itoa(i)))
			if err != nil {
				return nil, err
			}
			inputs, paths = append(inputs, in), append(paths, "")
		case s.Path == "":
			list, err := Job{Context: []Source{s}}.inputs()
			if err != nil {
				return nil, err
			}
			inputs, paths = append(inputs, list...), append(paths, "")
		case s.Object != "":
			list, names, err := c.tree(ctx, s, filepath.Join(dir, strconv.Itoa(i)))
			if err != nil {
				return nil, err
			}
			inputs, paths = append(inputs, list...), append(paths, names...)
		default:
			in, err := c.sharedInput(s)
			if err != nil {
				return nil, err
			}
			inputs, paths = append(inputs, in), append(paths, s.Path)
		}
	}
	return withoutFolders(inputs, paths), nil
}

// text reads a text that was too long to be sent within the job.
func (c *contexts) text(ctx context.Context, s Source, path string) (runner.Input, error) {
	if err := c.link(ctx, s.Object, path); err != nil {
		return runner.Input{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return runner.Input{}, fmt.Errorf("read the text %q: %w", s.Name, err)
	}
	return runner.Text(cmp.Or(s.Name, "text"), string(text)), nil
}

// sharedInput returns the input for a path that this node reads itself.
func (c *contexts) sharedInput(s Source) (runner.Input, error) {
	if c.shared == "" || !s.Shared {
		return runner.Input{}, fmt.Errorf(
			"the job names the path %q, but this node reads no paths named by jobs (--shared-path)", s.Path)
	}
	real, err := filepath.EvalSymlinks(s.Path)
	if err == nil && !within(c.shared, real) {
		err = fmt.Errorf("the job names the path %q, which is not below %s", s.Path, c.shared)
	}
	if err != nil {
		return runner.Input{}, err
	}
	return runner.Path(real).As(s.Path), nil
}

// tree creates the files of a source. It returns an input for each path that the source stands for.
func (c *contexts) tree(ctx context.Context, s Source, dir string) (
	inputs []runner.Input, paths []string, err error,
) {
	m, err := c.queue.readManifest(ctx, s.Object)
	if err != nil {
		return nil, nil, fmt.Errorf("read the context %q: %w", s.Path, err)
	}
	for i, r := range m.Roots {
		top := filepath.Join(dir, strconv.Itoa(i),
			cmp.Or(strings.Trim(filepath.Base(filepath.ToSlash(r.Name)), `./\`), "file"))
		if len(r.Files) == 0 {
			if err := os.MkdirAll(top, 0o700); err != nil {
				return nil, nil, err
			}
		}
		for _, f := range r.Files {
			if err := c.link(ctx, f.Object, filepath.Join(top, filepath.FromSlash(f.Path))); err != nil {
				return nil, nil, err
			}
		}
		inputs, paths = append(inputs, runner.Path(top).As(r.Name)), append(paths, r.Name)
	}
	return inputs, paths, nil
}

// eachFile calls do for the files read below a path, in order. The path itself may be a link.
func eachFile(top string, do func(path string) error) error {
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return fmt.Errorf("cannot read %q: %w", top, cause(err))
	}
	return filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot read %q: %w", path, cause(err))
		}
		if path != real && d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil // a folder or a special file; the context omits broken links as well
		}
		below, err := filepath.Rel(real, path)
		if err != nil {
			return err
		}
		return do(filepath.Join(top, below))
	})
}

// there reports whether a file exists.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
