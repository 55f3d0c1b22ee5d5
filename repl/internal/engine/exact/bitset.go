package exact

import "math/bits"

// bitset is a set of small integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// add adds a number; negative numbers are ignored.
func (b bitset) add(i int) {
	if i >= 0 {
		b[i/64] |= 1 << (i % 64)
	}
}

func (b bitset) remove(i int) {
	if i >= 0 {
		b[i/64] &^= 1 << (i % 64)
	}
}

// join adds the numbers of another set and reports whether any of them was new.
func (b bitset) join(more bitset) (changed bool) {
	for i, w := range more {
		changed = changed || b[i]|w != b[i]
		b[i] |= w
	}
	return changed
}

// with returns the union of two sets, in ascending order.
func (b bitset) with(more bitset) (out []int32) {
	for i, w := range b {
		for w |= more[i]; w != 0; w &= w - 1 {
			out = append(out, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
