package rtype

import (
	"math"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// boundsError has the layout of the runtime's error for indexes and lengths out of range.
type boundsError struct {
	want   int64
	have   int
	signed bool
	code   uint8
}

// The error codes for messages that mention a slice's capacity. For each of them, the code before it mentions an
// array's length instead.
const (
	codeCapacity  = 2
	codeCapacity3 = 5
)

// OfArray changes the error of a slice expression to one about an array, which has a length instead of a
// capacity.
func OfArray(err any) any {
	return changed(err, func(e *boundsError) {
		if e.code == codeCapacity || e.code == codeCapacity3 {
			e.code--
		}
	})
}

// Wider replaces the largest int in the error of an index or slice expression by x, which does not fit into an
// int.
func Wider(err any, x uint64) any {
	return changed(err, func(e *boundsError) {
		if e.want == math.MaxInt {
			e.want, e.signed = int64(x), false
		}
	})
}

func changed(err any, change func(*boundsError)) any {
	w := mem.WordsOf(&err)
	e := *mem.As[boundsError](w.Data)
	change(&e)
	w.Data = mem.Of(&e)
	return err
}

// TooShort returns the runtime's panic value for the conversion of a slice of length have to an array of length
// want.
func TooShort(have, want int) (err any) {
	defer func() {
		err = changed(recover(), func(e *boundsError) { e.want, e.have = int64(want), have })
	}()
	_ = [1]struct{}(make([]struct{}, 0))
	return nil
}

// Texts contains the runtime's types for errors that consist of a text.
type Texts struct{ plain, prefixed any }

// NewTexts makes the runtime raise errors, and takes the types from them.
func NewTexts() (t Texts) {
	take := func(err *any, f func()) {
		defer func() { *err = recover() }()
		f()
	}
	var zero int
	take(&t.plain, func() { close((chan int)(nil)) })
	take(&t.prefixed, func() { _ = 1 / zero })
	return t
}

// Plain returns an error with the text.
func (t Texts) Plain(text string) any { return withText(t.plain, text) }

// Prefixed returns an error with "runtime error: " and the text.
func (t Texts) Prefixed(text string) any { return withText(t.prefixed, text) }

func withText(err any, text string) any {
	mem.WordsOf(&err).Data = mem.Of(&text)
	return err
}

// checkErrors tests errors that are made with the runtime's types.
func checkErrors() bool {
	says := func(err any, text string) bool {
		e, ok := err.(interface {
			error
			RuntimeError()
		})
		return ok && e.Error() == text
	}
	failed := func() (err any) {
		defer func() { err = recover() }()
		n := math.MaxInt
		return make([]struct{}, 1)[:n]
	}()
	t := NewTexts()
	return says(t.Plain("x"), "x") && says(t.Prefixed("x"), "runtime error: x") &&
		says(TooShort(1, 2), "runtime error: cannot convert slice with length 1 to array or pointer to array with length 2") &&
		says(OfArray(Wider(failed, 1<<63)),
			"runtime error: slice bounds out of range [:9223372036854775808] with length 1")
}
