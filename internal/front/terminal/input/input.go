// Package input reads what a person or a pipe enters.
package input

import "context"

// Read returns the result of read, or the context's error as soon as that ends. The read itself continues until
// its source ends, because nothing can interrupt it, so the caller must not read from the source again.
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
