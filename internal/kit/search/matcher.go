package search

// matcher computes, byte by byte, the distance of a pattern from the text read so far. ASCII letters match in both
// cases.
type matcher struct {
	masks [256][]uint64 // positions of each byte in the pattern, 64 per word
	up    []uint64      // positions at which the distance is one larger than at the preceding one
	down  []uint64      // positions at which it is one smaller
	last  uint64        // the bit of the pattern's last byte
	score int
}

func newMatcher(pattern string) *matcher {
	words := (len(pattern) + 63) / 64
	m := &matcher{
		up: make([]uint64, words), down: make([]uint64, words),
		score: len(pattern), last: 1 << ((len(pattern) - 1) % 64),
	}
	store := make([]uint64, 256*words)
	for c := range m.masks {
		m.masks[c] = store[c*words : (c+1)*words]
	}
	for i := range len(pattern) {
		c := pattern[i]
		m.masks[c][i/64] |= 1 << (i % 64)
		if letter := c | 0x20; letter >= 'a' && letter <= 'z' {
			m.masks[c^0x20][i/64] |= 1 << (i % 64)
		}
	}
	for w := range m.up {
		m.up[w] = ^uint64(0)
	}
	return m
}

// step reads one more byte of the text and returns the distance of the pattern from the text so far: from its best
// suffix if skipped is 0, from all of it if skipped is 1 (each byte of the text without a counterpart costs one).
func (m *matcher) step(c byte, skipped int) int {
	carry := skipped
	words := m.masks[c]
	for w := range words {
		top := uint64(1) << 63
		if w == len(words)-1 {
			top = m.last
		}
		carry = m.block(w, words[w], carry, top)
	}
	m.score += carry
	return m.score
}

// block advances 64 pattern positions by one byte of the text. carry is the difference at their lower border; the
// result is the difference at their upper border.
func (m *matcher) block(w int, equal uint64, carry int, top uint64) int {
	up, down := m.up[w], m.down[w]
	vertical := equal | down
	if carry < 0 {
		equal |= 1
	}
	horizontal := (((equal & up) + up) ^ up) | equal
	grows := down | ^(horizontal | up)
	falls := up & horizontal
	out := 0
	if grows&top != 0 {
		out = 1
	} else if falls&top != 0 {
		out = -1
	}
	grows <<= 1
	falls <<= 1
	if carry < 0 {
		falls |= 1
	} else if carry > 0 {
		grows |= 1
	}
	m.up[w] = falls | ^(vertical | grows)
	m.down[w] = grows & vertical
	return out
}
