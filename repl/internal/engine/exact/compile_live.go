package exact

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// mostLive bounds the effort of computing the liveness of one function, as its slots times its blocks. Frames of
// larger functions keep dead values until their calls end.
const mostLive = 1 << 24

// point is an instruction at which frames can be swept, and its index in body.places.
type point struct {
	pc int32
	in ssa.Instruction
}

// point adds the current place for an instruction at which frames can be swept, and returns the place's index.
func (c *compiler) point(in ssa.Instruction) int32 {
	pc := int32(len(c.body.places))
	c.body.places = append(c.body.places, c.pos)
	c.points = append(c.points, point{pc, in})
	return pc
}

// isPoint reports whether the last place belongs to a point, so that no other instruction may share the place.
func (c *compiler) isPoint(pc int) bool {
	return len(c.points) > 0 && c.points[len(c.points)-1].pc == int32(pc)
}

// liveness computes which slots of a function are read later, in the order in which its instructions run.
type liveness struct {
	c      *compiler
	held   []slot     // slots that may point to memory, in order of offset
	blocks [][]effect // effects of each block's instructions, including the last one
	start  []bitset   // slots that are live at the beginning of a block, after its phis are set
	end    []bitset
}

// effect is what an instruction and its parts do: the slots that they read, and those that they overwrite entirely.
type effect struct {
	in          ssa.Instruction
	reads, sets []int
}

// findLive records the live slots at the points of a function.
func (c *compiler) findLive() {
	if len(c.points) == 0 {
		return
	}
	l := &liveness{c: c, held: c.pointerSlots()}
	if len(l.held) == 0 || len(l.held)*len(c.fn.Blocks) > mostLive {
		return
	}
	for _, b := range c.fn.Blocks {
		l.blocks = append(l.blocks, l.effects(b))
		l.start, l.end = append(l.start, newBitset(len(l.held))), append(l.end, newBitset(len(l.held)))
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(c.fn.Blocks) {
			changed = l.flow(b) || changed
		}
	}
	c.body.held, c.body.lives = l.held, l.atPoints()
}

// flow computes a block's sets from those of its successors, and reports whether it added anything.
func (l *liveness) flow(b *ssa.BasicBlock) bool {
	end := l.end[b.Index]
	for _, to := range b.Succs {
		carried := slices.Clone(l.start[to.Index])
		for _, in := range to.Instrs {
			phi, ok := in.(*ssa.Phi)
			if !ok {
				break
			}
			carried.remove(l.slotOf(phi))
		}
		for i, from := range to.Preds {
			if from != b {
				continue
			}
			for _, in := range to.Instrs {
				phi, ok := in.(*ssa.Phi)
				if !ok {
					break
				}
				carried.add(l.slotOf(phi.Edges[i]))
			}
		}
		end.join(carried)
	}
	now := slices.Clone(end)
	for _, e := range slices.Backward(l.blocks[b.Index]) {
		e.undo(now)
	}
	return l.start[b.Index].join(now)
}

// undo turns the set of slots live after an instruction into the set live before it.
func (e *effect) undo(now bitset) {
	for _, s := range e.sets {
		now.remove(s)
	}
	for _, r := range e.reads {
		now.add(r)
	}
}

// atPoints returns the slots that are live at each point. They include those live in the block for recovered calls,
// because a panic anywhere may lead there.
func (l *liveness) atPoints() map[int32]live {
	at := map[ssa.Instruction][]int32{}
	for _, p := range l.c.points {
		at[p.in] = append(at[p.in], p.pc)
	}
	recovered := newBitset(len(l.held))
	if r := l.c.fn.Recover; r != nil {
		recovered = l.start[r.Index]
	}
	out := map[int32]live{}
	for _, b := range l.c.fn.Blocks {
		now := slices.Clone(l.end[b.Index])
		for _, e := range slices.Backward(l.blocks[b.Index]) {
			var found live
			pcs := at[e.in]
			if pcs != nil {
				during := slices.Clone(now)
				for _, s := range e.sets {
					during.remove(s)
				}
				found.during = during.with(recovered)
			}
			e.undo(now)
			if pcs != nil {
				found.before = now.with(recovered)
			}
			for _, pc := range pcs {
				out[pc] = found
			}
		}
	}
	return out
}

// effects returns the effects of a block's instructions, in the order in which they run.
func (l *liveness) effects(b *ssa.BasicBlock) []effect {
	p := l.c.plans[b.Index]
	parts := map[int][]ssa.Instruction{}
	for part, at := range p.parts {
		parts[at] = append(parts[at], part)
	}
	var out []effect
	for i, in := range p.order {
		v, isValue := in.(ssa.Value)
		switch in := in.(type) {
		case *ssa.DebugRef, *ssa.Phi, *ssa.Extract:
			continue
		case *ssa.Store:
			if l.c.spilled[in] {
				continue
			}
		}
		if p.isPart(in) || isValue && l.c.shared[v] {
			continue
		}
		e := effect{in: in}
		for _, in := range append(parts[i], in) {
			l.read(&e, p, in)
		}
		if isValue {
			l.set(&e, v)
		}
		out = append(out, e)
	}
	last := effect{in: b.Instrs[len(b.Instrs)-1]}
	l.read(&last, p, last.in)
	if state := rangeState(b); state != nil { // the code that rangePanic compiles reads the state and its slot
		last.reads = l.append(l.append(last.reads, state), state.X)
	}
	return append(out, last)
}

// read adds to the effect the slots that an instruction reads, except those of values that its parts make.
func (l *liveness) read(e *effect, p *plan, in ssa.Instruction) {
	for _, o := range in.Operands(nil) {
		if *o == nil {
			continue
		}
		if made, ok := (*o).(ssa.Instruction); !ok || !p.isPart(made) {
			e.reads = l.append(e.reads, *o)
		}
		if local := localOf(*o); local != nil {
			e.reads = l.appendAt(e.reads, l.c.local[local])
		}
	}
}

// set adds to the effect the slots that an instruction sets.
func (l *liveness) set(e *effect, v ssa.Value) {
	if offs, ok := l.c.tuples[v]; ok {
		for _, off := range offs {
			e.sets = l.appendAt(e.sets, off)
		}
		return
	}
	e.sets = l.append(e.sets, v)
	if local, ok := v.(*ssa.Alloc); ok && !local.Heap && spill(local) == nil {
		e.sets = l.appendAt(e.sets, l.c.local[local])
	}
}

func (l *liveness) append(list []int, v ssa.Value) []int {
	if i := l.slotOf(v); i >= 0 {
		list = append(list, i)
	}
	return list
}

func (l *liveness) appendAt(list []int, off uintptr) []int {
	if i := l.slotAt(off); i >= 0 {
		list = append(list, i)
	}
	return list
}

// slotOf returns the index in held of the slot that contains a value, as a whole or as a part; -1 if held does not
// contain it.
func (l *liveness) slotOf(v ssa.Value) int {
	if part, ok := v.(*ssa.Extract); ok {
		return l.slotAt(l.c.tuples[part.Tuple][part.Index])
	}
	off, ok := l.c.slots[v]
	if !ok {
		return -1
	}
	return l.slotAt(off)
}

func (l *liveness) slotAt(off uintptr) int {
	i, found := slices.BinarySearchFunc(l.held, off, func(s slot, off uintptr) int { return cmp.Compare(s.off, off) })
	if found {
		return i
	}
	if i > 0 && off < l.held[i-1].off+l.held[i-1].class.size {
		return i - 1
	}
	return -1
}
