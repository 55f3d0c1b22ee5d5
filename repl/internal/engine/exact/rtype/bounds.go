package rtype

import (
	"math"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// boundsError has the layout of the runtime's error for indexes and lengths that do not fit.
type boundsError struct {
	want   int64
	have   int
	signed bool
	code   uint8
}

// The codes of errors that name an array's length by the code before, where they name a slice's capacity.
const (
	codeCapacity  = 2
	codeCapacity3 = 5
)

// OfArray is the error of a slice expression, said of an array: that has a length.
func OfArray(err any) any {
	return changed(err, func(e *boundsError) {
		if e.code == codeCapacity || e.code == codeCapacity3 {
			e.code--
		}
	})
}

// Wider is the error of an index or a slice expression with x, which no int holds, in place of the largest int.
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

// TooShort is what the runtime panics with when a slice of length have is converted to an array of length want: the error of such a
// conversion, with other numbers.
func TooShort(have, want int) (err any) {
	defer func() {
		err = changed(recover(), func(e *boundsError) { e.want, e.have = int64(want), have })
	}()
	_ = [1]struct{}(make([]struct{}, 0))
	return nil
}

// Texts are the types that the runtime has for errors that are texts: what an error of them says follows from the text alone.
type Texts struct{ plain, prefixed any }

// NewTexts takes the types from errors of the runtime.
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

// Plain is an error that says the text.
func (t Texts) Plain(text string) any { return withText(t.plain, text) }

// Prefixed is an error that says "runtime error: " and the text.
func (t Texts) Prefixed(text string) any { return withText(t.prefixed, text) }

func withText(err any, text string) any {
	mem.WordsOf(&err).Data = mem.Of(&text)
	return err
}

// checkErrors makes errors of the runtime's types.
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
		says(OfArray(Wider(failed, 1<<63)), "runtime error: slice bounds out of range [:9223372036854775808] with length 1")
}
