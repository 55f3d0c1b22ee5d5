package startup

import (
	"regexp"
	"strings"
	"sync"
)

// Regexp makes a function that compiles an expression, which is written in parts, when it is first called, and returns the same one
// from then on. It panics at that call if the expression is none. It is safe for concurrent use.
func Regexp(parts ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(strings.Join(parts, "")) })
}
