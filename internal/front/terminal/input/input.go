// Package input reads input from a person or a pipe.
package input

import "context"

// Read returns the result of read, or ctx's error as soon as ctx is done. The read itself cannot be interrupted and
// continues, so the caller must not read from the source again.
func Read[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
