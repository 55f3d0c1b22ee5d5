package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob makes inputs of the files that match a pattern, in order of name: * and ? within a name, ** across folders, [a-z] and
// {a,b} as in a shell. Folders with whose names the pattern begins are taken as they stand, also with [brackets] in them. A pattern
// that matches nothing is an error; so is one that is no pattern.
func Glob(pattern string) ([]Input, error) {
	base, rest := existing(filepath.Clean(pattern))
	var paths []string
	var err error
	if base == "" {
		paths, err = doublestar.FilepathGlob(rest, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	} else {
		paths, err = doublestar.Glob(os.DirFS(base), filepath.ToSlash(rest), doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	}
	if err != nil {
		return nil, fmt.Errorf("reading the pattern %s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file matches the pattern %s", pattern)
	}
	inputs := make([]Input, len(paths))
	for i, p := range paths {
		inputs[i] = Path(filepath.Join(base, filepath.FromSlash(p)))
	}
	return inputs, nil
}

// existing splits a pattern behind the folders that exist under the very names that it begins with.
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
