package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// candidate is something that may become a document.
type candidate struct {
	name string
	open func() (io.ReadCloser, error)
	// named is set for an explicitly named file: if it cannot be read, that is an error, and the file is not
	// skipped.
	named bool
	// text is set for a source that is text by declaration, whatever its bytes look like, and plain for one that
	// was treated as text before.
	text, plain bool
	// blocks is set if reading may block, as with a pipe.
	blocks bool
	known  *Document // the earlier document with this text
	file   *File     // the file; its size is counted during reading
	page   *page     // the page, if from a URL
	size   int64     // as far as known before reading
}

// lister turns sources into candidates.
type lister struct {
	ctx     context.Context
	seen    map[string]bool // absolute paths already listed
	found   []candidate
	skipped []SkippedFile
	folders bool // there was a folder among the sources
	alone   bool // there is a single candidate, and no text before it
}

func (l *lister) add(s Source) error {
	switch {
	case s.File != nil:
		return l.addRecorded(s)
	case s.URL != "":
		return l.addURL(s.URL)
	case s.Path != "":
		return l.addPath(s.Path, cmp.Or(s.Name, s.Path))
	case s.Known != nil:
		l.found = append(l.found, candidate{
			name: s.Known.Name, named: true, text: true, size: s.Known.Size,
			known: s.Known, open: func() (io.ReadCloser, error) {
				return io.NopCloser(s.Reader), nil
			},
		})
	case s.Reader != nil:
		l.found = append(l.found,
			candidate{name: s.Name, named: true, blocks: true, plain: s.Plain, open: func() (io.ReadCloser, error) {
				return newStream(l.ctx, io.NopCloser(s.Reader)), nil
			}})
	case s.Section != nil:
		l.found = append(l.found, candidate{
			name: s.Name, named: true, text: true, size: s.Section.Size(), open: func() (io.ReadCloser, error) {
				return newStream(l.ctx, io.NopCloser(io.NewSectionReader(s.Section, 0, s.Section.Size()))), nil
			},
		})
	case s.Bytes != nil:
		l.found = append(l.found, candidate{
			name: s.Name, named: true, text: true, size: int64(len(s.Bytes)), open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(s.Bytes)), nil
			},
		})
	default:
		l.found = append(l.found, candidate{
			name: s.Name, named: true, text: true, size: int64(len(s.String)), open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(s.String)), nil
			},
		})
	}
	return nil
}

// addRecorded adds a file at its recorded size; it is an error if the file is shorter now.
func (l *lister) addRecorded(s Source) error {
	info, err := os.Stat(s.File.Path)
	if err != nil {
		return unreadable(s.File.Path, err)
	}
	if info.Size() < s.File.Size {
		return fmt.Errorf("%s is shorter than before: %d bytes instead of %d", s.File.Path, info.Size(), s.File.Size)
	}
	l.found = append(l.found, candidate{
		name: s.Name, named: true, plain: true, size: s.File.Size, file: fileOf(s.File.Path, info),
		open: func() (io.ReadCloser, error) {
			f, err := os.Open(s.File.Path)
			if err != nil {
				return nil, err
			}
			return boundedFile{io.LimitReader(f, s.File.Size), f}, nil
		},
	})
	return nil
}

// boundedFile reads a file up to its recorded size.
type boundedFile struct {
	io.Reader
	file *os.File
}

// Close closes the file.
func (r boundedFile) Close() error { return r.file.Close() }

// fileOf describes a regular file, nil for anything else.
func fileOf(given string, info fs.FileInfo) *File {
	abs, err := filepath.Abs(given)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return &File{Path: abs, Time: info.ModTime().UTC()}
}

func (l *lister) addPath(given, shown string) error {
	info, err := os.Stat(given)
	if err != nil {
		return unreadable(shown, err)
	}
	if l.again(given, filepath.ToSlash(shown)) {
		return nil
	}
	if info.IsDir() {
		return l.addFolder(given, shown)
	}
	l.found = append(l.found, candidate{
		name: filepath.ToSlash(shown), named: true, blocks: !info.Mode().IsRegular(), size: info.Size(),
		file: fileOf(given, info),
		open: func() (io.ReadCloser, error) {
			if info.Mode().IsRegular() {
				return os.Open(given)
			}
			return newStream(l.ctx, &lateFile{path: given}), nil
		},
	})
	return nil
}

// again reports whether a path was listed before and, if so, lists it as skipped.
func (l *lister) again(given, name string) bool {
	abs, err := filepath.Abs(given)
	if err != nil {
		return false
	}
	if l.seen[abs] {
		l.skip(name, "named twice")
		return true
	}
	l.seen[abs] = true
	return false
}

func (l *lister) skip(name, reason string) {
	l.skipped = append(l.skipped, SkippedFile{Name: name, Reason: reason})
}

// folder is a named folder during its walk.
type folder struct {
	given string
	shown string   // replaces given in names
	root  *os.Root // cannot open anything outside the folder, whatever happens to it meanwhile
}

func (l *lister) addFolder(given, shown string) error {
	root, err := os.OpenRoot(given)
	if err != nil {
		return unreadable(shown, err)
	}
	defer root.Close()
	l.folders = true
	if _, err := fs.ReadDir(root.FS(), "."); err != nil {
		return unreadable(shown, err)
	}
	return l.walk(folder{given, shown, root}, ".", enclosingIgnores(given))
}

// walk lists a folder in the order of names.
func (l *lister) walk(f folder, rel string, ignores []ignoreFile) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(f.root.FS(), rel)
	if err != nil {
		l.skip(f.name(rel), "unreadable: "+reason(err))
	}
	base := rel
	if rel == "." {
		base = ""
	} else { // a repository inside the walk
		ignores = append(ignores[:len(ignores):len(ignores)],
			excludes(filepath.Join(f.given, filepath.FromSlash(rel)), base)...)
	}
	if file, err := f.root.Open(path.Join(rel, ".gitignore")); err == nil {
		own, err := parseIgnore(file, f.name(path.Join(rel, ".gitignore")), base)
		file.Close()
		if err != nil {
			l.skip(f.name(path.Join(rel, ".gitignore")), "unreadable: "+reason(err))
		}
		ignores = append(ignores[:len(ignores):len(ignores)], own)
	}
	for _, entry := range entries {
		if err := l.visit(f, path.Join(rel, entry.Name()), entry.Type(), ignores); err != nil {
			return err
		}
	}
	return nil
}

// visit lists one entry of a folder.
func (l *lister) visit(f folder, rel string, kind fs.FileMode, ignores []ignoreFile) error {
	name := f.name(rel)
	by := ignoredBy(ignores, rel, kind.IsDir())
	switch {
	case path.Base(rel) == ".git":
		l.skip(name, "git's own data")
	case by != "":
		l.skip(name, "ignored by "+by)
	case kind.IsDir():
		return l.walk(f, rel, ignores)
	case kind&fs.ModeSymlink != 0:
		l.skip(name, "symbolic link: name its target to include it")
	case !kind.IsRegular():
		l.skip(name, "not a regular file")
	case !l.again(filepath.Join(f.given, filepath.FromSlash(rel)), name):
		l.found = append(l.found, f.candidate(rel))
	}
	return nil
}

func (f folder) name(rel string) string { return path.Join(filepath.ToSlash(f.shown), rel) }

// candidate returns a file below the folder. It is opened through the folder, so that a path that becomes a
// symbolic link between listing and reading cannot lead out of the folder.
func (f folder) candidate(rel string) candidate {
	given := f.given
	var size int64
	var file *File
	if info, err := f.root.Lstat(rel); err == nil {
		size, file = info.Size(), fileOf(filepath.Join(given, filepath.FromSlash(rel)), info)
	}
	return candidate{name: f.name(rel), size: size, file: file, open: func() (io.ReadCloser, error) {
		root, err := os.OpenRoot(given)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return root.Open(rel)
	}}
}

// unreadable explains to people why something that they named cannot be read.
func unreadable(given string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %q: check the path: %w", given, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot read %q: permission denied: make it readable or leave it out: %w", given, err)
	}
	return fmt.Errorf("cannot read %q: %w", given, err)
}

// reason is the last part of a file error, without the path, which the message names separately.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
