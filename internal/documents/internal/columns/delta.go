package columns

import (
	"encoding/binary"
	"errors"
	"io"
)

var errDelta = errors.New("its differences are damaged")

// deltas reads integers that are written as differences, in blocks of miniblocks.
type deltas struct {
	data    []byte
	block   uint64 // values of a block
	minis   uint64 // miniblocks of a block
	left    uint64 // values that are to come
	last    int64
	began   bool
	least   int64 // of the differences of the block
	widths  []byte
	mini    []byte // that is being read
	width   int
	at      uint64 // the next of mini
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

// begin goes to the next miniblock, and to the next block where one ends.
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
	size := min(d.perMini/8*uint64(d.width), uint64(len(d.data))) // the last may be cut
	d.mini, d.data, d.at = d.data[:size], d.data[size:], 0
	return nil
}

// divide gives the integers at the beginning of data, and the bytes behind them.
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

// lengths reads byte arrays whose lengths stand before all of them.
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

// deltaByteReader reads byte arrays that begin like the one before.
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
