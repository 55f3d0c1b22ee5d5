package answer

import (
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// leafValue converts a value that contains no other value.
func leafValue(v reflect.Value) Value {
	switch v.Kind() {
	case reflect.String:
		return Value{Kind: Text, Text: v.String()}
	case reflect.Bool:
		return scalar(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return scalar(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return floatValue(v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return Value{Kind: Text, Text: strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())}
	}
	return textf("<%s>", v.Type()) // a function, a channel
}

// floatValue writes a number without an exponent where people would, like JavaScript.
func floatValue(f float64, bits int) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return textf("%v", f)
	}
	if abs := math.Abs(f); abs != 0 && (abs >= 1e21 || abs < 1e-6) {
		return scalar(strconv.FormatFloat(f, 'e', -1, bits))
	}
	return scalar(strconv.FormatFloat(f, 'f', -1, bits))
}

func bytesValue(v reflect.Value) Value {
	if v.Len() > MaxLen {
		v = v.Slice(0, MaxLen+1)
	}
	if b := v.Bytes(); utf8.Valid(b) {
		return Value{Kind: Text, Text: string(b)}
	} else {
		return textf("%x", b)
	}
}
