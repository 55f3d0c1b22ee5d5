// Package front contains what all front ends share: how a command ends, and how it writes its output.
package front

import (
	"fmt"
)

// Exit is an error that ends a command with one of the codes of package exitcode.
type Exit struct {
	Code int
	Err  error // for stderr; nil if it has already been reported
}

// Fail returns an Exit with a formatted message.
func Fail(code int, format string, args ...any) error {
	return &Exit{Code: code, Err: fmt.Errorf(format, args...)}
}

func (e *Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Exit) Unwrap() error { return e.Err }
