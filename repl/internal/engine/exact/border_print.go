package exact

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// print implements print and println.
func (e *Engine) print(line bool, args []reflect.Value) {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = printed(a)
	}
	text := strings.Join(parts, "")
	if line {
		text = strings.Join(parts, " ") + "\n"
	}
	_, _ = e.host.Stdout.Write([]byte(text)) // errors are ignored, as in the runtime's print
}

// printed formats a value as the runtime does.
func printed(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return float(v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		c, bits := v.Complex(), v.Type().Bits()/2
		im := float(imag(c), bits)
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + float(real(c), bits) + im + "i)"
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Interface:
		if v.IsNil() {
			return "(0x0,0x0)"
		}
		switch x := v.Elem(); x.Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Array:
			return "(0x1,0x1)" // stands for addresses
		default:
			return printed(x)
		}
	case reflect.Map, reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", v.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	}
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

func float(f float64, bits int) string { return strconv.FormatFloat(f, 'g', -1, bits) }
