package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"

	documents "github.com/gorlm/rlm/internal/documents/format"
)

// text returns a value for people. bare reports whether JSON needs no quotes around it.
func (n *node) text(v value) (text string, bare bool) {
	if text, bare, ok := n.meaning(v); ok {
		return text, bare
	}
	return n.plain(v)
}

// plain returns the text of a value without a logical type.
func (n *node) plain(v value) (text string, bare bool) {
	switch n.physical {
	case format.Boolean:
		return strconv.FormatBool(v.bits != 0), true
	case format.Int32:
		return strconv.FormatInt(int64(int32(v.bits)), 10), true
	case format.Int64:
		return strconv.FormatInt(int64(v.bits), 10), true
	case format.Int96:
		return int96(v.bytes), false
	case format.Float:
		return float(float64(math.Float32frombits(uint32(v.bits))), 32)
	case format.Double:
		return float(math.Float64frombits(v.bits), 64)
	}
	if n.isText(v.bytes) {
		return string(v.bytes), false
	}
	return documents.Blob(v.bytes), false
}

// meaning returns the text of a value according to its logical type; ok is false without one or with wrong bytes.
func (n *node) meaning(v value) (text string, bare, ok bool) {
	whole := int64(v.bits)
	if n.physical == format.Int32 {
		whole = int64(int32(v.bits))
	}
	integer := n.physical == format.Int32 || n.physical == format.Int64
	binaries := n.physical == format.ByteArray || n.physical == format.FixedLenByteArray
	switch t := n.logical.(type) {
	case *format.DecimalType:
		if integer {
			return decimal(big.NewInt(whole), int(t.Scale)), false, true
		}
		return binaryDecimal(v.bytes, int(t.Scale)), false, binaries
	case *format.DateType:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(whole)).Format(time.DateOnly), false, n.physical == format.Int32
	case *format.TimestampType:
		return timestamp(whole, t.Unit, t.IsAdjustedToUTC), false, n.physical == format.Int64
	case *format.TimeType:
		return time.Unix(0, 0).UTC().Add(time.Duration(whole) * unit(t.Unit)).Format("15:04:05.999999999"), false,
			integer
	case *format.UUIDType:
		if b := v.bytes; len(b) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), false, true
		}
	case *format.IntType:
		if integer && !t.IsSigned {
			if n.physical == format.Int32 {
				whole = int64(uint32(v.bits))
			}
			return strconv.FormatUint(uint64(whole), 10), true, true
		}
	case *format.Float16Type:
		if len(v.bytes) == 2 {
			return half(binary.LittleEndian.Uint16(v.bytes)), false, true
		}
	}
	return "", false, false
}

// bytes returns a value for people; nil for null.
func (n *node) bytes(v value) []byte {
	if v.null {
		return nil
	}
	text, _, ok := n.meaning(v)
	switch {
	case ok:
	case n.isText(v.bytes):
		return v.bytes
	default:
		text, _ = n.plain(v)
	}
	return []byte(text)
}

// isText reports whether the bytes of a value look like text, because some writers do not declare text as such.
func (n *node) isText(b []byte) bool {
	if n.physical != format.ByteArray && n.physical != format.FixedLenByteArray {
		return false
	}
	switch n.logical.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return true
	}
	return utf8.Valid(b) && bytes.IndexFunc(b, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' }

// float formats a number with a decimal point, to distinguish it from an integer.
func float(f float64, bits int) (text string, bare bool) {
	text = strconv.FormatFloat(f, 'g', -1, bits)
	if abs := math.Abs(f); abs >= 1e-4 && abs < 1e16 || f == 0 {
		text = strconv.FormatFloat(f, 'f', -1, bits)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return text, false
	}
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text, true
}

// binaryDecimal formats a signed big-endian decimal number.
func binaryDecimal(b []byte, scale int) string {
	if len(b) > 1024 {
		return fmt.Sprintf("(%d bytes)", len(b))
	}
	unscaled := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return decimal(unscaled, scale)
}

func decimal(unscaled *big.Int, scale int) string {
	digits, sign := new(big.Int).Abs(unscaled).String(), ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if scale <= 0 || scale > 1000 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func unit(u format.TimeUnit) time.Duration {
	if u.Value == nil {
		return time.Microsecond
	}
	return u.Value.Duration()
}

func timestamp(v int64, u format.TimeUnit, utc bool) string {
	per := int64(time.Second / unit(u))
	seconds, rest := v/per, v%per
	if rest < 0 {
		seconds, rest = seconds-1, rest+per
	}
	return instant(time.Unix(seconds, rest*int64(unit(u))).UTC(), utc)
}

func instant(t time.Time, utc bool) string {
	if utc {
		return t.Format("2006-01-02 15:04:05.999999999Z")
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}

// int96 formats the timestamp of old writers: nanoseconds of a day, and a Julian day.
func int96(b []byte) string {
	const epoch = 2440588
	day, nanos := int64(int32(binary.LittleEndian.Uint32(b[8:]))), int64(binary.LittleEndian.Uint64(b))
	return instant(time.Unix((day-epoch)*86400, nanos).UTC(), false)
}

// half formats a 16-bit floating-point number.
func half(bits uint16) string {
	exponent, fraction := int(bits>>10&0x1F), float64(bits&0x3FF)
	f := math.Ldexp(fraction/1024, -14)
	switch exponent {
	case 0:
	case 31:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1+fraction/1024, exponent-15)
	}
	if bits&0x8000 != 0 {
		f = -f
	}
	text, _ := float(f, 32)
	return text
}
