package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// value is a value of a column, with its levels.
type value struct {
	rep, def int
	null     bool
	bits     uint64 // a Boolean or a number, in the lowest bits
	bytes    []byte // any longer value
}

// decoder reads the non-null values of a page one after another.
type decoder interface {
	next() (value, error)
}

// oldDictionary is the name of RLEDictionary in files of the first version.
const oldDictionary format.Encoding = 2

var errIndex = errors.New("a value is not in its dictionary")

// newDecoder returns a decoder for data, which has n values.
func newDecoder(encoding format.Encoding, leaf *node, data []byte, n int, dictionary []value) (decoder, error) {
	if n == 0 || encoding == format.Plain {
		return &plainReader{leaf: leaf, data: data}, nil
	}
	switch encoding {
	case oldDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return &dictionaryReader{}, nil // all values are null
		}
		return &dictionaryReader{of: dictionary, indexes: hybrid{data: data[1:], width: int(data[0])}}, nil
	case format.RLE:
		if leaf.physical == format.Boolean && len(data) >= 4 {
			return booleanReader{&hybrid{data: data[4:], width: 1}}, nil
		}
	case format.DeltaBinaryPacked:
		if leaf.physical == format.Int32 || leaf.physical == format.Int64 {
			of, err := newDeltas(data)
			return integers{of, leaf.width()}, err
		}
	case format.DeltaLengthByteArray:
		if leaf.physical == format.ByteArray {
			return newLengths(data)
		}
	case format.DeltaByteArray:
		if leaf.physical == format.ByteArray || leaf.physical == format.FixedLenByteArray {
			return newDeltaByteReader(data)
		}
	case format.ByteStreamSplit:
		if width := leaf.width(); width > 0 {
			return &byteSplitReader{data: data, width: width, count: len(data) / width, leaf: leaf}, nil
		}
	}
	return nil, fmt.Errorf("the encoding %v of its values is not supported", encoding)
}

// plainReader reads values without an encoding.
type plainReader struct {
	leaf *node
	data []byte
	bit  uint64
}

func (p *plainReader) next() (v value, err error) {
	width := p.leaf.width()
	switch p.leaf.physical {
	case format.Boolean:
		bit, ok := bits(p.data, p.bit, 1)
		if !ok {
			return v, io.ErrUnexpectedEOF
		}
		p.bit++
		return value{bits: bit}, nil
	case format.ByteArray:
		if len(p.data) < 4 {
			return v, io.ErrUnexpectedEOF
		}
		length := binary.LittleEndian.Uint32(p.data)
		if p.data = p.data[4:]; uint64(length) > uint64(len(p.data)) {
			return v, io.ErrUnexpectedEOF
		}
		width = int(length)
	}
	if len(p.data) < width {
		return v, io.ErrUnexpectedEOF
	}
	v = p.leaf.of(p.data[:width:width])
	p.data = p.data[width:]
	return v, nil
}

// of returns the value that bytes encode.
func (n *node) of(b []byte) value {
	switch n.physical {
	case format.Int32, format.Int64, format.Float, format.Double:
		return value{bits: little(b)}
	}
	return value{bytes: b}
}

// width returns the number of bytes of each value; 0 if it varies.
func (n *node) width() int {
	switch n.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return n.length
	}
	return 0
}

// dictionaryReader reads indexes into a dictionary of values.
type dictionaryReader struct {
	of      []value
	indexes hybrid
}

func (d *dictionaryReader) next() (value, error) {
	i, err := d.indexes.next()
	if err == nil && i >= uint64(len(d.of)) {
		err = errIndex
	}
	if err != nil {
		return value{}, err
	}
	return d.of[i], nil
}

// booleanReader reads run-length encoded Booleans.
type booleanReader struct{ *hybrid }

func (t booleanReader) next() (value, error) {
	v, err := t.hybrid.next()
	return value{bits: v}, err
}

// integers reads delta-encoded numbers of width bytes.
type integers struct {
	*deltas
	width int
}

func (d integers) next() (value, error) {
	v, err := d.deltas.next()
	if d.width == 4 {
		v = int64(uint32(v))
	}
	return value{bits: uint64(v)}, err
}

// byteSplitReader reads values whose first bytes are stored before all of their second bytes, and so on.
type byteSplitReader struct {
	leaf         *node
	data         []byte
	width, count int
	at           int
}

func (s *byteSplitReader) next() (value, error) {
	if s.at == s.count {
		return value{}, io.ErrUnexpectedEOF
	}
	b := make([]byte, s.width)
	for i := range b {
		b[i] = s.data[i*s.count+s.at]
	}
	s.at++
	return s.leaf.of(b), nil
}
