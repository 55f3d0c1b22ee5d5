package exact

import "github.com/gorlm/rlm/repl/internal/engine/exact/rtype"

// Check reports why no engine of this package starts in this process; nil if they do. It looks at run-time types once.
func Check() error { return rtype.Check() }
