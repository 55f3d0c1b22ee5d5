package screen

import (
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/internal/kit/text"
)

// DidYouMean returns the end of a message about an unknown name: a suggestion of the closest known name, or "" if
// none is close.
func DidYouMean(name string, known []string) string {
	if close := text.Closest(name, known); close != "" {
		return ": did you mean " + close + "?"
	}
	return ""
}

// PathMeant is DidYouMean for a path: it compares the first element that does not exist with the entries of its
// folder.
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
