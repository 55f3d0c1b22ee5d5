package runner

import "github.com/gorlm/rlm/internal/kit/files"

// Glob makes inputs of the files that match a pattern, in order of name: * and ? match within a name, ** across
// folders, [a-z] and {a,b} as in a shell. Existing folders at the start of the pattern are taken literally, even
// with [brackets] in their names. A pattern that matches nothing is an error, and so is a malformed one.
func Glob(pattern string) ([]Input, error) {
	paths, err := files.Glob(pattern)
	if err != nil {
		return nil, err
	}
	inputs := make([]Input, len(paths))
	for i, path := range paths {
		inputs[i] = Path(path)
	}
	return inputs, nil
}
