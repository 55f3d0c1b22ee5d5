package exact

import (
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// direct makes interpreted functions callable from compiled code without reflection, for the types that it calls
// most often. Each function literal must capture only cl: rtype.Direct checks that the compiler made such a
// closure.
var direct *rtype.Direct

func init() { // an initialiser would be cyclic: the functions in it refer to direct
	direct = rtype.NewDirect(map[reflect.Type]func(self mem.Ptr) any{
		reflect.TypeFor[func(string) bool](): func(cl mem.Ptr) any {
			return func(a string) bool { return called[string, bool](cl, a) }
		},
		reflect.TypeFor[func(string) string](): func(cl mem.Ptr) any {
			return func(a string) string { return called[string, string](cl, a) }
		},
		reflect.TypeFor[func(int) bool](): func(cl mem.Ptr) any {
			return func(a int) bool { return called[int, bool](cl, a) }
		},
		reflect.TypeFor[func([]byte) bool](): func(cl mem.Ptr) any {
			return func(a []byte) bool { return called[[]byte, bool](cl, a) }
		},
		reflect.TypeFor[func(int, int) bool](): func(cl mem.Ptr) any {
			return func(a, b int) bool { return calledTwo[int, int, bool](cl, a, b) }
		},
		reflect.TypeFor[func(int, string) bool](): func(cl mem.Ptr) any {
			return func(a int, b string) bool { return calledTwo[int, string, bool](cl, a, b) }
		},
		reflect.TypeFor[func(string, string) bool](): func(cl mem.Ptr) any {
			return func(a, b string) bool { return calledTwo[string, string, bool](cl, a, b) }
		},
		reflect.TypeFor[func(string, int) bool](): func(cl mem.Ptr) any {
			return func(a string, b int) bool { return calledTwo[string, int, bool](cl, a, b) }
		},
		reflect.TypeFor[func(any, any) bool](): func(cl mem.Ptr) any {
			return func(a, b any) bool { return calledTwo[any, any, bool](cl, a, b) }
		},
	})
}

// begin makes the frame of a closure that compiled code calls, on a separate stack.
func (cl *closure) begin() *frame {
	b := cl.code.ready()
	fr := b.code.e.takeStack().enter(b, nil)
	cl.bind(b, fr)
	return fr
}

// finish releases the frame if the call has ended normally; a panic continues in compiled code.
func (fr *frame) finish(ended *bool) {
	s := fr.stack
	if !*ended {
		s.left()
		return
	}
	s.leave(fr.body, fr)
	s.e.giveStack(s)
}

func called[A, R any](self mem.Ptr, a A) (r R) {
	fr, ended := mem.As[closure](self).begin(), false
	defer fr.finish(&ended)
	call := &fr.body.call
	*mem.Slot[A](fr, call.params[0].off) = a
	fr.body.run(fr)
	r, ended = *mem.Slot[R](fr, call.results[0].off), true
	return r
}

func calledTwo[A, B, R any](self mem.Ptr, a A, b B) (r R) {
	fr, ended := mem.As[closure](self).begin(), false
	defer fr.finish(&ended)
	call := &fr.body.call
	*mem.Slot[A](fr, call.params[0].off), *mem.Slot[B](fr, call.params[1].off) = a, b
	fr.body.run(fr)
	r, ended = *mem.Slot[R](fr, call.results[0].off), true
	return r
}

// calledBack runs an interpreted function when compiled code calls it.
func (e *Engine) calledBack(self mem.Ptr, args []reflect.Value) []reflect.Value {
	cl := mem.As[closure](self)
	return e.callback(cl.code.ready(), func(b *body, fr *frame) {
		cl.bind(b, fr)
		setParams(b, fr, args)
	})
}

func setParams(b *body, fr *frame, args []reflect.Value) {
	for i, a := range args {
		mem.Value(a.Type(), addr(fr, b.call.params[i].off)).Set(a)
	}
}

// callback runs a function on a separate stack and returns its results.
func (e *Engine) callback(b *body, prepare func(b *body, fr *frame)) []reflect.Value {
	s := e.takeStack()
	ended := false
	defer func() {
		if ended {
			e.giveStack(s)
		} else {
			s.left()
		}
	}()
	fr := s.enter(b, nil)
	prepare(b, fr)
	b.run(fr)
	out := make([]reflect.Value, len(b.results))
	for i := range out {
		v := reflect.New(b.results[i]).Elem()
		b.call.results[i].class.copy(mem.In(v.Addr()), addr(fr, b.call.results[i].off))
		out[i] = v
	}
	s.leave(b, fr)
	ended = true
	return out
}
