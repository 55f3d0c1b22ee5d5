package screen

import (
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/internal/kit/text"
)

// DidYouMean ends a message about a name that does not exist with the one that was probably meant; "" where no known
// name is close.
func DidYouMean(name string, known []string) string {
	if close := text.Closest(name, known); close != "" {
		return ": did you mean " + close + "?"
	}
	return ""
}

// PathMeant is DidYouMean for a path. It looks for the first part that does not exist among the files and folders
// beside it.
func PathMeant(path string) string {
	const unknown = ": check the path"
	dir, name := filepath.Split(filepath.Clean(path))
	entries, err := os.ReadDir(filepath.Clean(dir))
	switch {
	case err != nil && dir == "":
		return unknown
	case err != nil:
		return PathMeant(dir)
	}
	known := make([]string, len(entries))
	for i, e := range entries {
		known[i] = e.Name()
	}
	if close := text.Closest(name, known); close != "" {
		return ": did you mean " + Line(dir+close) + "?"
	}
	return unknown
}
