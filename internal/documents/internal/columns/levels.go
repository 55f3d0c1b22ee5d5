package columns

import (
	"encoding/binary"
	"io"
)

// hybrid reads small numbers of a fixed width: runs of one number, and bit-packed groups of eight. Levels,
// dictionary indexes and Booleans are stored this way. It allocates nothing for the length that a run claims.
type hybrid struct {
	data  []byte
	width int
	left  uint64 // remaining numbers of the run
	same  bool   // all of them equal value
	value uint64
	bit   uint64 // offset of the next number in a packed group
	group []byte
}

func (h *hybrid) next() (uint64, error) {
	for h.left == 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	h.left--
	if h.same {
		return h.value, nil
	}
	v, ok := bits(h.group, h.bit, h.width)
	if !ok {
		return 0, io.ErrUnexpectedEOF
	}
	h.bit += uint64(h.width)
	return v, nil
}

// run starts the next run.
func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || h.width < 0 || h.width > 32 {
		return io.ErrUnexpectedEOF
	}
	h.data = h.data[n:]
	if h.same = head&1 == 0; h.same {
		size := (h.width + 7) / 8
		if len(h.data) < size {
			return io.ErrUnexpectedEOF
		}
		h.left, h.value = head>>1, little(h.data[:size])
		h.data = h.data[size:]
		return nil
	}
	groups := min(head>>1, 1<<32)
	size := min(groups*uint64(h.width), uint64(len(h.data))) // the last group may be shorter
	h.left, h.bit, h.group, h.data = groups*8, 0, h.data[:size], h.data[size:]
	return nil
}

// bits returns the number with the given width that starts at bit at.
func bits(data []byte, at uint64, width int) (v uint64, ok bool) {
	if at+uint64(width) > 8*uint64(len(data)) {
		return 0, false
	}
	i, shift := at/8, at%8
	if i+8 <= uint64(len(data)) {
		v = binary.LittleEndian.Uint64(data[i:]) >> shift
		if shift > 0 && i+8 < uint64(len(data)) {
			v |= uint64(data[i+8]) << (64 - shift)
		}
	} else {
		v = little(data[i:]) >> shift
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v, true
}

// little returns a little-endian number of up to eight bytes.
func little(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}
