package exact

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

func (c *compiler) makeChan(in *ssa.MakeChan) op {
	d, t, n, pc := c.slots[in], c.e.types.Reflect(in.Type()), c.index(in.Size), c.at()
	both := reflect.ChanOf(reflect.BothDir, t.Elem())
	return func(fr *frame) {
		fr.pc = pc
		size := n(fr)
		if size < 0 {
			panic(texts.Plain("makechan: size out of range"))
		}
		valueAt(t, addr(fr, d)).Set(reflect.MakeChan(both, size).Convert(t))
	}
}

func (c *compiler) send(in *ssa.Send) op {
	ch, v, pc := c.operand(in.Chan), c.operand(in.X), c.point(in)
	ct, vt := c.e.types.Reflect(in.Chan.Type()), c.e.types.Reflect(in.X.Type())
	return func(fr *frame) {
		fr.pc = pc
		to, value := valueAt(ct, addr(fr, ch)), valueAt(vt, addr(fr, v))
		if to.IsNil() || !to.TrySend(value) {
			fr.stack.await(reflect.SelectCase{Dir: reflect.SelectSend, Chan: to, Send: value})
		}
	}
}

func (c *compiler) receive(in *ssa.UnOp) op {
	ch, pc := c.operand(in.X), c.point(in)
	ct := c.e.types.Reflect(in.X.Type())
	d, isOK := c.slots[in], uintptr(0)
	if in.CommaOk {
		d, isOK = c.tuples[in][0], c.tuples[in][1]
	}
	class := c.classOf(in.X.Type().Underlying().(*types.Chan).Elem())
	return func(fr *frame) {
		fr.pc = pc
		from := valueAt(ct, addr(fr, ch))
		var v reflect.Value
		var ok bool
		if !from.IsNil() {
			v, ok = from.TryRecv()
		}
		if !v.IsValid() {
			_, v, ok = fr.stack.await(reflect.SelectCase{Dir: reflect.SelectRecv, Chan: from})
		}
		setReceived(class, addr(fr, d), v)
		if isOK != 0 {
			*mem.Slot[bool](fr, isOK) = ok
		}
	}
}

func setReceived(class class, p mem.Ptr, v reflect.Value) {
	q := reflect.New(v.Type())
	q.Elem().Set(v)
	class.copy(p, mem.In(q))
}

// await blocks until one of the cases can proceed. If the run should stop before that, it ends the goroutine. It drops
// dead values even if no garbage was collected since the last time, because it may block for long.
func (s *stack) await(cases ...reflect.SelectCase) (int, reflect.Value, bool) {
	s.top.sweep(s.top.pc, 0)
	done := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(s.member().run.done)}
	i, v, ok := reflect.Select(append(cases, done))
	if i == len(cases) {
		s.e.Unwind()
	}
	return i, v, ok
}

// selectState is a case of a select statement.
type selectState struct {
	send     bool
	ch, v    uintptr
	ct, vt   reflect.Type
	to       uintptr
	received class
}

func (c *compiler) selectStatement(in *ssa.Select) op {
	parts, pc := c.tuples[in], c.point(in)
	var states []selectState
	next := 2
	for _, s := range in.States {
		st := selectState{send: s.Dir == types.SendOnly, ch: c.operand(s.Chan), ct: c.e.types.Reflect(s.Chan.Type())}
		if st.send {
			st.v, st.vt = c.operand(s.Send), c.e.types.Reflect(s.Send.Type())
		} else {
			st.to, st.received = parts[next], c.classOf(s.Chan.Type().Underlying().(*types.Chan).Elem())
			next++
		}
		states = append(states, st)
	}
	return func(fr *frame) {
		fr.pc = pc
		cases := make([]reflect.SelectCase, len(states))
		for i := range states {
			st := &states[i]
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: valueAt(st.ct, addr(fr, st.ch))}
			if st.send {
				cases[i].Dir, cases[i].Send = reflect.SelectSend, valueAt(st.vt, addr(fr, st.v))
			}
		}
		i, v, ok := fr.stack.choose(cases, in.Blocking)
		*mem.Slot[int](fr, parts[0]) = i
		*mem.Slot[bool](fr, parts[1]) = ok
		for j := range states {
			if st := &states[j]; !st.send {
				if j == i {
					setReceived(st.received, addr(fr, st.to), v)
				} else {
					st.received.clear(addr(fr, st.to))
				}
			}
		}
	}
}

// choose takes the first ready case, in the order drawn from the goroutine's stream. If none is ready and it must
// not block, it returns -1.
func (s *stack) choose(cases []reflect.SelectCase, block bool) (int, reflect.Value, bool) {
	order := []int{0}
	if len(cases) != 1 {
		order = s.member().stream.Cases(len(cases))
	}
	for _, i := range order {
		c := cases[i]
		switch {
		case c.Chan.IsNil():
		case c.Dir == reflect.SelectSend:
			if c.Chan.TrySend(c.Send) {
				return i, reflect.Value{}, false
			}
		default:
			if v, ok := c.Chan.TryRecv(); v.IsValid() {
				return i, v, ok
			}
		}
	}
	if !block {
		return -1, reflect.Value{}, false
	}
	return s.await(cases...)
}
