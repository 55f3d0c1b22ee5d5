package rtype

import "unsafe"

// boundsError has the layout of the runtime's error for indexes and lengths that do not fit.
type boundsError struct {
	want   int64
	have   int
	signed bool
	code   uint8
}

// TooShort is what the runtime panics with when a slice of length have is converted to an array of length want: the error of such a
// conversion, with other numbers.
func TooShort(have, want int) (err any) {
	defer func() {
		err = recover()
		w := (*[2]unsafe.Pointer)(unsafe.Pointer(&err))
		e := *(*boundsError)(w[1])
		e.want, e.have = int64(want), have
		w[1] = unsafe.Pointer(&e)
	}()
	_ = [1]struct{}(make([]struct{}, 0))
	return nil
}
