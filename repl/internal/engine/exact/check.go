package exact

import "github.com/gorlm/rlm/repl/internal/engine/exact/rtype"

// Check reports why engines of this package cannot start in this process; nil if they can. It inspects run-time
// types only on the first call.
func Check() error { return rtype.Check() }
