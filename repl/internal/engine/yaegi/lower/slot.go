package lower

import "fmt"

// The interpreter puts a new function into a slot of the frame that made it, and when the function has run it writes back what stood in
// the slot before. In a loop, a function of an earlier round that ends on another goroutine would do so while the round at hand takes its
// own function from there. So what may be made again while it runs elsewhere is made in a frame of its own.

// again reports whether the statement at hand may run more than once in one frame.
func (f *fn) again() bool { return len(f.loops) > 0 }

// inOwnFrame writes what emit writes, in a frame of its own where that is needed. emit must not write a jump.
func (f *fn) inOwnFrame(emit func()) {
	if !f.again() {
		emit()
		return
	}
	f.emit("func() {")
	emit()
	f.emit("}()")
}

// ownSlot is a function literal of a type, made in a frame of its own where that is needed.
func (f *fn) ownSlot(typ, literal string) string {
	if !f.again() {
		return literal
	}
	return fmt.Sprintf("func() %s { return %s }()", typ, literal)
}
