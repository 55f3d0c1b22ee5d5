package exact

import (
	"math"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// outOfRange panics as Go does for an index that is out of range.
func outOfRange(fr *frame, pc int32, i, n int) {
	fr.pc = pc
	if i == math.MaxInt {
		panic(fr.stack.widened(failed(func() { _ = make([]struct{}, n)[i] })))
	}
	_ = make([]struct{}, n)[i]
}

// badSlice panics as a slice expression does.
func badSlice(fr *frame, pc int32, low, high, limit, capacity int, three, ofArray bool) {
	fr.pc = pc
	err := failed(func() {
		if s := make([]struct{}, capacity); three {
			_ = s[low:high:limit]
		} else {
			_ = s[low:high]
		}
	})
	if ofArray {
		err = rtype.OfArray(err)
	}
	panic(fr.stack.widened(err))
}

// badString panics as a slice expression of a string does.
func badString(fr *frame, pc int32, s string, low, high int) {
	fr.pc = pc
	panic(fr.stack.widened(failed(func() { _ = s[low:high] })))
}

// failed returns the value that f panics with.
func failed(f func()) (err any) {
	defer func() { err = recover() }()
	f()
	return nil
}

// widened makes an index error mention the last index that did not fit into an int, if there was one.
func (s *stack) widened(err any) any {
	x := s.wide
	s.wide = 0
	if x == 0 {
		return err
	}
	return rtype.Wider(err, x)
}
