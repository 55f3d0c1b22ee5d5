package sqlite

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/gorlm/rlm/internal/documents/format"
)

// record returns the values of a row as text; missing ones at the end are omitted.
func (d *database) record(payload []byte, columns []column) ([]string, error) {
	size, n := varint(payload)
	if n == 0 || size < int64(n) || size > int64(len(payload)) {
		return nil, errDamaged
	}
	types, data := payload[n:size], payload[size:]
	var values []string
	for len(types) > 0 {
		kind, n := varint(types)
		if n == 0 || kind < 0 {
			return nil, errDamaged
		}
		types = types[n:]
		length := int64(0)
		switch {
		case kind >= 12:
			length = (kind - 12) / 2
		case kind < 8:
			length = []int64{0, 1, 2, 3, 4, 6, 8, 8}[kind]
		}
		if length > int64(len(data)) {
			return nil, errDamaged
		}
		floating := len(values) < len(columns) && columns[len(values)].floating
		values = append(values, d.value(kind, data[:length], floating))
		data = data[length:]
	}
	return values, nil
}

// value returns a value as text: empty for NULL, only the first bytes of a blob.
func (d *database) value(kind int64, b []byte, floating bool) string {
	switch {
	case kind == 0:
		return ""
	case kind == 7:
		return float(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case kind <= 9:
		v := kind - 8
		if kind < 8 {
			v = 0
			if b[0] >= 0x80 {
				v = -1
			}
			for _, c := range b {
				v = v<<8 | int64(c)
			}
		}
		if floating { // SQLite stores whole numbers of such columns as integers
			return float(float64(v))
		}
		return strconv.FormatInt(v, 10)
	case kind < 12:
		return ""
	case kind%2 == 0:
		return format.Blob(b)
	}
	return d.text(b)
}

func (d *database) text(b []byte) string {
	order := unicode.LittleEndian
	switch d.encoding {
	case 2:
	case 3:
		order = unicode.BigEndian
	default:
		return string(b)
	}
	out, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(b)
	if err != nil {
		return string(b)
	}
	return string(out)
}

// float formats a number like SQLite, with 15 digits.
func float(f float64) string {
	s := strconv.FormatFloat(f, 'g', 15, 64)
	mantissa, exponent, large := strings.Cut(s, "e")
	switch {
	case strings.Trim(mantissa, "-0123456789") != "": // a decimal point, or not a number
		return s
	case large:
		return mantissa + ".0e" + exponent
	}
	return s + ".0"
}
