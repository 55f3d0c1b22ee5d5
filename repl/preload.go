package repl

import (
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// warm contains an importer that was prepared before a notebook needs it. Only one notebook gets it, because
// importers are not shared.
var warm atomic.Pointer[stdlib.Importer]

// Warm loads the packages that the first cells of the next notebook of this process almost always use. Call it
// while the process is idle. All other packages are loaded when a cell first uses them. Warm is optional, and safe
// to call at any time.
func Warm() {
	im, err := stdlib.NewImporter()
	if err != nil {
		return // New reports the error
	}
	for _, path := range []string{"fmt", "strings"} {
		if _, err := im.Import(path); err != nil {
			return
		}
	}
	warm.Store(im)
}

func takeImporter() (*stdlib.Importer, error) {
	if im := warm.Swap(nil); im != nil {
		return im, nil
	}
	return stdlib.NewImporter()
}
