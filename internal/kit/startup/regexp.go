package startup

import (
	"regexp"
	"strings"
	"sync"
)

// Regexp returns a function that compiles an expression, given in parts, on its first call, and always returns the
// same compiled expression. The call panics if the expression is invalid. The function is safe for concurrent use.
func Regexp(parts ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(strings.Join(parts, "")) })
}
