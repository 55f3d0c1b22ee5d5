package repl

import (
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// warm holds an importer that was prepared before anyone asked for a notebook. It is handed on once: importers
// are not shared between notebooks.
var warm atomic.Pointer[stdlib.Importer]

// Warm prepares what the first cells of the next notebook of this process almost always need, so that they need not wait: call it while
// there is nothing else to do. All other packages are read when a cell first uses them. It is safe to call at any time, and never necessary.
func Warm() {
	im, err := stdlib.NewImporter()
	if err != nil {
		return // New reports it
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
