package repl

import (
	"slices"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// Packages lists the import paths of the standard packages that cells may use, in order.
func Packages() []string { return slices.Clone(stdlib.Packages) }
