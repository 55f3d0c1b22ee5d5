package exact

import (
	"go/token"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
	"golang.org/x/tools/go/ssa"
)

// loop is a loop of two blocks, a head that compares integers and a body that jumps back to the head. It runs as a
// Go loop.
type loop struct {
	op   token.Token // the loop runs while x op y
	x, y uintptr
	// before runs before the first comparison, and round between two comparisons; both may be nil.
	before op
	round  []op
	// counter is the slot that is added to x at the end of each round, if counts is set.
	counter uintptr
	counts  bool
	stop    *atomic.Int32
	exit    branch
}

// opposite maps each comparison of integers to its negation.
var opposite = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.EQL: token.NEQ,
	token.NEQ: token.EQL,
}

// loop compiles the head of a loop of two blocks, together with its body; nil for other blocks.
func (c *compiler) loop(head *ssa.BasicBlock) func(fr *frame) *block {
	k := c.conditionOf(head)
	if k == nil || k.char != nil || c.kindOf(k.cmp.X.Type()) != reflect.Int {
		return nil
	}
	side := slices.IndexFunc(head.Succs, func(b *ssa.BasicBlock) bool { return leadsBack(b, head) })
	if side < 0 {
		return nil
	}
	body := head.Succs[side]
	l := &loop{op: k.cmp.Op, x: c.operand(k.cmp.X), y: c.operand(k.cmp.Y), stop: &c.e.stopping}
	if side == 1 {
		l.op = opposite[l.op]
	}
	before := c.operations(head, k)
	l.before = sequence(before)
	l.exit = c.branch(head, head.Succs[1-side])
	l.round = c.operations(body, nil)
	last := c.running(body)
	if moves := c.edge(body, head); moves != nil {
		l.round, last = append(l.round, moves), nil
	}
	if len(before) > 0 {
		l.round, last = append(l.round, before...), c.running(head)
		last = last[:len(last)-1]
	}
	if step, ok := c.counterOf(last, l.x); ok {
		l.counter, l.counts, l.round = step, true, l.round[:len(l.round)-1]
	}
	return l.compile()
}

// leadsBack reports whether a block is entered only from head and jumps only to head.
func leadsBack(b, head *ssa.BasicBlock) bool {
	_, phi := b.Instrs[0].(*ssa.Phi)
	return b != head && b.Index > head.Index && len(b.Preds) == 1 && len(b.Succs) == 1 && b.Succs[0] == head && !phi
}

// counterOf returns the slot that the last instruction adds to x; ok is false if that instruction is not such an
// addition.
func (c *compiler) counterOf(last []ssa.Instruction, x uintptr) (uintptr, bool) {
	if len(last) == 0 {
		return 0, false
	}
	add, ok := last[len(last)-1].(*ssa.BinOp)
	if !ok || add.Op != token.ADD || c.kindOf(add.Type()) != reflect.Int || c.slots[add] != x || c.operand(add.X) != x {
		return 0, false
	}
	return c.operand(add.Y), true
}

func (l *loop) compile() func(fr *frame) *block {
	run := l.count
	switch {
	case !l.counts || l.op != token.LSS:
		return l.while()
	case len(l.round) == 1:
		run = l.countOne
	case len(l.round) == 2:
		run = l.countTwo
	case len(l.round) == 3:
		run = l.countThree
	}
	return run()
}

// begin runs the code before the first comparison.
func (l *loop) begin(fr *frame) {
	if l.before != nil {
		l.before(fr)
	}
}

// look ends the calling goroutine if its run should stop.
func (l *loop) look(fr *frame) {
	if l.stop.Load() != 0 {
		fr.stack.stopped()
	}
}

// next increments x and reports whether there is another round.
func (l *loop) next(fr *frame) bool {
	x := mem.Slot[int](fr, l.x)
	*x += *mem.Slot[int](fr, l.counter)
	return *x < *mem.Slot[int](fr, l.y)
}

func (l *loop) less(fr *frame) bool { return *mem.Slot[int](fr, l.x) < *mem.Slot[int](fr, l.y) }

func (l *loop) count() func(fr *frame) *block {
	return func(fr *frame) *block {
		l.begin(fr)
		for more := l.less(fr); more; more = l.next(fr) {
			for _, o := range l.round {
				o(fr)
			}
			l.look(fr)
		}
		return l.exit.take(fr)
	}
}

func (l *loop) countOne() func(fr *frame) *block {
	o := l.round[0]
	return func(fr *frame) *block {
		l.begin(fr)
		for more := l.less(fr); more; more = l.next(fr) {
			o(fr)
			l.look(fr)
		}
		return l.exit.take(fr)
	}
}

func (l *loop) countTwo() func(fr *frame) *block {
	o, p := l.round[0], l.round[1]
	return func(fr *frame) *block {
		l.begin(fr)
		for more := l.less(fr); more; more = l.next(fr) {
			o(fr)
			p(fr)
			l.look(fr)
		}
		return l.exit.take(fr)
	}
}

func (l *loop) countThree() func(fr *frame) *block {
	o, p, q := l.round[0], l.round[1], l.round[2]
	return func(fr *frame) *block {
		l.begin(fr)
		for more := l.less(fr); more; more = l.next(fr) {
			o(fr)
			p(fr)
			q(fr)
			l.look(fr)
		}
		return l.exit.take(fr)
	}
}

// while compiles a loop with any comparison and body; compile chooses faster code for the most frequent loops.
func (l *loop) while() func(fr *frame) *block {
	round := l.round
	if l.counts {
		round = append(round, arithmetic[int](token.ADD, l.x, l.x, l.counter))
	}
	holds := comparison(l.op, l.x, l.y)
	return func(fr *frame) *block {
		l.begin(fr)
		for holds(fr) {
			for _, o := range round {
				o(fr)
			}
			l.look(fr)
		}
		return l.exit.take(fr)
	}
}

// comparison returns a closure that compares two integers.
func comparison(tok token.Token, x, y uintptr) func(fr *frame) bool {
	switch tok {
	case token.EQL:
		return func(fr *frame) bool { return *mem.Slot[int](fr, x) == *mem.Slot[int](fr, y) }
	case token.NEQ:
		return func(fr *frame) bool { return *mem.Slot[int](fr, x) != *mem.Slot[int](fr, y) }
	case token.LSS:
		return func(fr *frame) bool { return *mem.Slot[int](fr, x) < *mem.Slot[int](fr, y) }
	case token.LEQ:
		return func(fr *frame) bool { return *mem.Slot[int](fr, x) <= *mem.Slot[int](fr, y) }
	case token.GTR:
		return func(fr *frame) bool { return *mem.Slot[int](fr, x) > *mem.Slot[int](fr, y) }
	}
	return func(fr *frame) bool { return *mem.Slot[int](fr, x) >= *mem.Slot[int](fr, y) }
}

// countInPlace lets the index of a range statement use the slot of its phi, to which it adds one. That is correct
// because only this addition reads the phi.
func (c *compiler) countInPlace(b *ssa.BasicBlock) {
	for _, in := range b.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			return
		}
		i := slices.IndexFunc(b.Instrs, func(in ssa.Instruction) bool {
			add, ok := in.(*ssa.BinOp)
			return ok && add.Op == token.ADD && add.X == ssa.Value(phi)
		})
		if i < 0 || uses(phi) != 1 {
			continue
		}
		if add := b.Instrs[i].(*ssa.BinOp); c.countsAlone(b, phi, add) {
			c.joined[add] = true
			c.slots[add] = c.slots[phi]
		}
	}
}

// countsAlone reports whether the phi takes a constant or its own incremented value on every edge into its block.
// No other phi of the block may take the incremented value on an edge where this one takes a constant, because the
// constant would overwrite the value too early.
func (c *compiler) countsAlone(b *ssa.BasicBlock, phi *ssa.Phi, add *ssa.BinOp) bool {
	for i, edge := range phi.Edges {
		if edge == ssa.Value(add) {
			continue
		}
		if _, ok := edge.(*ssa.Const); !ok {
			return false
		}
		for _, in := range b.Instrs {
			other, ok := in.(*ssa.Phi)
			if !ok {
				break
			}
			if other.Edges[i] == ssa.Value(add) {
				return false
			}
		}
	}
	return true
}
