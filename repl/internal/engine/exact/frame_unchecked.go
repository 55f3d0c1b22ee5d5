//go:build !framecheck

package exact

import "reflect"

// checked says that frames are watched: the build tag framecheck makes what uses one after its call a
// fatal error.
const checked = false

// guard watches a frame.
type guard struct{}

func (s *stack) watch(f *frame) { f.guard = guard{} }

func (s *stack) poison(*frame) bool { return false }

// watchLent returns a function that is lent a frame as it is.
func watchLent(f reflect.Value, _ *frame) (lent reflect.Value, end func()) { return f, func() {} }
