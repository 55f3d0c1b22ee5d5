package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob returns the files that match a pattern, in order of name: * and ? match within a name, ** across folders,
// [a-z] and {a,b} as in a shell. Existing folders at the start of the pattern are taken literally, even with
// [brackets] in their names. A pattern that matches nothing is an error, and so is a malformed one.
func Glob(pattern string) (paths []string, err error) {
	base, rest := existing(filepath.Clean(pattern))
	if base == "" {
		paths, err = doublestar.FilepathGlob(rest, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	} else {
		paths, err = doublestar.Glob(
			os.DirFS(base), filepath.ToSlash(rest), doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	}
	if err != nil {
		return nil, fmt.Errorf("reading the pattern %s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file matches the pattern %s", pattern)
	}
	for i, p := range paths {
		paths[i] = filepath.Join(base, filepath.FromSlash(p))
	}
	slices.Sort(paths)
	return paths, nil
}

// existing splits a pattern after the existing folders that it starts with.
func existing(pattern string) (base, rest string) {
	for rest = pattern; ; {
		name, below, found := strings.Cut(rest, string(filepath.Separator))
		at := base + name + string(filepath.Separator)
		if info, err := os.Stat(at); !found || err != nil || !info.IsDir() {
			return base, rest
		}
		base, rest = at, below
	}
}
