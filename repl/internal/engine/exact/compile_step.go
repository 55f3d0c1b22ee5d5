package exact

// blockEnd is the end of a block: run returns the next block or, if run is nil, to is the next block. If there is
// none, the call ends.
type blockEnd struct {
	run func(fr *frame) *block
	to  *block
}

// most is the largest number of instructions that run one after another without a loop, which makes each a fifth
// faster. A larger number would use too much of Go's stack in nested calls.
const most = 12

// step returns a closure that runs some instructions and the end of a block.
func step(ops []op, e blockEnd) func(fr *frame) *block {
	if e.run == nil {
		return stepTo(ops, e.to)
	}
	last := e.run
	switch len(ops) {
	case 0:
		return last
	case 1:
		o := ops[0]
		return func(fr *frame) *block {
			o(fr)
			return last(fr)
		}
	case 2:
		o, p := ops[0], ops[1]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			return last(fr)
		}
	case 3:
		o, p, q := ops[0], ops[1], ops[2]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			q(fr)
			return last(fr)
		}
	}
	if len(ops) > most {
		return func(fr *frame) *block {
			for _, o := range ops {
				o(fr)
			}
			return last(fr)
		}
	}
	o, p, q, r, rest := ops[0], ops[1], ops[2], ops[3], step(ops[4:], e)
	return func(fr *frame) *block {
		o(fr)
		p(fr)
		q(fr)
		r(fr)
		return rest(fr)
	}
}

// stepTo returns a closure that runs some instructions and returns the next block.
func stepTo(ops []op, to *block) func(fr *frame) *block {
	switch len(ops) {
	case 0:
		return func(*frame) *block { return to }
	case 1:
		o := ops[0]
		return func(fr *frame) *block {
			o(fr)
			return to
		}
	case 2:
		o, p := ops[0], ops[1]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			return to
		}
	case 3:
		o, p, q := ops[0], ops[1], ops[2]
		return func(fr *frame) *block {
			o(fr)
			p(fr)
			q(fr)
			return to
		}
	}
	if len(ops) > most {
		return func(fr *frame) *block {
			for _, o := range ops {
				o(fr)
			}
			return to
		}
	}
	o, p, q, r, rest := ops[0], ops[1], ops[2], ops[3], stepTo(ops[4:], to)
	return func(fr *frame) *block {
		o(fr)
		p(fr)
		q(fr)
		r(fr)
		return rest(fr)
	}
}

// sequence combines several instructions into one; nil for none.
func sequence(ops []op) op {
	switch len(ops) {
	case 0:
		return nil
	case 1:
		return ops[0]
	case 2:
		a, b := ops[0], ops[1]
		return func(fr *frame) { a(fr); b(fr) }
	case 3:
		a, b, c := ops[0], ops[1], ops[2]
		return func(fr *frame) { a(fr); b(fr); c(fr) }
	}
	return func(fr *frame) {
		for _, o := range ops {
			o(fr)
		}
	}
}
