package columns

import (
	"encoding/binary"
	"errors"
	"io"
)

var errDelta = errors.New("its differences are damaged")

// deltas reads delta-encoded integers, in blocks of miniblocks.
type deltas struct {
	data    []byte
	block   uint64 // values of a block
	minis   uint64 // miniblocks of a block
	left    uint64 // remaining values
	last    int64
	began   bool
	least   int64 // smallest delta of the block
	widths  []byte
	mini    []byte // current miniblock
	width   int
	at      uint64 // index of the next value in mini
	perMini uint64
}

func newDeltas(data []byte) (*deltas, error) {
	d := &deltas{data: data}
	for _, to := range []*uint64{&d.block, &d.minis, &d.left} {
		v, err := d.uvarint()
		if err != nil {
			return nil, err
		}
		*to = v
	}
	first, n := binary.Varint(d.data)
	if n <= 0 || d.minis == 0 || d.block == 0 || d.block > 1<<24 || d.block%d.minis != 0 || d.block/d.minis%8 != 0 {
		return nil, errDelta
	}
	d.data, d.last, d.perMini = d.data[n:], first, d.block/d.minis
	return d, nil
}

func (d *deltas) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		return 0, errDelta
	}
	d.data = d.data[n:]
	return v, nil
}

func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if !d.began {
		d.began = true
		d.left--
		d.at = d.perMini
		return d.last, nil
	}
	if d.at == d.perMini {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	v, ok := bits(d.mini, d.at*uint64(d.width), d.width)
	if !ok {
		return 0, errDelta
	}
	d.at++
	d.left--
	d.last += d.least + int64(v)
	return d.last, nil
}

// begin starts the next miniblock, and the next block if necessary.
func (d *deltas) begin() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		if n <= 0 || uint64(len(d.data)-n) < d.minis {
			return errDelta
		}
		d.least = least
		d.widths, d.data = d.data[n:n+int(d.minis)], d.data[n+int(d.minis):]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errDelta
	}
	size := min(d.perMini/8*uint64(d.width), uint64(len(d.data))) // the last one may be shorter
	d.mini, d.data, d.at = d.data[:size], d.data[size:], 0
	return nil
}

// divide returns the integers at the start of data, and the remaining bytes.
func divide(data []byte) (*deltas, []byte, error) {
	d, err := newDeltas(data)
	if err != nil {
		return nil, nil, err
	}
	scan := *d
	for scan.left > 0 {
		if _, err := scan.next(); err != nil {
			return nil, nil, err
		}
	}
	return d, scan.data, nil
}

// lengths reads byte arrays that are preceded by all of their lengths.
type lengths struct {
	of   *deltas
	data []byte
}

func newLengths(data []byte) (*lengths, error) {
	of, rest, err := divide(data)
	return &lengths{of, rest}, err
}

func (l *lengths) next() (value, error) {
	n, err := l.of.next()
	if err == nil && (n < 0 || n > int64(len(l.data))) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return value{}, err
	}
	v := value{bytes: l.data[:n:n]}
	l.data = l.data[n:]
	return v, nil
}

// deltaByteReader reads byte arrays that share a prefix with the previous one.
type deltaByteReader struct {
	common *deltas
	rest   *lengths
	last   []byte
}

func newDeltaByteReader(data []byte) (*deltaByteReader, error) {
	common, rest, err := divide(data)
	if err != nil {
		return nil, err
	}
	suffixes, err := newLengths(rest)
	return &deltaByteReader{common: common, rest: suffixes}, err
}

func (p *deltaByteReader) next() (value, error) {
	n, err := p.common.next()
	if err == nil && (n < 0 || n > int64(len(p.last))) {
		err = errDelta
	}
	if err != nil {
		return value{}, err
	}
	v, err := p.rest.next()
	if n > 0 {
		v.bytes = append(append(make([]byte, 0, int(n)+len(v.bytes)), p.last[:n]...), v.bytes...)
	}
	p.last = v.bytes
	return v, err
}
