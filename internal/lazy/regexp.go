// Package lazy holds what is made at its first use and not when a process starts: every worker is the same program, and its start is paid
// for by each run.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp makes a function that compiles an expression when it is first called, and returns the same one from then on. It panics at
// that call if the expression is none. It is safe for concurrent use.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
