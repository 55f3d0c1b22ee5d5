package main

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/termination"
)

// typed waits for what a person or a pipe gives. An interruption ends the program, which is all that ends such a read.
func typed[T any](ctx context.Context, read func() (T, error)) (T, error) {
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
		return none, &exit{termination.ExitInterrupted, errors.New("interrupted")}
	}
}
