package columns

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// shownBytes is how much of a value is shown that is no text.
const shownBytes = 16

// text is a value as people write it; bare is one that JSON has no quotes around.
func (n *node) text(v parquet.Value) (text string, bare bool) {
	if t := n.typ.LogicalType(); t != nil {
		switch t := t.Value.(type) {
		case *format.DecimalType:
			return decimal(v, int(t.Scale)), false
		case *format.DateType:
			return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly), false
		case *format.TimestampType:
			return timestamp(v.Int64(), t.Unit, t.IsAdjustedToUTC), false
		case *format.TimeType:
			whole := v.Int64()
			if v.Kind() == parquet.Int32 {
				whole = int64(v.Int32())
			}
			return time.Unix(0, 0).UTC().Add(time.Duration(whole) * unit(t.Unit)).Format("15:04:05.999999999"), false
		case *format.UUIDType:
			if b := v.ByteArray(); len(b) == 16 {
				return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), false
			}
		case *format.IntType:
			switch {
			case !t.IsSigned && v.Kind() == parquet.Int32:
				return strconv.FormatUint(uint64(v.Uint32()), 10), true
			case !t.IsSigned:
				return strconv.FormatUint(v.Uint64(), 10), true
			}
		case *format.StringType, *format.EnumType, *format.JsonType:
			return string(v.ByteArray()), false
		case *format.Float16Type:
			if b := v.ByteArray(); len(b) == 2 {
				return half(binary.LittleEndian.Uint16(b)), false
			}
		}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean()), true
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10), true
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10), true
	case parquet.Int96:
		return int96(v.Int96()), false
	case parquet.Float:
		return float(float64(v.Float()), 32)
	case parquet.Double:
		return float(v.Double(), 64)
	}
	b := v.ByteArray()
	switch {
	case utf8.Valid(b) && strings.IndexFunc(string(b), isControl) < 0: // Not everybody says of text that it is text.
		return string(b), false
	case len(b) <= shownBytes:
		return "X'" + strings.ToUpper(hex.EncodeToString(b)) + "'", false
	}
	return fmt.Sprintf("X'%s…' (%d bytes)", strings.ToUpper(hex.EncodeToString(b[:shownBytes])), len(b)), false
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' }

// float is a number with a point, so that it does not look like an integer.
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

func decimal(v parquet.Value, scale int) string {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		unscaled.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		unscaled.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		if len(b) > 1024 {
			return fmt.Sprintf("(%d bytes)", len(b))
		}
		unscaled.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
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

// int96 is the timestamp of old writers: nanoseconds of a day, and a Julian day.
func int96(v deprecated.Int96) string {
	const epoch = 2440588
	return instant(time.Unix((int64(v[2])-epoch)*86400, int64(v[0])|int64(v[1])<<32).UTC(), false)
}

// half is a number of 16 bits.
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
