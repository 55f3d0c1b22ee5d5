package files

import (
	"path/filepath"
	"strings"
)

// ShortNames returns a name for each of some paths: the shortest end of the path that no other has.
func ShortNames(paths []string) []string {
	const separator = string(filepath.Separator)
	names := make([]string, len(paths))
	having, seen := map[string]int{}, map[string]bool{} // having is the number of paths with an end
	for i, path := range paths {
		path = filepath.Clean(path)
		names[i] = strings.TrimPrefix(path[len(filepath.VolumeName(path)):], separator)
		for end, more := names[i], !seen[path]; more; _, end, more = strings.Cut(end, separator) {
			having[end]++
		}
		seen[path] = true
	}
	for i, whole := range names {
		end, more := whole, true
		for more && (end == whole || having[end] == 1) {
			names[i] = end
			_, end, more = strings.Cut(end, separator)
		}
	}
	return names
}
