package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// value is one of a column, with its levels.
type value struct {
	rep, def int
	null     bool
	bits     uint64 // of a Boolean, or of a number in its lowest
	bytes    []byte // of what is longer
}

// decoder reads the values of a page that are there, one after the other.
type decoder interface {
	next() (value, error)
}

// oldDictionary is what writers of the first version call RLEDictionary.
const oldDictionary format.Encoding = 2

var errIndex = errors.New("a value is not in its dictionary")

// newDecoder reads data, which has n values.
func newDecoder(encoding format.Encoding, leaf *node, data []byte, n int, dictionary []value) (decoder, error) {
	switch encoding {
	case format.Plain:
		return newPlainReader(leaf, data), nil
	case oldDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return &dictionaryReader{}, nil // of nulls only
		}
		return &dictionaryReader{of: dictionary, indexes: hybrid{data: data[1:], width: int(data[0])}}, nil
	case format.RLE:
		if leaf.physical == format.Boolean && len(data) >= 4 {
			return booleanReader{&hybrid{data: data[4:], width: 1}}, nil
		}
	case format.DeltaBinaryPacked:
		if leaf.physical == format.Int32 || leaf.physical == format.Int64 {
			if n == 0 {
				return newPlainReader(leaf, nil), nil
			}
			of, err := newDeltas(data)
			return integers{of, leaf.width()}, err
		}
	case format.DeltaLengthByteArray:
		if leaf.physical == format.ByteArray {
			if n == 0 {
				return newPlainReader(leaf, nil), nil
			}
			return newLengths(data)
		}
	case format.DeltaByteArray:
		if leaf.physical == format.ByteArray || leaf.physical == format.FixedLenByteArray {
			if n == 0 {
				return newPlainReader(leaf, nil), nil
			}
			return newDeltaByteReader(data)
		}
	case format.ByteStreamSplit:
		if width := leaf.width(); width > 0 {
			return &byteSplitReader{data: data, width: width, count: len(data) / width, leaf: leaf}, nil
		}
	}
	return nil, fmt.Errorf("its values are written in a way that is not read: %v", encoding)
}

// plainReader reads values as they are.
type plainReader struct {
	leaf *node
	data []byte
	bit  uint64
}

func newPlainReader(leaf *node, data []byte) *plainReader {
	return &plainReader{leaf: leaf, data: data}
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

// of is the value that bytes mean.
func (n *node) of(b []byte) value {
	switch n.physical {
	case format.Int32, format.Int64, format.Float, format.Double:
		return value{bits: little(b)}
	}
	return value{bytes: b}
}

// width is how many bytes each value has; 0 if they differ.
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

// dictionaryReader reads values that stand in a dictionary.
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

// booleanReader reads Booleans in runs.
type booleanReader struct{ *hybrid }

func (t booleanReader) next() (value, error) {
	v, err := t.hybrid.next()
	return value{bits: v}, err
}

// integers reads differences of numbers of that many bytes.
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

// byteSplitReader reads values whose first bytes stand before all second bytes.
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
