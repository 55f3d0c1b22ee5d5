package runner

import (
	"fmt"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob makes inputs of the files that match a pattern, in order of name: * and ? within a name, ** across folders, [a-z] and
// {a,b} as in a shell. A pattern that matches nothing is an error; so is one that is no pattern.
func Glob(pattern string) ([]Input, error) {
	paths, err := doublestar.FilepathGlob(pattern, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, fmt.Errorf("reading the pattern %s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file matches the pattern %s", pattern)
	}
	inputs := make([]Input, len(paths))
	for i, p := range paths {
		inputs[i] = Path(p)
	}
	return inputs, nil
}
