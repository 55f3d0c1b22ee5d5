package columns

import (
	"encoding/binary"
	"io"
)

// hybrid reads small numbers of one width: runs of one number, and groups of eight that are packed. Levels, indexes
// into a dictionary and Booleans are written so. It makes no room for what a run claims to hold.
type hybrid struct {
	data  []byte
	width int
	left  uint64 // of the run
	same  bool   // they are all value
	value uint64
	bit   uint64 // where the next of a group begins
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

// run begins the next run.
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
	size := min(groups*uint64(h.width), uint64(len(h.data))) // the last group may be cut
	h.left, h.bit, h.group, h.data = groups*8, 0, h.data[:size], h.data[size:]
	return nil
}

// bits is the number of some width that begins at a bit.
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

// little is a number of up to eight bytes, the lowest first.
func little(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}
