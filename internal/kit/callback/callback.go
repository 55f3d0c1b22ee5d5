// Package callback calls functions of the embedding program and turns their failures into errors: they can neither
// end the program nor block it for ever.
package callback

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Grace is how long a call may continue after its context is done: time to report its progress.
const Grace = 500 * time.Millisecond

// errEnded is the error for a function that ended its goroutine instead of returning.
var errEnded = errors.New(
	"it ended its goroutine with runtime.Goexit, as FailNow of a test does: return an error instead")

// Call runs do in another goroutine and returns its result or, soon after ctx is done, an error that wraps ctx's;
// in that case do is left running. Errors name the function by what.
func Call[T any](ctx context.Context, what string, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		Guard(what, &o.err, func() (err error) {
			o.value, err = do()
			return err
		})
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(Grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-late.C:
		return *new(T), fmt.Errorf("%s is still running although its context is done: %w", what, ctx.Err())
	}
}

// Guard calls a function in this goroutine and sets err to its result, to its panic, or to an error if it ends the
// goroutine. An error whose own methods panic, like those of a nil pointer, counts as a panic.
func Guard(what string, err *error, do func() error) {
	returned := false
	defer func() {
		switch p := recover().(type) {
		case nil:
			if !returned {
				*err = fmt.Errorf("%s: %w", what, errEnded)
			}
		case error:
			if sound(p) {
				*err = fmt.Errorf("%s panicked: %w", what, p)
				return
			}
			*err = fmt.Errorf("%s panicked with an error whose methods panic: %T", what, p)
		default:
			*err = fmt.Errorf("%s panicked: %v", what, p)
		}
	}()
	failed := do()
	returned = true
	if failed != nil && !sound(failed) {
		failed = fmt.Errorf("%s returned an error whose methods panic, a nil %T perhaps: return a plain nil where nothing failed", what, failed)
	}
	*err = failed
}

// sound reports whether the methods of an error, and of those that it wraps, can be called.
func sound(err error) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	_, _ = err.Error(), errors.Is(err, errEnded)
	return true
}
